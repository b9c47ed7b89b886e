//! Checks of snapshots, and of restores to exactly the stored state.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{RIGHT, SANDBOX, answer_of, claim, clearing, confirm, credit, follow_up, open, purchase, token};
use crate::expect::{absent, expect_new, expect_some, expect_true, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right};
use crate::seed_data::{Who, gbp, noon};
use crate::worlds::{command, copy, empty, id, restore, seed_all_but_my_account, snapshot, world};
use chrono::TimeDelta;
use florin_domain::ids::AccountId;
use florin_domain::page::PageRequest;
use florin_domain::world::{
    ClockChange, ClockSetting, SnapshotRefusal, SnapshotSituation, Timeline, WorldSeed, WorldSnapshot,
};
use florin_ports::{FirstMessageCommand, RestoreCommand, SnapshotCommand, WorldContents};
use std::sync::{Arc, Mutex, PoisonError};

checks! {
    "worlds.restore.puts_everything_back" (Sandbox) => puts_everything_back,
    "worlds.restore.begins_another_epoch" (Sandbox) => begins_another_epoch,
    "worlds.restore.a_running_clock_goes_on_from_the_snapshot" (Sandbox) => running_clock,
    "worlds.restore.refusal_changes_nothing" (Sandbox) => refusal_changes_nothing,
    "worlds.restore.replay_gives_the_stored_answer" (Sandbox) => replay_gives_the_stored_answer,
    "worlds.restore.is_for_the_world_of_the_snapshot_only" (Sandbox) => own_snapshots,
    "worlds.take_snapshot.refusal_keeps_nothing" (Sandbox) => refusal_keeps_nothing,
    "worlds.take_snapshot.is_shown_its_bytes" (Sandbox) => take_snapshot_is_shown_its_bytes,
    "worlds.take_snapshot.replay_gives_the_stored_answer" (Sandbox) => snapshot_replays,
    "worlds.snapshots.by_id_until_deleted" (Sandbox) => snapshots_by_id_until_deleted,
    "worlds.create.from_a_snapshot_of_another_world" (Sandbox) => create_from_a_snapshot_of_another_world,
    "worlds.create.from_a_snapshot_within_reach_only" (Sandbox) => create_from_a_snapshot_within_reach_only,
}

/// Sends card messages and a credit, and opens an MFA session. The first id is the one after `base`.
async fn change_my_world(handle: &Handle, base: u128) -> CheckResult {
    expect_new(handle.cards.first_message(purchase(Who::Main, base + 1, "10")?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, base + 2, "3")?).await)?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(base + 2), base + 3, clearing("2", true)?)?).await)?;
    expect_new(handle.credits.credit(credit(Who::Main, base + 4, "7", gbp()?)?).await)?;
    expect_new(handle.mfa.open(open(Who::Main, base + 5, SANDBOX)?).await)?;
    let claim = Some(claim(Who::Main, &format!("key {base}").replace(' ', "-"), "{}")?);
    expect_new(handle.cards.first_message(FirstMessageCommand { claim, ..purchase(Who::Main, base + 6, "1")? }).await)?;
    Ok(())
}

async fn begins_another_epoch(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let (mine, other) = (Who::Main.account()?, Who::Other.account()?);
    let epoch = async |id| Ok::<_, Failure>(expect_some("the account", handle.accounts.find(id).await?)?.epoch);
    handle.worlds.create(command()?).await?;
    let first = epoch(&mine).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    same("the epoch after a snapshot", epoch(&mine).await?, first)?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    let second = epoch(&mine).await?;
    expect_true("the epochs of a world do not grow from 1", 0 < first && first < second)?;
    same("the epoch of an account that is no world", epoch(&other).await?, 0)
}

