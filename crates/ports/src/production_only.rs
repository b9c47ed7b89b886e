//! Stores without a sandbox.

use crate::{
    AcceptedPayment, AccountTimeline, ClientClaim, ClockCommand, CreateWorldCommand, DueHold, IdempotencyClaim,
    ImportSnapshotCommand, RenewCommand, RestoreCommand, SandboxBankStorage, SeedData, Seeding, SnapshotCommand,
    SnapshotFiles, StoreError, Timelines, Worlds, WriteError, Written,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::batch::PaymentBatch;
use florin_domain::budget::Budget;
use florin_domain::card::Card;
use florin_domain::ids::{AccountId, ClientId, PaymentId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{
    ClockReading, ClockRefusal, CreateWorldRefusal, ImportRefusal, ImportedSnapshot, SandboxWorld, SnapshotFile,
    SnapshotImport, SnapshotRefusal, WorldReading, WorldSnapshot,
};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// Marker trait for stores that support production only. It implements all ports of [`crate::SandboxStorage`]: lookups
/// find nothing and deletions delete nothing, except that the lookups of budgets, cards and batches of [`Seeding`]
/// fail. All other operations fail.
pub trait ProductionOnly: Send + Sync {}

/// The error of operations that only a sandbox has. No use case calls them in production.
fn no_sandbox() -> StoreError {
    StoreError::Corrupt("this store supports production only".into())
}

#[async_trait]
impl<S: ProductionOnly> Timelines for S {
    async fn set_clock(&self, _command: ClockCommand) -> Result<Written<ClockReading>, WriteError<ClockRefusal>> {
        Err(no_sandbox().into())
    }

    async fn next_number(&self, _account: &AccountId) -> Result<u64, StoreError> {
        Err(no_sandbox())
    }

    async fn accounts_with_timeline(&self) -> Result<Vec<AccountTimeline>, StoreError> {
        Ok(Vec::new())
    }

    async fn due_holds(
        &self,
        _account: &AccountId,
        _now: DateTime<Utc>,
        _max: u32,
    ) -> Result<Vec<DueHold>, StoreError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl<S: ProductionOnly> Worlds for S {
    async fn create(&self, _command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>> {
        Err(no_sandbox().into())
    }

    async fn find(&self, _account: &AccountId) -> Result<Option<SandboxWorld>, StoreError> {
        Ok(None)
    }

    async fn list(
        &self,
        _client: ClientId,
        _only: Option<BTreeSet<AccountId>>,
        _page: PageRequest,
    ) -> Result<Page<SandboxWorld>, StoreError> {
        Ok(Page { count: 0, rows: Vec::new() })
    }

    async fn delete(&self, _account: &AccountId) -> Result<bool, StoreError> {
        Ok(false)
    }

    async fn delete_expired(&self, _real: DateTime<Utc>, _max: u32) -> Result<Vec<AccountId>, StoreError> {
        Ok(Vec::new())
    }

    async fn take_snapshot(
        &self,
        _command: SnapshotCommand,
    ) -> Result<Written<WorldSnapshot>, WriteError<SnapshotRefusal>> {
        Err(WriteError::Absent)
    }

    async fn snapshots(&self, _account: &AccountId, _page: PageRequest) -> Result<Page<WorldSnapshot>, StoreError> {
        Ok(Page { count: 0, rows: Vec::new() })
    }

    async fn delete_snapshot(
        &self,
        _account: &AccountId,
        _snapshot: SnapshotId,
        _claim: Option<IdempotencyClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>> {
        Err(WriteError::Absent)
    }

    async fn renew(&self, _command: RenewCommand) -> Result<Written<WorldReading>, WriteError<Infallible>> {
        Err(WriteError::Absent)
    }

    async fn restore(&self, _command: RestoreCommand) -> Result<Written<WorldReading>, WriteError<SnapshotRefusal>> {
        Err(WriteError::Absent)
    }
}

#[async_trait]
impl<S: ProductionOnly> SnapshotFiles for S {
    async fn snapshot_file(
        &self,
        _account: &AccountId,
        _snapshot: SnapshotId,
    ) -> Result<Option<SnapshotFile>, StoreError> {
        Ok(None)
    }

    async fn import_snapshot(
        &self,
        _command: ImportSnapshotCommand,
    ) -> Result<Written<SnapshotImport>, WriteError<ImportRefusal>> {
        Err(no_sandbox().into())
    }

    async fn imported_snapshots(
        &self,
        _client: ClientId,
        _page: PageRequest,
    ) -> Result<Page<ImportedSnapshot>, StoreError> {
        Ok(Page { count: 0, rows: Vec::new() })
    }

    async fn delete_imported_snapshot(
        &self,
        _client: ClientId,
        _snapshot: SnapshotId,
        _claim: Option<ClientClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>> {
        Err(WriteError::Absent)
    }

    async fn delete_expired_imports(&self, _real: DateTime<Utc>, _max: u32) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[async_trait]
impl<S: ProductionOnly> Seeding for S {
    async fn is_fresh(&self) -> Result<bool, StoreError> {
        Ok(false)
    }

    async fn seed(&self, _data: SeedData) -> Result<(), StoreError> {
        Err(no_sandbox())
    }

    async fn budgets(&self, _account: &AccountId) -> Result<Vec<Budget>, StoreError> {
        Err(no_sandbox())
    }

    async fn cards(&self, _account: &AccountId) -> Result<Vec<Card>, StoreError> {
        Err(no_sandbox())
    }

    async fn batches(&self, _account: &AccountId) -> Result<Vec<PaymentBatch>, StoreError> {
        Err(no_sandbox())
    }
}

#[async_trait]
impl<S: ProductionOnly> SandboxBankStorage for S {
    async fn accept(&self, _account: &AccountId, _payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError> {
        Err(no_sandbox())
    }

    async fn find(&self, _account: &AccountId, _payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SandboxStorage;

    struct Production;

    impl ProductionOnly for Production {}

    fn is_sandbox_storage(_: &impl SandboxStorage) {}

    #[tokio::test]
    async fn the_marker_trait_implements_all_sandbox_ports() {
        is_sandbox_storage(&Production);
        assert_eq!(Production.accounts_with_timeline().await, Ok(Vec::new()));
        assert!(matches!(Production.seed(SeedData::default()).await, Err(StoreError::Corrupt(_))));
    }
}
