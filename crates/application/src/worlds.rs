//! Creates, snapshots, restores and deletes worlds.

use crate::access::reached_accounts;
use crate::account_clocks::{account_of_world, seed_of};
use crate::{Services, demo, key_hash};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::access::{Account, AccountGrant, ApiKey, Caller};
use florin_domain::ids::{AccountId, ApiKeyId, SnapshotId};
use florin_domain::money::Currency;
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{
    ClockSetting, CreateWorldRefusal, CreationClaim, SandboxWorld, SeedText, SnapshotName, SnapshotRefusal, Timeline,
    WorldReading, WorldSnapshot, WorldTemplate, decide_create_world, decide_renewal, decide_restore, decide_snapshot,
};
use florin_ports::{
    CreateWorldCommand, IdempotencyClaim, RenewCommand, RestoreCommand, SnapshotCommand, StoreError, WorldContents,
    WriteError, Written,
};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use uuid::Uuid;

/// The default time of a seeded world's frozen clock: 2026-01-05T12:00:00Z, a Monday.
const DEFAULT_START: i64 = 1_767_614_400;
/// Maximum number of expired worlds deleted in one transaction.
const PORTION: u32 = 10;

/// A client's request for a world.
#[derive(Clone, Debug)]
pub struct NewWorld {
    /// The initial data of the world.
    pub template: NewWorldTemplate,
    /// The seed of the world's ids. `None`: random ids.
    pub seed: Option<SeedText>,
    /// The time at which the world's clock is frozen. `None`: the default time if the world has a seed; without a seed,
    /// the clock is not frozen.
    pub starts_at: Option<DateTime<Utc>>,
    /// Whether the new world replaces an existing one with the same seed.
    pub replace: bool,
    /// The idempotency key of the request.
    pub claim: Option<CreationClaim>,
}

/// The initial data of a new world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewWorldTemplate {
    /// The demo data.
    Demo,
    /// No data.
    Empty,
    /// A snapshot of a world that the caller has access to, or an imported snapshot.
    Snapshot(SnapshotId),
}

/// A new world, and its key, which is shown once.
#[derive(Debug)]
pub struct CreatedWorld {
    /// The world.
    pub world: SandboxWorld,
    /// The API key of the world.
    pub key: String,
}

/// Returns the account of the world that a new world would replace. `None`: it replaces none, because the request has
/// no seed or does not ask for a replacement.
pub fn replaced_account(caller: &Caller, new: &NewWorld) -> Result<Option<AccountId>, StoreError> {
    let seed = new.seed.as_ref().filter(|_| new.replace).map(|text| seed_of(caller.client.id, text.as_str()));
    seed.map(|seed| account_of_world(Some(seed), Uuid::nil())).transpose()
}

/// Creates a world of the caller's client. The key of the world has the caller's scopes and expiry, and grants access
/// to this world only.
pub async fn create_world(
    services: &Services,
    caller: &Caller,
    new: NewWorld,
) -> Result<CreatedWorld, WriteError<CreateWorldRefusal>> {
    let (real, client) = (services.time.real_now(), caller.client.id);
    let seed = new.seed.as_ref().map(|text| seed_of(client, text.as_str()));
    let id = account_of_world(seed, services.time.real_id())?;
    let frozen = new.starts_at.or_else(|| seed.and_then(|_| DateTime::from_timestamp(DEFAULT_START, 0)));
    let clock = frozen.map_or_else(ClockSetting::default, |at| ClockSetting::Frozen { at });
    let timeline = Timeline { clock, seed };
    let (template, contents) = contents(services, caller, &new, &id, &timeline, real)?;
    let secret = services.keys.new_key(services.environment)?;
    let key = ApiKey {
        id: ApiKeyId(services.time.real_id()),
        client,
        environment: services.environment,
        scopes: caller.key.scopes.clone(),
        accounts: AccountGrant::Only(BTreeSet::from([id.clone()])),
        created_at: real,
        expires_at: caller.key.expires_at,
        revoked_at: None,
        made_by: Some(caller.key.id),
        replaced_by: None,
        last_used_at: None,
    };
    let expires_at = real + services.world_lifetime;
    let world =
        SandboxWorld { account: id.clone(), client, template, seed: new.seed, created_at: real, expires_at, clock };
    let (replace, claim) = (new.replace, new.claim.clone());
    let cipher = Arc::clone(&services.cipher);
    let command = CreateWorldCommand {
        world,
        contents,
        key,
        hash: key_hash(&secret),
        reseal: Arc::new(move |from, to, secret| Ok(cipher.seal(to, &cipher.open(from, secret)?)?)),
        page_tokens: services.page_tokens.hashes(),
        claim: new.claim,
        decide: Arc::new(move |situation| decide_create_world(situation, replace, claim.as_ref())),
    };
    let created = services.worlds.create(command).await;
    services.accounts.forget(&id);
    Ok(CreatedWorld { world: created?, key: secret })
}