async fn puts_everything_back(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let mine = Who::Main.account()?;
    change_my_world(&handle, 0).await?;
    same("the next identifier number", handle.timelines.next_number(&mine).await?, 1)?;
    let before = Observation::take(&handle, 30).await?;
    let kept = expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    expect_true("too few rows were counted", kept.rows > 10)?;
    before.still_holds("a snapshot", &handle).await?;
    change_my_world(&handle, 10).await?;
    expect_new(handle.batches.confirm(confirm(Who::Main, 5, 20, (SANDBOX, RIGHT))?).await)?;
    let advance = super::timelines::change(Who::Main, ClockChange::AdvanceBy(TimeDelta::days(8)))?;
    expect_new(handle.timelines.set_clock(advance).await)?;
    same("the next identifier number", handle.timelines.next_number(&mine).await?, 2)?;
    expect_true("nothing changed", !before.changes(&Observation::take(&handle, 30).await?).is_empty())?;
    for round in 0..2 {
        let restored = expect_new(handle.worlds.restore(restore(1)?).await)?;
        same("the world", restored.world, world(&mine, ClockSetting::Frozen { at: noon() })?)?;
        before.still_holds("a restored world", &handle).await?;
        same("the next identifier number", handle.timelines.next_number(&mine).await?, 2)?;
        // The first key is used and the second is free, so later commands can be repeated under the same ids.
        let again = |key: &str| -> Result<FirstMessageCommand, Failure> {
            let claim = Some(claim(Who::Main, key, "{}")?);
            Ok(FirstMessageCommand { claim, ..purchase(Who::Main, 16, "1")? })
        };
        replayed(handle.cards.first_message(again("key-0")?).await)?;
        expect_new(handle.cards.first_message(again("key-10")?).await)?;
        books_are_right(&handle).await.map_err(|error| Failure::new(format!("round {round}: {error}")))?;
    }
    Ok(())
}

async fn running_clock(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    expect_new(handle.timelines.set_clock(super::timelines::change(Who::Main, ClockChange::Resume)?).await)?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let restored = expect_new(handle.worlds.restore(restore(1)?).await)?;
    // The world's time was noon at the snapshot; the restore is five hours later in real time.
    let expected = ClockSetting::Running { ahead: TimeDelta::hours(-5) };
    same("the clock", restored.world.clock, expected)?;
    let timeline = expect_some("the account", handle.accounts.find(&Who::Main.account()?).await?)?.timeline;
    same("the timeline", timeline, Timeline { clock: expected, seed: Some(WorldSeed([1; 32])) })
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    change_my_world(&handle, 0).await?;
    let before = Observation::take(&handle, 8).await?;
    let mut refusing = restore(1)?;
    refusing.decide = Arc::new(|_| Err(SnapshotRefusal::Outdated));
    same("the refusal", refused(handle.worlds.restore(refusing).await)?, SnapshotRefusal::Outdated)?;
    absent("an unknown snapshot", &handle.worlds.restore(restore(2)?).await)?;
    before.still_holds("a refused restore", &handle).await
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let claimed_restore = |body: &str| -> Result<RestoreCommand, Failure> {
        let mut command = restore(1)?;
        command.claim = Some(claim(Who::Main, "k", body)?);
        Ok(command)
    };
    change_my_world(&handle, 0).await?;
    let done = expect_new(handle.worlds.restore(claimed_restore("{}")?).await)?;
    change_my_world(&handle, 0).await?;
    let before = Observation::take(&handle, 8).await?;
    same("the answer", replayed(handle.worlds.restore(claimed_restore("{}")?).await)?, answer_of(&done))?;
    mismatch(handle.worlds.restore(claimed_restore("[]")?).await)?;
    before.still_holds("a repeated restore", &handle).await
}

async fn own_snapshots(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    handle.worlds.create(empty("W1", 102)?).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let (other, before) = (AccountId::parse("W1")?, Observation::take(&handle, 1).await?);
    let mut command = restore(1)?;
    command.account = other.clone();
    absent("the snapshot of another world", &handle.worlds.restore(command).await)?;
    absent("the deletion of a snapshot of another world", &handle.worlds.delete_snapshot(&other, id(1), None).await)?;
    same("the snapshots", handle.worlds.snapshots(&other, PageRequest::default()).await?.rows, vec![])?;
    before.still_holds("commands that name the snapshot of another world", &handle).await
}

async fn refusal_keeps_nothing(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let mut second = snapshot(2)?;
    second.decide = Arc::new(|situation| if situation.snapshots == 1 { Err(SnapshotRefusal::TooMany) } else { Ok(()) });
    same("the refusal", refused(handle.worlds.take_snapshot(second).await)?, SnapshotRefusal::TooMany)?;
    same(
        "the number of snapshots",
        handle.worlds.snapshots(&Who::Main.account()?, PageRequest::default()).await?.count,
        1,
    )
}

async fn take_snapshot_is_shown_its_bytes(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let shown = Arc::new(Mutex::new(Vec::new()));
    for number in 1..=3 {
        let observer = Arc::clone(&shown);
        let decide = Arc::new(move |situation: &SnapshotSituation| {
            observer.lock().unwrap_or_else(PoisonError::into_inner).push(situation.bytes);
            Ok(())
        });
        expect_new(handle.worlds.take_snapshot(SnapshotCommand { decide, ..snapshot(number)? }).await)?;
        change_my_world(&handle, 100 * number).await?;
    }
    let shown = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
    expect_true(
        &format!("the bytes of a growing world do not grow: {shown:?}"),
        shown[0] > 100 && shown.is_sorted_by(|one, next| one < next),
    )
}

