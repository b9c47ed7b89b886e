//! `florin import FILE`

use super::{Context, wait_for_cache_expiry};
use crate::cells::Stores;
use crate::output;
use crate::progress::{Progress, ProgressFlag};
use crate::secrets;
use anyhow::anyhow;
use florin_domain::access::Environment;
use florin_domain::ids::ClientId;
use florin_domain::secret::SecretKeyId;
use florin_ports::{Reseal, SecretCipher, SecretError, StoreError};
use florin_secret_cipher::{KeyRing, SecretKey};
use florin_store_contract::export::{ExportReader, ImportReport};
use florin_store_contract::{AnyStore, ExportError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments of an import.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A file written by `florin export`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The cell to import into [default: home]
    #[arg(long, value_name = "NAME", default_value = "home", hide_default_value = true)]
    to_cell: String,
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
    stores: &Stores,
    environment: Environment,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let store = stores.named(&arguments.to_cell)?.as_ref();
    let file = &arguments.file;
    let unreadable = |error| anyhow!("cannot read {}: {error}", file.display());
    let opened = File::open(file).map_err(unreadable)?;
    let bytes = opened.metadata().map_err(unreadable)?.len();
    refuse_clients_of_other_cells(stores, &arguments.to_cell, &opened, file).await?;
    let reseal = reseal(context, store, environment, &opened, file).await?;
    let progress = Progress::start(arguments.progress, "importing");
    let imported = store
        .import(
            environment.as_str(),
            &mut BufReader::with_capacity(256 * 1024, progress.reading(opened, bytes)),
            &reseal,
        )
        .map_err(|error| not_imported(file, &error))?;
    drop(progress);
    context.record_result(format!("sha256 {}", imported.contents.sha256));
    // A running server may have cached the empty bank list.
    wait_for_cache_expiry().await;
    let report = Report {
        exported_at: &imported.exported_at,
        rows: &imported.contents.rows,
        sha256: &imported.contents.sha256,
        journal_transactions: imported.books.journal_transactions,
        balances: imported.books.balances,
    };
    output::print_json_or_text(context.json, &report, || as_text(file, &imported))
}

/// The error for a file that was not imported.
fn not_imported(file: &Path, why: &dyn Display) -> anyhow::Error {
    anyhow!("nothing was imported from {}: {why}", file.display())
}

/// Refuses a file with a client that the directory places in another cell: requests would not find it in this one.
async fn refuse_clients_of_other_cells(stores: &Stores, cell: &str, opened: &File, file: &Path) -> anyhow::Result<()> {
    if stores.directory.is_none() {
        return Ok(());
    }
    let clients = clients(opened).map_err(|error| not_imported(file, &error))?;
    let places = stores.cells_of(&clients).await?;
    for (client, place) in clients.iter().zip(places) {
        if let Some(place) = place.filter(|place| place.as_str() != cell) {
            return Err(not_imported(file, &format!("client {client} is in cell {place}, not in cell {cell}")));
        }
    }
    Ok(())
}

/// Returns the clients of a file.
fn clients(opened: &File) -> Result<Vec<ClientId>, ExportError> {
    #[derive(Deserialize)]
    struct Client {
        id: String,
    }
    let mut opened = BufReader::with_capacity(256 * 1024, opened);
    let mut clients = Vec::new();
    ExportReader::open(&mut opened)?.each(|row| {
        if row.table == "clients" {
            let unreadable = |reason| ExportError::Line { line: row.line, reason };
            let client: Client = serde_json::from_str(row.json).map_err(|error| unreadable(error.to_string()))?;
            clients.push(ClientId::parse(&client.id).map_err(|flaw| unreadable(flaw.message.into_owned()))?);
        }
        Ok(())
    })?;
    Ok(clients)
}

/// Returns the function that encrypts the secrets of a file for this store. They must be encrypted with the store's
/// key, with its previous key or, in a sandbox, with the key that the file contains.
async fn reseal(
    context: &Context,
    store: &dyn AnyStore,
    environment: Environment,
    opened: &File,
    file: &Path,
) -> anyhow::Result<Reseal> {
    let own_cipher = secrets::open(&context.settings, environment, store).await?.cipher;
    let mut opened = BufReader::new(opened);
    let export = ExportReader::open(&mut opened).map_err(|error| not_imported(file, &error))?;
    let [id, key] = [export.header().secret_key(), export.header().sandbox_key()];
    let id = id.and_then(SecretKeyId::parse);
    let file_cipher = match key.and_then(SecretKey::parse).filter(|key| Some(key.id()) == id) {
        Some(key) if environment == Environment::Sandbox => Arc::new(KeyRing::new(key, None)),
        _ => Arc::clone(&own_cipher),
    };
    Ok(Arc::new(move |from, to, sealed| {
        let secret = file_cipher.open(from, sealed).map_err(|error| match error {
            SecretError::Key { .. } => {
                StoreError::Corrupt(format!("{error}; give that key as FLORIN_SECRET_KEY_PREVIOUS_FILE"))
            }
            error => error.into(),
        })?;
        if from == to && sealed.is_under(own_cipher.key()) {
            Ok(sealed.clone())
        } else {
            Ok(own_cipher.seal(to, &secret)?)
        }
    }))
}

fn as_text(file: &Path, imported: &ImportReport) -> String {
    let facts = [
        ["File".to_owned(), format!("complete and unchanged, SHA-256 {}", imported.contents.sha256)],
        ["Rows".to_owned(), format!("{} in {} tables", imported.contents.total(), imported.contents.rows.len())],
        [
            "Balances".to_owned(),
            format!(
                "{} balances match the journal of {} transactions",
                imported.books.balances, imported.books.journal_transactions
            ),
        ],
    ];
    let title = format!("Imported {}, exported at {}. Verified:", file.display(), imported.exported_at);
    format!("{title}\n\n{}", output::pairs(&facts))
}