fn contents(
    services: &Services,
    caller: &Caller,
    new: &NewWorld,
    id: &AccountId,
    timeline: &Timeline,
    real: DateTime<Utc>,
) -> Result<(WorldTemplate, WorldContents), StoreError> {
    let name = match &new.seed {
        Some(seed) => format!("World {}", seed.as_str()),
        None => format!("World {id}"),
    };
    let account = |name| Account {
        id: id.clone(),
        client: caller.client.id,
        name,
        merchant: true,
        mfa_required: true,
        unique_budget_names: false,
        timeline: timeline.clone(),
        decision_endpoint: None,
        epoch: 0,
    };
    let seeded = |seed| WorldContents::Seeded(Box::new(seed));
    Ok(match new.template {
        NewWorldTemplate::Demo => {
            let secrets = demo::DemoSecrets { cipher: services.cipher.as_ref(), page_tokens: &services.page_tokens };
            let seed = demo::filled(account(name), timeline.clock.now(real), secrets);
            (WorldTemplate::Demo, seeded(seed?))
        }
        NewWorldTemplate::Empty => {
            (WorldTemplate::Empty, seeded(demo::bare(account(name), Currency::all(), timeline.clock.now(real))))
        }
        NewWorldTemplate::Snapshot(id) => {
            let reach = reached_accounts(caller, None);
            let contents = WorldContents::Snapshot { id, reach, name, timeline: timeline.clone() };
            (WorldTemplate::Snapshot, contents)
        }
    })
}

/// Lists the worlds that the caller has access to.
pub async fn list_worlds(
    services: &Services,
    caller: &Caller,
    page: PageRequest,
) -> Result<Page<SandboxWorld>, StoreError> {
    services.worlds.list(caller.client.id, reached_accounts(caller, None), page).await
}

/// Finds the world of an account. `None`: the account is not a world.
pub async fn find_world(services: &Services, account: &Account) -> Result<Option<SandboxWorld>, StoreError> {
    services.worlds.find(&account.id).await
}

/// Extends the lifetime of a world to at least `hours` hours from now, in real time.
pub async fn renew_world(
    services: &Services,
    account: &Account,
    hours: i64,
    claim: Option<IdempotencyClaim<WorldReading>>,
) -> Result<Written<WorldReading>, WriteError<Infallible>> {
    let real = services.time.real_now();
    let decide = Arc::new(move |world: &SandboxWorld| decide_renewal(world.expires_at, hours, real));
    services.worlds.renew(RenewCommand { account: account.id.clone(), real, decide, claim }).await
}

/// Deletes a world, and returns whether it existed.
pub async fn delete_world(services: &Services, account: &Account) -> Result<bool, StoreError> {
    let deleted = services.worlds.delete(&account.id).await;
    services.accounts.forget(&account.id);
    deleted
}

/// Stores a snapshot of a world.
pub async fn take_snapshot(
    services: &Services,
    account: &Account,
    name: Option<SnapshotName>,
    claim: Option<IdempotencyClaim<WorldSnapshot>>,
) -> Result<Written<WorldSnapshot>, WriteError<SnapshotRefusal>> {
    if services.worlds.find(&account.id).await?.is_none() {
        return Err(WriteError::Absent);
    }
    let clock = services.time.clock_of(account).await?;
    let command = SnapshotCommand {
        account: account.id.clone(),
        id: SnapshotId(clock.next_id()),
        name,
        now: clock.now(),
        decide: Arc::new(|situation| decide_snapshot(*situation)),
        claim,
    };
    services.worlds.take_snapshot(command).await
}

/// Restores a world from one of its snapshots.
pub async fn restore_world(
    services: &Services,
    account: &Account,
    snapshot: SnapshotId,
    claim: Option<IdempotencyClaim<WorldReading>>,
) -> Result<Written<WorldReading>, WriteError<SnapshotRefusal>> {
    let command = RestoreCommand {
        account: account.id.clone(),
        snapshot,
        real: services.time.real_now(),
        decide: Arc::new(|situation| decide_restore(*situation)),
        claim,
    };
    let written = services.worlds.restore(command).await;
    services.accounts.forget(&account.id);
    written
}

/// Deletes expired worlds and returns their number.
pub async fn sweep_worlds(services: &Services) -> Result<usize, StoreError> {
    let mut swept = 0;
    loop {
        let gone = services.worlds.delete_expired(services.time.real_now(), PORTION).await?;
        for account in &gone {
            services.accounts.forget(account);
        }
        swept += gone.len();
        if gone.len() < PORTION as usize {
            return Ok(swept);
        }
    }
}

/// The default lifetime of a world.
pub const WORLD_LIFETIME: TimeDelta = TimeDelta::hours(24);
