//! Worlds: accounts that are created, saved, restored and deleted as a whole.

mod create;
mod delete;
mod file_checks;
mod files;
mod rows;
mod snapshots;

use super::ask::ask;
use super::body;
use super::driver;
use super::footprint::Footprint;
use super::group::under_claim;
use super::store::Store;
use super::webhooks;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{
    CreateWorldRefusal, ImportRefusal, ImportedSnapshot, SandboxWorld, SnapshotFile, SnapshotImport, SnapshotRefusal,
    WorldReading, WorldSnapshot,
};
use florin_ports::{
    ClientClaim, CreateWorldCommand, IdempotencyClaim, ImportSnapshotCommand, RenewCommand, RestoreCommand,
    SnapshotCommand, SnapshotFiles, StoreError, Worlds, WriteError, Written,
};
use std::collections::BTreeSet;
use std::convert::Infallible;

#[async_trait]
impl Worlds for Store {
    async fn create(&self, command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>> {
        self.task(move |conn| {
            driver::lock_operators(conn)?;
            create::create(conn, &command)
        })
        .await
    }

    async fn find(&self, account: &AccountId) -> Result<Option<SandboxWorld>, StoreError> {
        let account = account.clone();
        self.read(move |conn| rows::find(conn, &account)).await
    }

    async fn list(
        &self,
        client: ClientId,
        only: Option<BTreeSet<AccountId>>,
        page: PageRequest,
    ) -> Result<Page<SandboxWorld>, StoreError> {
        self.read_in_one_transaction(move |conn| rows::list(conn, client, only.as_ref(), page)).await
    }

    async fn renew(&self, command: RenewCommand) -> Result<Written<WorldReading>, WriteError<Infallible>> {
        self.task(move |conn| {
            driver::lock_operators(conn)?;
            under_claim(conn, Footprint::default(), command.claim.as_ref(), |conn, _| {
                let world = rows::find(conn, &command.account)?.ok_or(WriteError::Absent)?;
                let expires_at = ask(|| (command.decide)(&world))?;
                rows::set_expiry(conn, &command.account, expires_at)?;
                Ok(WorldReading { world: SandboxWorld { expires_at, ..world }, real: command.real })
            })
        })
        .await
    }

    async fn delete(&self, account: &AccountId) -> Result<bool, StoreError> {
        let account = account.clone();
        self.write(move |conn| {
            driver::lock_operators(conn)?;
            delete::delete(conn, &account)
        })
        .await
    }

    async fn delete_expired(&self, real: DateTime<Utc>, max: u32) -> Result<Vec<AccountId>, StoreError> {
        self.write(move |conn| {
            driver::lock_operators(conn)?;
            let expired = rows::expired(conn, real, max)?;
            for account in &expired {
                delete::delete(conn, account)?;
            }
            Ok(expired)
        })
        .await
    }

    async fn take_snapshot(
        &self,
        command: SnapshotCommand,
    ) -> Result<Written<WorldSnapshot>, WriteError<SnapshotRefusal>> {
        self.task(move |conn| {
            driver::lock_operators(conn)?;
            snapshots::take(conn, &command)
        })
        .await
    }

    async fn snapshots(&self, account: &AccountId, page: PageRequest) -> Result<Page<WorldSnapshot>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| snapshots::list(conn, &account, page)).await
    }

    async fn delete_snapshot(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
        claim: Option<IdempotencyClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>> {
        let account = account.clone();
        self.task(move |conn| {
            under_claim(conn, Footprint::default(), claim.as_ref(), |conn, _| {
                if snapshots::delete(conn, &account, snapshot)? { Ok(()) } else { Err(WriteError::Absent.into()) }
            })
        })
        .await
    }

    async fn restore(&self, command: RestoreCommand) -> Result<Written<WorldReading>, WriteError<SnapshotRefusal>> {
        // Deliveries of undone events are cancelled, so they must be queued.
        webhooks::fan_out(self).await?;
        self.task(move |conn| {
            driver::lock_operators(conn)?;
            snapshots::restore(conn, &command)
        })
        .await
    }
}

#[async_trait]
impl SnapshotFiles for Store {
    async fn snapshot_file(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
    ) -> Result<Option<SnapshotFile>, StoreError> {
        let account = account.clone();
        self.read(move |conn| files::export(conn, &account, snapshot)).await
    }

    async fn import_snapshot(
        &self,
        command: ImportSnapshotCommand,
    ) -> Result<Written<SnapshotImport>, WriteError<ImportRefusal>> {
        self.task_with_rollback(move |conn| {
            driver::lock_operators(conn)?;
            files::import(conn, &command)
        })
        .await
    }

    async fn imported_snapshots(
        &self,
        client: ClientId,
        page: PageRequest,
    ) -> Result<Page<ImportedSnapshot>, StoreError> {
        self.read_in_one_transaction(move |conn| files::list(conn, client, page)).await
    }

    async fn delete_imported_snapshot(
        &self,
        client: ClientId,
        snapshot: SnapshotId,
        claim: Option<ClientClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>> {
        self.task(move |conn| {
            driver::lock_operators(conn)?;
            files::delete(conn, (client, snapshot), claim.as_ref())
        })
        .await
    }

    async fn delete_expired_imports(&self, real: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        self.write(move |conn| files::delete_expired(conn, real, max)).await
    }
}
