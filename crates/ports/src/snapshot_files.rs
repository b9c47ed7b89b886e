//! Snapshots of worlds that leave the store as files, and come from files.

use crate::{ClientClaim, Decide, PageTokens, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{ImportRefusal, ImportSituation, ImportedSnapshot, SnapshotFile, SnapshotImport};
use std::convert::Infallible;

/// A command to import a file.
pub struct ImportSnapshotCommand {
    /// The client that imports it.
    pub client: ClientId,
    /// The id of the snapshot, which follows from client and file: the same file has the same id.
    pub id: SnapshotId,
    /// The file.
    pub file: SnapshotFile,
    /// An account that does not exist, to try the rows on.
    pub trial: AccountId,
    /// The tokens of the payment pages of the trial.
    pub page_tokens: PageTokens,
    /// The current real time.
    pub real: DateTime<Utc>,
    /// When the snapshot may be deleted, in real time.
    pub expires_at: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<ImportSituation, Result<(), ImportRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<ClientClaim<SnapshotImport>>,
}

/// Exports snapshots of worlds to files, and imports them. Each call is one transaction.
///
/// A file fits every store of the same adapter. Its rows come from outside, so an adapter checks all of them before it
/// stores any.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SnapshotFiles: Send + Sync {
    /// Returns a snapshot of a world for a file, without anything that has a meaning in this store only: secrets, digests
    /// of PINs, idempotency records, MFA sessions, events. `None`: no such snapshot of that world.
    async fn snapshot_file(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
    ) -> Result<Option<SnapshotFile>, StoreError>;

    /// Stores the snapshot of a file for a client. A world can be created from it like from a snapshot of one of the
    /// client's worlds, by a key for all accounts of the client.
    ///
    /// The snapshot of a known file is kept longer. Rows that the store would refuse, or whose books disagree, are
    /// [`ImportRefusal::Invalid`]. What a file must not contain is left out.
    async fn import_snapshot(
        &self,
        command: ImportSnapshotCommand,
    ) -> Result<Written<SnapshotImport>, WriteError<ImportRefusal>>;

    /// Lists the imported snapshots of a client, by id.
    async fn imported_snapshots(
        &self,
        client: ClientId,
        page: PageRequest,
    ) -> Result<Page<ImportedSnapshot>, StoreError>;

    /// Deletes an imported snapshot. `Absent`: the client has no such snapshot.
    async fn delete_imported_snapshot(
        &self,
        client: ClientId,
        snapshot: SnapshotId,
        claim: Option<ClientClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>>;

    /// Deletes imported snapshots that expired by this real time, at most `max`, and returns their number.
    async fn delete_expired_imports(&self, real: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;
}
