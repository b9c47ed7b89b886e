//! Worlds: accounts that are created, saved, restored and deleted whole.

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

/// The contents of a new world.
#[derive(Clone, Debug)]
pub enum WorldContents {
    /// This account with everything in it. Its timeline is that of the world.
    Seeded(Box<SeedAccount>),
    /// The contents of a snapshot of one of the client's worlds.
    Snapshot {
        /// The snapshot.
        id: SnapshotId,
        /// The worlds that the caller's key may reach; `None`: all of the client.
        reach: Option<BTreeSet<AccountId>>,
        /// The name of the account.
        name: String,
        /// The timeline of the new world. With a seed, its clock is frozen at the time of the snapshot.
        timeline: Timeline,
    },
}

/// Creates a world.
pub struct CreateWorldCommand {
    /// The world. If it is created from a snapshot, its clock is that of the snapshot.
    pub world: SandboxWorld,
    /// Its contents.
    pub contents: WorldContents,
    /// Its key.
    pub key: ApiKey,
    /// The hash of the key.
    pub hash: KeyHash,
    /// The idempotency key of the request.
    pub under: Option<MadeUnder>,
    /// The rule. `true`: delete the existing world first.
    pub decide: Decide<CreateSituation, Result<bool, CreateWorldRefusal>>,
}

/// Takes a snapshot of a world.
pub struct SnapshotCommand {
    /// The world.
    pub account: AccountId,
    /// The id of the snapshot.
    pub id: SnapshotId,
    /// Its name.
    pub name: Option<SnapshotName>,
    /// The current time of the world.
    pub now: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<SnapshotSituation, Result<(), SnapshotRefusal>>,
    /// The idempotency claim.
    pub repeat: Option<RepeatClaim<WorldSnapshot>>,
}

/// Restores a world to a snapshot.
pub struct RestoreCommand {
    /// The world.
    pub account: AccountId,
    /// The snapshot.
    pub snapshot: SnapshotId,
    /// The current real time. A running clock continues from the time of the snapshot.
    pub real: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<RestoreSituation, Result<(), SnapshotRefusal>>,
    /// The idempotency claim.
    pub repeat: Option<RepeatClaim<RestoredWorld>>,
}

/// Stores worlds. Each call is one transaction.
///
/// Accounts that were not created as worlds are absent here, and no call changes them.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Worlds: Send + Sync {
    /// Creates a world with its account and key. `Absent`: no such snapshot.
    async fn create(&self, command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>>;

    /// Returns the world with this account.
    async fn find(&self, account: &AccountId) -> Result<Option<SandboxWorld>, StoreError>;

    /// Returns the worlds of a client, the newest first, then by account; with `only`, those among them.
    async fn list(
        &self,
        client: ClientId,
        only: Option<BTreeSet<AccountId>>,
        page: PageRequest,
    ) -> Result<Page<SandboxWorld>, StoreError>;

    /// Deletes a world with everything in it, its snapshots and its keys, and returns whether it existed. Keys that list other
    /// accounts too lose only the entry.
    async fn delete(&self, account: &AccountId) -> Result<bool, StoreError>;

    /// Deletes expired worlds, the longest expired first, at most `max`, and returns their accounts.
    async fn delete_expired(&self, real: DateTime<Utc>, max: u32) -> Result<Vec<AccountId>, StoreError>;

    /// Saves everything in a world, including its clock, its number of ids and its idempotency records, but no keys and no snapshots.
    /// `Absent`: no such world.
    async fn take_snapshot(
        &self,
        command: SnapshotCommand,
    ) -> Result<Written<WorldSnapshot>, WriteError<SnapshotRefusal>>;

    /// Returns the snapshots of a world, by id.
    async fn snapshots(&self, account: &AccountId, page: PageRequest) -> Result<Page<WorldSnapshot>, StoreError>;

    /// Deletes a snapshot. `Absent`: no such snapshot of that world.
    async fn delete_snapshot(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
        repeat: Option<RepeatClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>>;

    /// Restores a world: what was created since is gone, and what was changed is as before. `Absent`: no such
    /// snapshot of that world.
    async fn restore(&self, command: RestoreCommand) -> Result<Written<RestoredWorld>, WriteError<SnapshotRefusal>>;
}
