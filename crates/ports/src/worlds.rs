//! Worlds: accounts that are created, snapshotted, restored and deleted as a whole.

use crate::{Decide, IdempotencyClaim, SeedAccount, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::{ApiKey, KeyHash};
use florin_domain::checkout::PageTokenHash;
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::secret::{SealedSecret, SecretOwner};
use florin_domain::world::{
    CreateSituation, CreateWorldRefusal, CreationClaim, RestoreSituation, SandboxWorld, SnapshotName, SnapshotRefusal,
    SnapshotSituation, Timeline, WorldReading, WorldSnapshot,
};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use uuid::Uuid;

/// The contents of a new world.
#[derive(Clone, Debug)]
pub enum WorldContents {
    /// The data of an account. The timeline of this account becomes the timeline of the world.
    Seeded(Box<SeedAccount>),
    /// The contents of a snapshot: one of a world in `reach`, or an imported one.
    Snapshot {
        /// The id of the snapshot.
        id: SnapshotId,
        /// The worlds that the caller's key grants access to. `None`: all worlds of the client.
        reach: Option<BTreeSet<AccountId>>,
        /// The name of the new account.
        name: String,
        /// The timeline of the new world. If it has a seed, its clock is frozen at the time of the snapshot.
        timeline: Timeline,
    },
}

/// A function that encrypts the secret of one record again for another record. Its parameters are the record that has
/// the secret, the record that receives it, and the secret.
pub type Reseal =
    Arc<dyn Fn(&SecretOwner, &SecretOwner, &SealedSecret) -> Result<SealedSecret, StoreError> + Send + Sync>;

/// A function from an account and the id of a session or refund to the hash of its page token.
pub type PageTokens = Arc<dyn Fn(&AccountId, Uuid) -> PageTokenHash + Send + Sync>;

/// A command to create a world.
pub struct CreateWorldCommand {
    /// The world. If it is created from a snapshot, it uses the clock of the snapshot.
    pub world: SandboxWorld,
    /// Its contents.
    pub contents: WorldContents,
    /// Its key.
    pub key: ApiKey,
    /// The hash of the key.
    pub hash: KeyHash,
    /// Encrypts secrets of the snapshot's world for the new one.
    pub reseal: Reseal,
    /// Creates the page tokens of the snapshot's sessions and refunds in the new world.
    pub page_tokens: PageTokens,
    /// The idempotency key of the request, if the caller sent one.
    pub claim: Option<CreationClaim>,
    /// The rule. It returns whether to delete an existing world first.
    pub decide: Decide<CreateSituation, Result<bool, CreateWorldRefusal>>,
}

/// A command to create a snapshot.
pub struct SnapshotCommand {
    /// The world.
    pub account: AccountId,
    /// The id of the snapshot.
    pub id: SnapshotId,
    /// The name that the caller gave to the snapshot.
    pub name: Option<SnapshotName>,
    /// The current time of the world.
    pub now: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<SnapshotSituation, Result<(), SnapshotRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<WorldSnapshot>>,
}

/// A command to restore a world.
pub struct RestoreCommand {
    /// The world.
    pub account: AccountId,
    /// The snapshot.
    pub snapshot: SnapshotId,
    /// The current real time. A running clock continues from the time of the snapshot.
    pub real: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<RestoreSituation, Result<(), SnapshotRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<WorldReading>>,
}

/// A command to renew a world.
pub struct RenewCommand {
    /// The world.
    pub account: AccountId,
    /// The current real time.
    pub real: DateTime<Utc>,
    /// The rule. It returns the new time at which the world expires.
    pub decide: Decide<SandboxWorld, DateTime<Utc>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<WorldReading>>,
}

/// Stores worlds. Each call is one transaction.
///
/// Accounts that were not created as worlds are absent here, and no call changes them.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Worlds: Send + Sync {
    /// Creates a world with its account and key. `Absent`: no such snapshot.
    async fn create(&self, command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>>;

    /// Returns the world of an account. `None`: the account is not a world.
    async fn find(&self, account: &AccountId) -> Result<Option<SandboxWorld>, StoreError>;

    /// Lists the worlds of a client, newest first, then by account. `only` restricts the list to these accounts.
    async fn list(
        &self,
        client: ClientId,
        only: Option<BTreeSet<AccountId>>,
        page: PageRequest,
    ) -> Result<Page<SandboxWorld>, StoreError>;

    /// Changes when a world expires. `Absent`: no such world.
    async fn renew(&self, command: RenewCommand) -> Result<Written<WorldReading>, WriteError<Infallible>>;

    /// Deletes a world with all its data, its snapshots and its keys, and returns whether it existed. A key that also
    /// lists other accounts is kept, without the account of the world.
    async fn delete(&self, account: &AccountId) -> Result<bool, StoreError>;

    /// Deletes expired worlds, longest expired first, at most `max`, and returns their accounts.
    async fn delete_expired(&self, real: DateTime<Utc>, max: u32) -> Result<Vec<AccountId>, StoreError>;

    /// Creates a snapshot of all contents of a world, including the clock, the counter of its ids and the idempotency
    /// records, but not keys, secrets and snapshots. A world that is restored to the snapshot or created from it uses
    /// the current secret of the snapshot's world. If there is none, the TOTP enrolment is not restored. `Absent`: no
    /// such world.
    async fn take_snapshot(
        &self,
        command: SnapshotCommand,
    ) -> Result<Written<WorldSnapshot>, WriteError<SnapshotRefusal>>;

    /// Lists the snapshots of a world, by id.
    async fn snapshots(&self, account: &AccountId, page: PageRequest) -> Result<Page<WorldSnapshot>, StoreError>;

    /// Deletes a snapshot. `Absent`: no such snapshot of that world.
    async fn delete_snapshot(
        &self,
        account: &AccountId,
        snapshot: SnapshotId,
        claim: Option<IdempotencyClaim<()>>,
    ) -> Result<Written<()>, WriteError<Infallible>>;

    /// Restores a world to a snapshot: removes later objects, resets changed ones, and begins a new epoch of the
    /// account. `Absent`: no such snapshot of that world.
    async fn restore(&self, command: RestoreCommand) -> Result<Written<WorldReading>, WriteError<SnapshotRefusal>>;
}