async fn snapshot_replays(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let claimed_snapshot = |number| -> Result<SnapshotCommand, Failure> {
        Ok(SnapshotCommand { claim: Some(claim(Who::Main, "k", "{}")?), ..snapshot(number)? })
    };
    let done = expect_new(handle.worlds.take_snapshot(claimed_snapshot(1)?).await)?;
    same("the answer", replayed(handle.worlds.take_snapshot(claimed_snapshot(2)?).await)?, answer_of(&done))?;
    same(
        "the number of snapshots",
        handle.worlds.snapshots(&Who::Main.account()?, PageRequest::default()).await?.count,
        1,
    )
}

async fn snapshots_by_id_until_deleted(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let mine = Who::Main.account()?;
    for number in [2, 1, 3] {
        expect_new(handle.worlds.take_snapshot(SnapshotCommand { name: None, ..snapshot(number)? }).await)?;
    }
    let ids = |rows: &[WorldSnapshot]| rows.iter().map(|snapshot| snapshot.id).collect::<Vec<_>>();
    let page = handle.worlds.snapshots(&mine, PageRequest { limit: 2, offset: 1 }).await?;
    same("a page of snapshots", (page.count, ids(&page.rows)), (3, vec![id(2), id(3)]))?;
    expect_new(handle.worlds.delete_snapshot(&mine, id(2), Some(claim(Who::Main, "k", "{}")?)).await)?;
    replayed(handle.worlds.delete_snapshot(&mine, id(2), Some(claim(Who::Main, "k", "{}")?)).await)?;
    absent("a second deletion of the snapshot", &handle.worlds.delete_snapshot(&mine, id(2), None).await)?;
    let page = handle.worlds.snapshots(&mine, PageRequest::default()).await?;
    same("the remaining snapshots", ids(&page.rows), vec![id(1), id(3)])
}

async fn create_from_a_snapshot_of_another_world(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    change_my_world(&handle, 0).await?;
    same("the next identifier number", handle.timelines.next_number(&Who::Main.account()?).await?, 1)?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let before = Observation::take(&handle, 8).await?;
    let seed = WorldSeed([9; 32]);
    let made = handle.worlds.create(copy("W1", 102, Some(seed))?).await?;
    same("the clock of the copy", made.clock, ClockSetting::Frozen { at: noon() })?;
    handle.worlds.create(copy("W2", 103, None)?).await?;
    let (mine, one, two) = (Who::Main.account()?, AccountId::parse("W1")?, AccountId::parse("W2")?);
    same("the next identifier number of the copy", handle.timelines.next_number(&one).await?, 2)?;
    let timelines =
        [expect_some("W1", handle.accounts.find(&one).await?)?, expect_some("W2", handle.accounts.find(&two).await?)?];
    same("the seeds", timelines.map(|account| account.timeline.seed), [Some(seed), None])?;
    for copy in [&one, &two] {
        let ids = |budgets: &[florin_domain::budget::Budget]| {
            budgets.iter().map(|budget| (budget.id, budget.balances.clone())).collect::<Vec<_>>()
        };
        let expected = ids(&handle.seeding.budgets(&mine).await?);
        same("the budgets", ids(&handle.seeding.budgets(copy).await?), expected)?;
        let holds = handle.timelines.due_holds(copy, noon() + TimeDelta::days(30), 10).await?;
        same("the number of open holds", holds.len(), 2)?;
    }
    books_are_right(&handle).await?;
    handle.worlds.delete(&one).await?;
    handle.worlds.delete(&two).await?;
    before.still_holds("copies of the world that were created and deleted", &handle).await
}

async fn create_from_a_snapshot_within_reach_only(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let mut command = copy("W1", 102, None)?;
    if let WorldContents::Snapshot { reach, .. } = &mut command.contents {
        *reach = Some([AccountId::parse("W9")?].into());
    }
    absent("a snapshot outside the reach of the key", &handle.worlds.create(command).await)?;
    let mut command = copy("W1", 102, None)?;
    command.world.client = Who::Other.client();
    command.key.client = Who::Other.client();
    absent("a snapshot of another client", &handle.worlds.create(command).await)?;
    handle.worlds.create(copy("W1", 102, None)?).await?;
    Ok(())
}
