//! Worlds: accounts that are made, kept, put back and deleted whole.

use crate::{Decide, RepeatClaim, SeedAccount, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::{ApiKey, KeyHash};
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{
    CreateSituation, CreateWorldRefusal, MadeUnder, RestoreSituation, RestoredWorld, SandboxWorld, SnapshotName,
    SnapshotRefusal, SnapshotSituation, Timeline, WorldSnapshot,
};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// What is in a new world.
#[derive(Clone, Debug)]
pub enum WorldContents {
    /// What stands on this account; its timeline is that of the world.
    Seeded(Box<SeedAccount>),
    /// What is in a snapshot of a world of the client that `reach` allows (`None`: of any).
    Snapshot {
        /// The snapshot.
        id: SnapshotId,
        /// The worlds that the caller's key reaches.
        reach: Option<BTreeSet<AccountId>>,
        /// The name of the account.
        name: String,
        /// The seed of the new world: with one, its clock stands still where it was when the snapshot was taken.
        timeline: Timeline,
    },
}

/// A world to be made.
pub struct CreateWorldCommand {
    /// The world; where it is made from a snapshot, its clock is the snapshot's.
    pub world: SandboxWorld,
    /// What is in it.
    pub contents: WorldContents,
    /// Its key.
    pub key: ApiKey,
    /// The hash of that.
    pub hash: KeyHash,
    /// The idempotency key of the request.
    pub under: Option<MadeUnder>,
    /// The rule; true where the world that lives is to be deleted first.
    pub decide: Decide<CreateSituation, Result<bool, CreateWorldRefusal>>,
}

/// A snapshot to be taken.
pub struct SnapshotCommand {
    /// The world.
    pub account: AccountId,
    /// The id of the snapshot.
    pub id: SnapshotId,
    /// What the caller calls it.
    pub name: Option<SnapshotName>,
    /// Now, in the time of the world.
    pub now: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<SnapshotSituation, Result<(), SnapshotRefusal>>,
    /// The idempotency claim.
    pub repeat: Option<RepeatClaim<WorldSnapshot>>,
}

/// A world to be put back.
pub struct RestoreCommand {
    /// The world.
    pub account: AccountId,
    /// The snapshot.
    pub snapshot: SnapshotId,
    /// Now, in real time: a clock that runs goes on from where it was.
    pub real: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<RestoreSituation, Result<(), SnapshotRefusal>>,
    /// The idempotency claim.
    pub repeat: Option<RepeatClaim<RestoredWorld>>,
}

/// Keeps worlds. Each call is one transaction: all of it happens, or nothing.
///
/// Accounts that were not made as worlds are absent here, and nothing here ever changes them.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Worlds: Send + Sync {
    /// Makes a world with its account and key. `Absent`: no such snapshot.
    async fn create(&self, command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>>;

    /// The world that an account is.
    async fn find(&self, account: &AccountId) -> Result<Option<SandboxWorld>, StoreError>;

    /// The worlds of a client, the newest first, then by account; only those listed, where there is a list.
    async fn list(
        &self,
        client: ClientId,
        only: Option<BTreeSet<AccountId>>,
        page: PageRequest,
    ) -> Result<Page<SandboxWorld>, StoreError>;

    /// Deletes a world with all that is in it, its snapshots, and its keys (of keys that list other accounts, too, only the
    /// entry); whether there was one.
    async fn delete(&self, account: &AccountId) -> Result<bool, StoreError>;

    /// Deletes worlds whose time is over, the longest over first, at most `max`; which.
    async fn delete_expired(&self, real: DateTime<Utc>, max: u32) -> Result<Vec<AccountId>, StoreError>;

    /// Keeps all that is in a world: the clock, the number of ids and the idempotency records, too; not keys and snapshots.
    /// `Absent`: no such world.
    async fn take_snapshot(
        &self,
        command: SnapshotCommand,
    ) -> Result<Written<WorldSnapshot>, WriteError<SnapshotRefusal>>;

    /// The snapshots of a world, by id.
    async fn snapshots(&self, account: &AccountId, page: PageRequest) -> Result<Page<WorldSnapshot>, StoreError>;

    /// Deletes a snapshot. `Absent`: no such snapshot of that world.
    async fn delete_snapshot(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
        repeat: Option<RepeatClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>>;

    /// Puts a world back to what it was: what came to be since is gone, and what was changed is as before. `Absent`: no such
    /// snapshot of that world.
    async fn restore(&self, command: RestoreCommand) -> Result<Written<RestoredWorld>, WriteError<SnapshotRefusal>>;
}
