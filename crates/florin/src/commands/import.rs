//! `florin import FILE`

use super::{Context, forgotten};
use crate::output;
use crate::wiring;
use anyhow::anyhow;
use florin_store_contract::AnyStore;
use florin_store_contract::export::ImportReport;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// What to import.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A file that `florin export` made.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// What was imported and verified.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    exported_at: &'a str,
    rows: &'a BTreeMap<String, u64>,
    sha256: &'a str,
    journal_transactions: i64,
    balances: i64,
}

pub(super) async fn run(context: &Context, store: &dyn AnyStore, arguments: &Arguments) -> anyhow::Result<()> {
    wiring::must_be_current(store).await?;
    let file = &arguments.file;
    let opened = File::open(file).map_err(|error| anyhow!("{} can't be read: {error}", file.display()))?;
    let environment = context.settings.environment.as_str();
    let imported = store
        .import(environment, &mut BufReader::with_capacity(256 * 1024, opened))
        .map_err(|error| anyhow!("{}: nothing was imported: {error}", file.display()))?;
    // A server that runs may remember the empty bank list.
    forgotten().await;
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
        ["The file".to_owned(), format!("whole and unchanged: SHA-256 {}", imported.contents.sha256)],
        ["The rows".to_owned(), format!("{} in {} tables", imported.contents.total(), imported.contents.rows.len())],
        [
            "The books".to_owned(),
            format!(
                "every balance is proved. Journal transactions: {}. Balances: {}.",
                imported.audit.journal_transactions, imported.audit.balances
            ),
        ],
    ];
    let title = format!("{}, exported at {}, is imported. Verified:", file.display(), imported.exported_at);
    format!("{title}\n\n{}", output::pairs(&facts))
}
