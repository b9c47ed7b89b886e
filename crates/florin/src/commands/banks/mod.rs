//! `florin banks import`

mod file;

use super::{Context, caches_expired, read_file};
use crate::output;
use anyhow::anyhow;
use florin_ports::Registry;
use serde::Serialize;
use std::path::PathBuf;

/// Actions on the bank list.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// Replace the bank list with that of a file
    Import {
        /// A CSV file (id,name,iconUrl,supportsRefunds), or a .json file with an array of such objects
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// JSON result of `florin banks import`.
#[derive(Serialize)]
struct Imported {
    imported: usize,
}

pub(super) async fn run(context: &Context, registry: &dyn Registry, action: Action) -> anyhow::Result<()> {
    let Action::Import { file } = action;
    let text = read_file(&file)?;
    let is_json = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let banks = if is_json { file::from_json(&text) } else { file::from_csv(&text) };
    let banks = banks.map_err(|faults| anyhow!("cannot import {}:\n{faults}", file.display()))?;
    let imported = Imported { imported: banks.len() };
    registry.replace_banks(banks).await?;
    context.note(format!("{} bank(s)", imported.imported));
    caches_expired().await;
    output::print_json_or_text(context.json, &imported, || format!("Imported {} banks.", imported.imported))
}
