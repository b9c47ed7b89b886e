//! Export of snapshots of worlds to files, and import from files.

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
    /// The id of the snapshot. It is derived from the client and the file, so the same file always has the same id.
    pub id: SnapshotId,
    /// The file.
    pub file: SnapshotFile,
    /// The id of an account that does not exist. The rows of the file are checked by inserting them there.
    pub trial_account: AccountId,
    /// Creates the tokens of payment pages for that check.
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
/// A file can be imported into every store with the same adapter. Files come from outside, so an adapter checks all
/// rows before it stores any.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SnapshotFiles: Send + Sync {
    /// Returns a snapshot of a world for a file. The file omits everything that has a meaning in this store only:
    /// secrets, digests of PINs, idempotency records, MFA sessions, events. `None`: no such snapshot of that world.
    async fn snapshot_file(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
    ) -> Result<Option<SnapshotFile>, StoreError>;

    /// Stores the snapshot of a file for a client. A key for all accounts of the client can then create worlds from it,
    /// as from a snapshot of one of the client's worlds.
    ///
    /// If the client has already imported the file, the snapshot's time of import and its expiry change. Rows that the
    /// store would reject or could not read are refused as [`ImportRefusal::Invalid`], and so are inconsistent books.
    /// The refusal says where the error is. A file causes no [`StoreError::Corrupt`]: neither its import, nor the
    /// creation of a world from it, nor a read of this world. Contents that a file must not have are ignored.
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
