//! Commands on worlds, with the records that they use.

use crate::check::{CheckResult, Failure};
use crate::checkout_sessions::page_token;
use crate::factory::Handle;
use crate::seed_data::{Who, bank, client, key, noon, seed_account, uuid};
use chrono::TimeDelta;
use florin_domain::access::{AccountGrant, ApiKey, KeyHash};
use florin_domain::ids::{AccountId, ApiKeyId, SnapshotId};
use florin_domain::text::Text;
use florin_domain::world::{
    ClockSetting, SandboxWorld, Timeline, WorldSeed, WorldTemplate, decide_create_world, decide_restore,
    decide_snapshot,
};
use florin_ports::{CreateWorldCommand, RestoreCommand, SeedData, SeedKey, SnapshotCommand, WorldContents};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Seeds both clients and the other account. My account is empty, because it becomes a world.
pub(crate) async fn seed_all_but_my_account(handle: &Handle) -> CheckResult {
    let clients = [Who::Main, Who::Other].map(|who| client(who.client(), &format!("client {}", who.number())));
    let accounts = vec![seed_account(Who::Other, 9_500)?];
    let keys = vec![SeedKey { key: key(Who::Other)?, hash: Who::Other.key_hash() }];
    let banks = vec![bank(1, "First")?, bank(2, "Second")?];
    Ok(handle.seeding.seed(SeedData { clients: clients.into(), keys, accounts, banks }).await?)
}

/// Builds the record of a world.
pub(crate) fn world(account: &AccountId, clock: ClockSetting) -> Result<SandboxWorld, Failure> {
    Ok(SandboxWorld {
        account: account.clone(),
        client: Who::Main.client(),
        template: WorldTemplate::Demo,
        seed: Some(Text::parse("a seed, ünïcode")?),
        created_at: noon(),
        expires_at: noon() + TimeDelta::hours(24),
        clock,
    })
}

/// Creates API key `number` for one account.
pub(crate) fn world_key(number: u8, account: &AccountId) -> Result<(ApiKey, KeyHash), Failure> {
    let id = ApiKeyId(uuid(90, number.into()));
    let accounts = AccountGrant::Only(BTreeSet::from([account.clone()]));
    Ok((ApiKey { id, accounts, ..key(Who::Main)? }, KeyHash([number; 32])))
}

/// Builds a command that creates my account as a world with its clock frozen at noon.
pub(crate) fn command() -> Result<CreateWorldCommand, Failure> {
    let clock = ClockSetting::Frozen { at: noon() };
    let mut seed = seed_account(Who::Main, 9_500)?;
    seed.account.timeline = Timeline { clock, seed: Some(WorldSeed([1; 32])) };
    let account = Who::Main.account()?;
    let (key, hash) = world_key(101, &account)?;
    Ok(CreateWorldCommand {
        world: world(&account, clock)?,
        contents: WorldContents::Seeded(Box::new(seed)),
        key,
        hash,
        reseal: Arc::new(|_, _, secret| Ok(secret.clone())),
        page_tokens: Arc::new(page_token),
        claim: None,
        decide: Arc::new(|situation| decide_create_world(situation, false, None)),
    })
}

/// Builds a command that creates an empty world.
pub(crate) fn empty(id: &str, key_number: u8) -> Result<CreateWorldCommand, Failure> {
    let account = AccountId::parse(id)?;
    let mut seed = seed_account(Who::Main, 9_500)?;
    seed.account.id = account.clone();
    seed.parent.budget.account = account.clone();
    seed.people = vec![];
    (seed.profile, seed.settlement_accounts, seed.payees) = (None, vec![], vec![]);
    (seed.enrolment, seed.checkouts, seed.budgets, seed.cards, seed.batches) = (None, vec![], vec![], vec![], vec![]);
    let (key, hash) = world_key(key_number, &account)?;
    let template = WorldTemplate::Empty;
    let world = SandboxWorld { template, seed: None, ..world(&account, ClockSetting::default())? };
    Ok(CreateWorldCommand { world, contents: WorldContents::Seeded(Box::new(seed)), key, hash, ..command()? })
}

/// Returns the id of a snapshot.
pub(crate) fn id(number: u128) -> SnapshotId {
    SnapshotId(uuid(91, number))
}

/// Builds a command that takes a snapshot of my world at noon.
pub(crate) fn snapshot(number: u128) -> Result<SnapshotCommand, Failure> {
    Ok(SnapshotCommand {
        account: Who::Main.account()?,
        id: id(number),
        name: Some(Text::parse("before")?),
        now: noon(),
        decide: Arc::new(|situation| decide_snapshot(*situation)),
        claim: None,
    })
}

/// Builds a command that restores my world five hours after noon.
pub(crate) fn restore(number: u128) -> Result<RestoreCommand, Failure> {
    Ok(RestoreCommand {
        account: Who::Main.account()?,
        snapshot: id(number),
        real: noon() + TimeDelta::hours(5),
        decide: Arc::new(|situation| decide_restore(*situation)),
        claim: None,
    })
}

/// Builds a command that creates a world from the first snapshot of my world.
pub(crate) fn copy(name: &str, key_number: u8, seed: Option<WorldSeed>) -> Result<CreateWorldCommand, Failure> {
    let account = AccountId::parse(name)?;
    let (key, hash) = world_key(key_number, &account)?;
    let timeline = Timeline { clock: ClockSetting::default(), seed };
    let mut copy = CreateWorldCommand {
        contents: WorldContents::Snapshot { id: id(1), reach: None, name: name.into(), timeline },
        key,
        hash,
        ..command()?
    };
    copy.world.account = account;
    copy.world.template = WorldTemplate::Snapshot;
    Ok(copy)
}
