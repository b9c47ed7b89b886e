//! Exports snapshots of worlds to files, and imports them.

use crate::Services;
use crate::account_clocks::{account_of_world, hashed};
use florin_domain::access::{Account, Caller};
use florin_domain::ids::{ClientId, SnapshotId};
use florin_domain::world::{ImportRefusal, SnapshotFile, SnapshotImport, decide_import};
use florin_ports::{ClientClaim, ImportSnapshotCommand, StoreError, WriteError, Written};
use std::sync::Arc;
use uuid::Builder;

/// Maximum number of imported snapshots deleted in one transaction.
const PORTION: u32 = 5;

/// Reads a snapshot of a world for export to a file. `None`: the world has no such snapshot.
pub async fn export_snapshot(
    services: &Services,
    account: &Account,
    snapshot: SnapshotId,
) -> Result<Option<SnapshotFile>, StoreError> {
    services.snapshot_files.snapshot_file(&account.id, snapshot).await
}

/// Imports a file for the caller's client. `digest` is the SHA-256 of the whole file, in hexadecimal. The imported
/// snapshot expires like a new world: after [`Services::world_lifetime`].
pub async fn import_snapshot(
    services: &Services,
    caller: &Caller,
    (file, digest): (SnapshotFile, &str),
    claim: Option<ClientClaim<SnapshotImport>>,
) -> Result<Written<SnapshotImport>, WriteError<ImportRefusal>> {
    let (real, client) = (services.time.real_now(), caller.client.id);
    let command = ImportSnapshotCommand {
        client,
        id: id_of(client, digest),
        file,
        trial_account: account_of_world(None, services.time.real_id())?,
        page_tokens: services.page_tokens.hashes(),
        real,
        expires_at: real + services.world_lifetime,
        decide: Arc::new(|situation| decide_import(*situation)),
        claim,
    };
    services.snapshot_files.import_snapshot(command).await
}

/// Derives the id of an imported snapshot from the client and the file, so that the same file always has the same id.
fn id_of(client: ClientId, digest: &str) -> SnapshotId {
    let hash = hashed(&[b"florin snapshot file".as_slice(), client.0.as_bytes(), digest.as_bytes()]);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    SnapshotId(Builder::from_custom_bytes(bytes).into_uuid())
}

/// Deletes expired imported snapshots and returns their number.
pub async fn sweep_imported_snapshots(services: &Services) -> Result<u64, StoreError> {
    let mut swept = 0;
    loop {
        let gone = services.snapshot_files.delete_expired_imports(services.time.real_now(), PORTION).await?;
        swept += gone;
        if gone < u64::from(PORTION) {
            return Ok(swept);
        }
    }
}
