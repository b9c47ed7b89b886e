//! `florin import FILE`

use super::{Context, caches_expired};
use crate::output;
use crate::progress::{Progress, ProgressFlag};
use anyhow::anyhow;
use florin_domain::access::Environment;
use florin_store_contract::AnyStore;
use florin_store_contract::export::ImportReport;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Arguments of an import.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A file written by `florin export`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    progress: ProgressFlag,
}

/// JSON result of `florin import`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    exported_at: &'a str,
    rows: &'a BTreeMap<String, u64>,
    sha256: &'a str,
    journal_transactions: i64,
    balances: i64,
}

pub(super) async fn run(
    context: &Context,
    store: &dyn AnyStore,
    environment: Environment,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let file = &arguments.file;
    let unreadable = |error| anyhow!("cannot read {}: {error}", file.display());
    let opened = File::open(file).map_err(unreadable)?;
    let bytes = opened.metadata().map_err(unreadable)?.len();
    let progress = Progress::start(arguments.progress, "importing");
    let imported = store
        .import(environment.as_str(), &mut BufReader::with_capacity(256 * 1024, progress.reading(opened, bytes)))
        .map_err(|error| anyhow!("nothing was imported from {}: {error}", file.display()))?;
    drop(progress);
    // A running server may have cached the empty bank list.
    caches_expired().await;
    let report = Report {
        exported_at: &imported.exported_at,
        rows: &imported.contents.rows,
        sha256: &imported.contents.sha256,
        journal_transactions: imported.audit.journal_transactions,
        balances: imported.audit.balances,
    };
    output::either(context.json, &report, || print(file, &imported))
}

fn print(file: &Path, imported: &ImportReport) -> String {
    let facts = [
        ["File".to_owned(), format!("complete and unchanged, SHA-256 {}", imported.contents.sha256)],
        ["Rows".to_owned(), format!("{} in {} tables", imported.contents.total(), imported.contents.rows.len())],
        [
            "Balances".to_owned(),
            format!(
                "{} balances match the journal of {} transactions",
                imported.audit.balances, imported.audit.journal_transactions
            ),
        ],
    ];
    let title = format!("Imported {}, exported at {}. Verified:", file.display(), imported.exported_at);
    format!("{title}\n\n{}", output::pairs(&facts))
}
