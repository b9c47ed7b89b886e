//! Bugs in snapshots as files.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{ImportRefusal, ImportedSnapshot, SnapshotFile, SnapshotImport};
use florin_ports::{ClientClaim, ImportSnapshotCommand, Registry, SnapshotFiles, StoreError, WriteError, Written};
use std::convert::Infallible;
use std::sync::Arc;

#[async_trait]
impl SnapshotFiles for Mutant {
    async fn snapshot_file(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
    ) -> Result<Option<SnapshotFile>, StoreError> {
        let found = self.inner.snapshot_file(account, snapshot).await?;
        if found.is_some() || !self.has(Bug::FilesOfAnyWorld) {
            return Ok(found);
        }
        for other in self.inner.accounts().await? {
            if let Some(file) = self.inner.snapshot_file(&other.id, snapshot).await? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    async fn import_snapshot(
        &self,
        mut command: ImportSnapshotCommand,
    ) -> Result<Written<SnapshotImport>, WriteError<ImportRefusal>> {
        if self.has(Bug::ImportsUnbounded) {
            command.decide = Arc::new(|_| Ok(()));
        }
        if self.has(Bug::ImportedNamesLost) {
            command.file.name = None;
        }
        if self.has(Bug::ImportsNotRenewed) {
            let known = self.inner.imported_snapshots(command.client, PageRequest::default()).await?;
            for known in known.rows.into_iter().filter(|known| known.id == command.id) {
                (command.real, command.expires_at) = (known.imported_at, known.expires_at);
            }
        }
        command.claim = command.claim.filter(|_| !self.has(Bug::ImportRecordsMissing));
        self.inner.import_snapshot(command).await
    }

    async fn imported_snapshots(
        &self,
        client: ClientId,
        page: PageRequest,
    ) -> Result<Page<ImportedSnapshot>, StoreError> {
        self.inner.imported_snapshots(client, page).await
    }

    async fn delete_imported_snapshot(
        &self,
        client: ClientId,
        snapshot: SnapshotId,
        claim: Option<ClientClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>> {
        if self.has(Bug::ImportsOfAnyClientDeleted) {
            for known in self.inner.clients().await? {
                if let Ok(deleted) = self.inner.delete_imported_snapshot(known.id, snapshot, None).await {
                    return Ok(deleted);
                }
            }
        }
        self.inner.delete_imported_snapshot(client, snapshot, claim).await
    }

    async fn delete_expired_imports(&self, real: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        let max = if self.has(Bug::ExpiredImportsUnbounded) { u32::MAX } else { max };
        self.inner.delete_expired_imports(real, max).await
    }
}
