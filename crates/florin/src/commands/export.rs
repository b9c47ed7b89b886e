//! `florin export FILE`

mod target;

use super::Context;
use crate::cells::Stores;
use crate::machine::SystemClock;
use crate::output;
use crate::progress::{Progress, ProgressFlag};
use crate::secrets;
use florin_domain::access::Environment;
use florin_ports::{Clock, SecretCipher};
use florin_store_contract::export::{ExportContents, ExportOrigin};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use target::Target;

/// Arguments of an export.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file to create, or - for stdout; it contains secrets
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// The cell to export: one file for each cell, and one for the home [default: home]
    #[arg(long, value_name = "NAME", default_value = "home", hide_default_value = true)]
    from_cell: String,
    #[command(flatten)]
    progress: ProgressFlag,
}

/// JSON result of `florin export`.
#[derive(Serialize)]
struct Report<'a> {
    rows: &'a BTreeMap<String, u64>,
    sha256: &'a str,
}

pub(super) async fn run(
    context: &Context,
    stores: &Stores,
    environment: Environment,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let store = stores.named(&arguments.from_cell)?.as_ref();
    let secrets = secrets::open(&context.settings, environment, store).await?;
    let origin = ExportOrigin {
        environment: environment.as_str().to_owned(),
        at: SystemClock.now(),
        secret_key: secrets.cipher.key().to_string(),
        sandbox_key: secrets.generated.map(|key| key.to_hex().to_string()),
    };
    let progress = Progress::start(arguments.progress, "exporting");
    if arguments.file.as_os_str() == "-" {
        // The export itself is the result.
        let mut out = BufWriter::new(progress.writing(io::stdout().lock()));
        // Recorded first: if an error follows, part of the data has already been written.
        context.record_result("to stdout".to_owned());
        store.export(&origin, &mut out)?;
        out.flush()?;
        return Ok(());
    }
    let target = Target::create(&arguments.file, arguments.force)?;
    target.remove_when_stopped()?;
    let contents = target.fill(|file| {
        let mut out = BufWriter::with_capacity(256 * 1024, progress.writing(file));
        let contents = store.export(&origin, &mut out)?;
        out.flush()?;
        Ok(contents)
    })?;
    drop(progress);
    context.record_result(format!("sha256 {}", contents.sha256));
    let report = Report { rows: &contents.rows, sha256: &contents.sha256 };
    output::print_json_or_text(context.json, &report, || as_text(&arguments.file, &contents))
}

fn as_text(file: &Path, contents: &ExportContents) -> String {
    format!(
        "Exported {} rows of {} tables to {}. The file holds secrets: protect it like the database.",
        contents.total(),
        contents.rows.len(),
        file.display()
    )
}
