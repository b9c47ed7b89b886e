//! Checks that worlds are created and deleted whole, without effect on other accounts.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim, purchase};
use crate::expect::{absent, expect_new, expect_some, refused, replayed, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right};
use crate::seed_data::{Who, noon, uuid};
use crate::worlds::{command, empty, restore, seed_all_but_my_account, snapshot, world, world_key};
use chrono::TimeDelta;
use florin_domain::access::{AccountGrant, ApiKey, KeyHash};
use florin_domain::ids::{AccountId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{
    ClockSetting, CreateWorldRefusal, CreationClaim, SandboxWorld, Timeline, WorldReading, WorldSeed,
    decide_create_world,
};
use florin_ports::{CreateWorldCommand, RenewCommand, WorldContents};
use std::sync::Arc;

checks! {
    "worlds.create.stores_the_complete_world" (Sandbox) => stores_the_complete_world,
    "worlds.create.refusal_changes_nothing" (Sandbox) => refusal_changes_nothing,
    "worlds.create.creates_one_world_under_a_key" (Sandbox) => creates_one_world_under_a_key,
    "worlds.create.replaces_the_existing_world" (Sandbox) => replaces_the_existing_world,
    "worlds.create.deletes_the_keys_of_the_replaced_world" (Sandbox) => creation_deletes_the_keys_of_the_replaced_world,
    "worlds.create.is_shown_the_clients_own_worlds" (Sandbox) => own_worlds,
    "worlds.list.of_the_client_newest_first" (Sandbox) => list_of_the_client_newest_first,
    "worlds.delete.deletes_the_whole_world_and_nothing_else" (Sandbox) => deletes_the_whole_world_and_nothing_else,
    "worlds.delete.an_account_of_another_kind_is_no_world" (Sandbox) => an_account_of_another_kind_is_no_world,
    "worlds.delete.keys_of_other_accounts_stay" (Sandbox) => keys_of_other_accounts_stay,
    "worlds.delete_expired.longest_expired_first" (Sandbox) => delete_expired_longest_expired_first,
    "worlds.renew.moves_the_expiry_of_one_world" (Sandbox) => moves_the_expiry_of_one_world,
}

async fn stores_the_complete_world(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let clock = ClockSetting::Frozen { at: noon() };
    let mine = Who::Main.account()?;
    same("the world", handle.worlds.create(command()?).await?, world(&mine, clock)?)?;
    same("the world", handle.worlds.find(&mine).await?, Some(world(&mine, clock)?))?;
    let account = expect_some("the account", handle.accounts.find(&mine).await?)?;
    same("its timeline", account.timeline, Timeline { clock, seed: Some(WorldSeed([1; 32])) })?;
    let caller = expect_some("the caller", handle.callers.find(&KeyHash([101; 32])).await?)?;
    same("the key", caller.key, world_key(101, &mine)?.0.into())?;
    same("the number of cards", handle.seeding.cards(&mine).await?.len(), 3)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    handle.worlds.create(empty("W1", 102)?).await?;
    let empty = AccountId::parse("W1")?;
    same("the budgets of an empty world", handle.seeding.budgets(&empty).await?.len(), 1)?;
    same("the next identifier number", handle.timelines.next_number(&empty).await?, 1)?;
    books_are_right(&handle).await
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let mut refusing = command()?;
    refusing.decide = Arc::new(|_| Err(CreateWorldRefusal::TooMany));
    same("the refusal", refused(handle.worlds.create(refusing).await)?, CreateWorldRefusal::TooMany)?;
    let mut from_nothing = command()?;
    let (id, reach) = (SnapshotId(uuid(91, 1)), None);
    let timeline = Timeline::default();
    from_nothing.contents = WorldContents::Snapshot { id, reach, name: "copy".into(), timeline };
    absent("an unknown snapshot", &handle.worlds.create(from_nothing).await)?;
    before.still_holds("worlds that were refused", &handle).await?;
    // The duplicate key hash makes the command fail half-way.
    let mut taken = command()?;
    taken.hash = Who::Other.key_hash();
    crate::expect::store_failed(handle.worlds.create(taken).await)?;
    before.still_holds("a world that failed half-way", &handle).await
}

async fn creates_one_world_under_a_key(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let claimed = |command: CreateWorldCommand, request: &str| {
        let claim = CreationClaim { key: "k".into(), request: request.repeat(64) };
        let compared = claim.clone();
        let decide = Arc::new(move |situation: &_| decide_create_world(situation, false, Some(&compared)));
        CreateWorldCommand { claim: Some(claim), decide, ..command }
    };
    handle.worlds.create(claimed(empty("W1", 102)?, "a")).await?;
    let again = handle.worlds.create(claimed(empty("W2", 103)?, "a")).await;
    same("the same request", refused(again)?, CreateWorldRefusal::CreatedBefore(AccountId::parse("W1")?))?;
    let other = handle.worlds.create(claimed(empty("W2", 103)?, "b")).await;
    same("another request", refused(other)?, CreateWorldRefusal::OtherRequest)?;
    // The key belongs to the client, and becomes free when its world is deleted.
    let mut others = claimed(empty("W3", 104)?, "a");
    others.world.client = Who::Other.client();
    others.key.client = Who::Other.client();
    if let WorldContents::Seeded(seed) = &mut others.contents {
        seed.account.client = Who::Other.client();
    }
    handle.worlds.create(others).await?;
    same("whether the world was deleted", handle.worlds.delete(&AccountId::parse("W1")?).await?, true)?;
    handle.worlds.create(claimed(empty("W2", 103)?, "b")).await?;
    Ok(())
}

async fn moves_the_expiry_of_one_world(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let (mine, other) = (Who::Main.account()?, AccountId::parse("W1")?);
    handle.worlds.create(command()?).await?;
    handle.worlds.create(empty("W1", 102)?).await?;
    let before = expect_some("the other world", handle.worlds.find(&other).await?)?;
    let later = noon() + TimeDelta::hours(48);
    let renew = |account: &AccountId, key: &str| -> Result<RenewCommand, Failure> {
        Ok(RenewCommand {
            account: account.clone(),
            real: noon() + TimeDelta::hours(5),
            decide: Arc::new(move |world| world.expires_at + TimeDelta::hours(24)),
            claim: Some(claim(Who::Main, key, "{}")?),
        })
    };
    let renewed = expect_new(handle.worlds.renew(renew(&mine, "k")?).await)?;
    let reading = expect_some("the renewed world", handle.worlds.find(&mine).await?)?;
    same("the expiry", reading.expires_at, later)?;
    same("the answer", renewed, WorldReading { world: reading.clone(), real: noon() + TimeDelta::hours(5) })?;
    replayed(handle.worlds.renew(renew(&mine, "k")?).await)?;
    same("the world after a repeat", handle.worlds.find(&mine).await?, Some(reading))?;
    same("the other world", handle.worlds.find(&other).await?, Some(before))?;
    let no_world = Who::Other.account()?;
    absent("an account that is no world", &handle.worlds.renew(renew(&no_world, "other")?).await)
}

async fn own_worlds(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    for (number, client) in (0_u8..).zip([Who::Main, Who::Other, Who::Main, Who::Other, Who::Other]) {
        let mut command = empty(&format!("W{number}"), 110 + number)?;
        command.world.client = client.client();
        command.key.client = client.client();
        if let WorldContents::Seeded(seed) = &mut command.contents {
            seed.account.client = client.client();
        }
        // Number of existing worlds of the client.
        let expected = [0, 0, 1, 1, 2][usize::from(number)];
        command.decide = Arc::new(move |situation| {
            if situation.worlds == expected && !situation.exists { Ok(false) } else { Err(CreateWorldRefusal::TooMany) }
        });
        handle.worlds.create(command).await?;
    }
    Ok(())
}

async fn replaces_the_existing_world(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let fresh_world = Observation::take(&handle, 2).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    same("the next identifier number", handle.timelines.next_number(&Who::Main.account()?).await?, 1)?;
    same("a second creation", refused(handle.worlds.create(command()?).await)?, CreateWorldRefusal::Exists)?;
    let mut again = command()?;
    again.decide = Arc::new(|situation| decide_create_world(situation, true, None));
    handle.worlds.create(again).await?;
    fresh_world.still_holds("a world that replaced another one", &handle).await?;
    same("the next identifier number", handle.timelines.next_number(&Who::Main.account()?).await?, 1)
}

async fn creation_deletes_the_keys_of_the_replaced_world(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let (mine, other) = (Who::Main.account()?, AccountId::parse("W1")?);
    handle.worlds.create(command()?).await?;
    handle.worlds.create(empty("W1", 102)?).await?;
    let (both, both_hash) = world_key(104, &mine)?;
    let both = ApiKey { accounts: AccountGrant::Only([mine.clone(), other.clone()].into()), ..both };
    handle.registry.add_key(both.clone(), both_hash).await?;
    let old = KeyHash([101; 32]);
    expect_some("the old key", handle.callers.find(&old).await?)?;
    let (key, hash) = world_key(106, &mine)?;
    let decide = Arc::new(|situation: &_| decide_create_world(situation, true, None));
    handle.worlds.create(CreateWorldCommand { key: key.clone(), hash, decide, ..command()? }).await?;
    same("the old key", handle.callers.find(&old).await?, None)?;
    same("the new key", expect_some("the new key", handle.callers.find(&hash).await?)?.key, key.into())?;
    let left = expect_some("the key of both", handle.callers.find(&both_hash).await?)?.key;
    same("the key of both", left, ApiKey { accounts: AccountGrant::Only([other].into()), ..both }.into())
}

async fn list_of_the_client_newest_first(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    for (place, id) in (0_u8..).zip(["W2", "W1", "W4", "W3"]) {
        let mut command = empty(id, 110 + place)?;
        command.world.created_at = noon() + TimeDelta::seconds(i64::from(place / 2));
        handle.worlds.create(command).await?;
    }
    let list = |client, only: Option<&[&str]>, limit, offset| {
        let only = only.map(|only| only.iter().filter_map(|id| AccountId::parse(id).ok()).collect());
        handle.worlds.list(client, only, PageRequest { limit, offset })
    };
    let ids = |page: Page<SandboxWorld>| {
        (page.count, page.rows.iter().map(|world| world.account.to_string()).collect::<Vec<_>>().join(" "))
    };
    let mine = Who::Main.client();
    same("all worlds", ids(list(mine, None, 10, 0).await?), (4, "W3 W4 W1 W2".into()))?;
    same("a page of worlds", ids(list(mine, None, 2, 1).await?), (4, "W4 W1".into()))?;
    same("some of the worlds", ids(list(mine, Some(&["W2", "W3", "W9"]), 10, 0).await?), (2, "W3 W2".into()))?;
    same("the worlds of the other client", ids(list(Who::Other.client(), None, 10, 0).await?), (0, String::new()))
}

async fn deletes_the_whole_world_and_nothing_else(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let before = Observation::take(&handle, 2).await?;
    handle.worlds.create(command()?).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let mine = Who::Main.account()?;
    same("whether the world was deleted", handle.worlds.delete(&mine).await?, true)?;
    before.still_holds("a world that was created and deleted", &handle).await?;
    same("the world", handle.worlds.find(&mine).await?, None)?;
    same("the key of the deleted world", handle.callers.find(&KeyHash([101; 32])).await?, None)?;
    same("whether the world was deleted", handle.worlds.delete(&mine).await?, false)?;
    handle.worlds.create(command()?).await?;
    same("the number of snapshots", handle.worlds.snapshots(&mine, PageRequest::default()).await?.count, 0)
}

async fn an_account_of_another_kind_is_no_world(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let other = Who::Other.account()?;
    same("the world", handle.worlds.find(&other).await?, None)?;
    same("whether it was deleted", handle.worlds.delete(&other).await?, false)?;
    same("whether it was deleted", handle.worlds.delete(&AccountId::parse("F404")?).await?, false)?;
    let mut command = snapshot(1)?;
    command.account = other.clone();
    absent("a snapshot of no world", &handle.worlds.take_snapshot(command).await)?;
    let mut command = restore(1)?;
    command.account = other;
    absent("a restore of no world", &handle.worlds.restore(command).await)?;
    before.still_holds("the commands for worlds", &handle).await
}

async fn keys_of_other_accounts_stay(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(empty("W1", 102)?).await?;
    handle.worlds.create(empty("W2", 103)?).await?;
    let (one, two) = (AccountId::parse("W1")?, AccountId::parse("W2")?);
    let (both, hash) = world_key(104, &one)?;
    let both = ApiKey { accounts: AccountGrant::Only([one.clone(), two.clone()].into()), ..both };
    handle.registry.add_key(both.clone(), hash).await?;
    let (every, every_hash) = world_key(105, &one)?;
    handle.registry.add_key(ApiKey { accounts: AccountGrant::AllOfClient, ..every }, every_hash).await?;
    same("whether the world was deleted", handle.worlds.delete(&one).await?, true)?;
    let left = expect_some("the key of both", handle.callers.find(&hash).await?)?.key;
    same("the key of both", left, ApiKey { accounts: AccountGrant::Only([two].into()), ..both }.into())?;
    expect_some("the key of the client", handle.callers.find(&every_hash).await?)?;
    same("the key of the deleted world", handle.callers.find(&KeyHash([102; 32])).await?, None)
}

async fn delete_expired_longest_expired_first(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    for (place, (id, hours)) in (0_u8..).zip([("W1", 3), ("W2", 1), ("W3", 2), ("W4", 9)]) {
        let mut command = empty(id, 110 + place)?;
        command.world.expires_at = noon() + TimeDelta::hours(hours);
        handle.worlds.create(command).await?;
    }
    let later = noon() + TimeDelta::hours(3);
    let ids = |gone: Vec<AccountId>| gone.iter().map(AccountId::to_string).collect::<Vec<_>>().join(" ");
    same("before any world has expired", ids(handle.worlds.delete_expired(noon(), 10).await?), String::new())?;
    same("the two that expired first", ids(handle.worlds.delete_expired(later, 2).await?), "W2 W3".to_owned())?;
    same("the last expired world", ids(handle.worlds.delete_expired(later, 2).await?), "W1".to_owned())?;
    same(
        "the number of remaining worlds",
        handle.worlds.list(Who::Main.client(), None, PageRequest::default()).await?.count,
        1,
    )
}
