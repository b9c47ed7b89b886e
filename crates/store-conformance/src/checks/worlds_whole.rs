//! Checks that worlds are restored and deleted whole: with the effects of every command and no data of other accounts.

use super::unicode::TEXTS;
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim as key_claim, credit, first, message, stamp_at};
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right, differences, single_reads};
use crate::payments::{after, batch_id, claim, payment_id, start_payments};
use crate::scenario::{NUMBERS, play};
use crate::seed_data::{Who, gbp, noon};
use crate::worlds::{command, copy, empty, restore, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::card::decide::FirstKind;
use florin_domain::ids::{AccountId, PaymentId, SnapshotId};
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_domain::text::Text;
use florin_domain::world::{ClockSetting, WorldTemplate};
use florin_ports::{
    AcceptedPayment, CreateWorldCommand, CreditCommand, ProcessingError, RestoreCommand, SnapshotCommand, WorldContents,
};
use std::ops::RangeInclusive;

checks! {
    "worlds.restore.puts_back_what_every_command_changed" (Sandbox) => puts_back_what_every_command_changed,
    "worlds.restore.puts_back_what_the_bank_remembers" (Sandbox) => bank_restored,
    "worlds.restore.ends_every_lease" (Sandbox) => ends_every_lease,
    "worlds.restore.ends_the_leases_of_the_snapshot" (Sandbox) => leases_of_snapshot,
    "worlds.restore.replaces_the_record_of_its_key" (Sandbox) => record_of_its_key,
    "worlds.restore.keeps_microseconds" (Sandbox) => keeps_microseconds,
    "worlds.create.a_copy_goes_on_from_the_time_of_the_snapshot" (Sandbox) => copied_clock,
    "worlds.snapshots.by_id_whatever_their_times" (Sandbox) => snapshots_by_id,
    "worlds.delete.leaves_nothing_of_it" (Sandbox) => leaves_nothing_of_it,
    "worlds.delete.leaves_other_accounts_as_they_are" (Sandbox) => leaves_other_accounts_as_they_are,
    "worlds.delete_expired.leaves_nothing_of_them" (Sandbox) => leaves_nothing_of_them,
    "worlds.create.keeps_every_member" (Sandbox) => keeps_every_member,
    "worlds.take_snapshot.keeps_every_member" (Sandbox) => snapshot_members,
}

const FIRST: u128 = 100;
const SECOND: u128 = 200;

/// Returns the numbers of the scenario that starts at `base`.
const fn numbers(base: u128) -> RangeInclusive<u128> {
    base..=base + NUMBERS
}

/// Creates my world and plays the scenario in it.
async fn play_in_my_world(handle: &Handle) -> CheckResult {
    seed_all_but_my_account(handle).await?;
    handle.worlds.create(command()?).await?;
    play(handle, Who::Main, FIRST).await?;
    Ok(())
}

/// Lets the bank accept payment `number` of an account.
async fn accept(handle: &Handle, who: Who, number: u128) -> Result<AcceptedPayment, Failure> {
    let (id, amount) = (payment_id(number), Minor(5).of(gbp()?));
    let payment = AcceptedPayment { id, amount, reference: Some(format!("{number}")), accepted_at: after(1) };
    Ok(handle.bank.accept(&who.account()?, payment).await?)
}

/// Returns the number of the payment with index `place` in the scenario that starts at `base`.
const fn payment(base: u128, place: u128) -> u128 {
    base * 10_000 + place
}

async fn puts_back_what_every_command_changed(handle: Handle) -> CheckResult {
    play_in_my_world(&handle).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let before = Observation::of(&handle, numbers(FIRST)).await?;
    let reads = single_reads(&handle, Who::Main).await?;
    let answers = play(&handle, Who::Main, SECOND).await?;
    for round in 0..2 {
        expect_new(handle.worlds.restore(restore(1)?).await)?;
        before.still_holds("a restored world", &handle).await?;
        let found = differences(&reads, &single_reads(&handle, Who::Main).await?);
        same(&format!("the answers that differ in round {round}"), found, Vec::<String>::new())?;
        let later = Observation::of_accounts(&handle, &[Who::Main], numbers(SECOND)).await?;
        let left: Vec<_> = later.of_one(Who::Main)?.into_iter().collect();
        let left = left.iter().filter(|(what, value)| what.starts_with("history of") && value != "None").count();
        same("the number of histories of later messages", left, 0)?;
        // The same commands succeed again under the same ids and keys, with the same answers.
        let again = play(&handle, Who::Main, SECOND).await?;
        for (again, first) in again.iter().zip(&answers) {
            same("an answer in a restored world", again, first)?;
        }
        books_are_right(&handle).await?;
    }
    Ok(())
}

async fn bank_restored(handle: Handle) -> CheckResult {
    play_in_my_world(&handle).await?;
    let first = accept(&handle, Who::Main, payment(FIRST, 20)).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let of_other = accept(&handle, Who::Other, 77).await?;
    accept(&handle, Who::Main, payment(FIRST, 21)).await?;
    play(&handle, Who::Main, SECOND).await?;
    accept(&handle, Who::Main, payment(SECOND, 20)).await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    let find_payment = async |who: Who, id: PaymentId| Ok::<_, Failure>(handle.bank.find(&who.account()?, id).await?);
    same("the payment that was accepted before the snapshot", find_payment(Who::Main, first.id).await?, Some(first))?;
    for later in [payment(FIRST, 21), payment(SECOND, 20)] {
        same(
            "a payment that was accepted after the snapshot",
            find_payment(Who::Main, payment_id(later)).await?,
            None,
        )?;
    }
    same("the payment of an account that is no world", find_payment(Who::Other, of_other.id).await?, Some(of_other))
}

async fn ends_every_lease(handle: Handle) -> CheckResult {
    play_in_my_world(&handle).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let leases = handle.processing.claim(claim(1, after(900), 10)).await?;
    let lease = expect_some("a lease", leases.into_iter().find(|lease| lease.batch == batch_id(FIRST + 2)))?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    let answer = handle.processing.start_payments(start_payments(&lease, 9, 9)).await;
    expect_true("a lease from before the restore still writes", matches!(answer, Err(ProcessingError::LeaseLost)))?;
    let leases = handle.processing.claim(claim(2, after(901), 10)).await?;
    expect_true("the batch can't be claimed", leases.iter().any(|lease| lease.batch == batch_id(FIRST + 2)))
}

/// A worker has a lease on a batch when the snapshot is taken. After the restore, the lease is lost.
async fn leases_of_snapshot(handle: Handle) -> CheckResult {
    play_in_my_world(&handle).await?;
    let leases = handle.processing.claim(claim(1, after(900), 10)).await?;
    let lease = expect_some("a lease", leases.into_iter().find(|lease| lease.batch == batch_id(FIRST + 2)))?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    handle.processing.release(&lease).await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    let answer = handle.processing.start_payments(start_payments(&lease, 9, 9)).await;
    expect_true("a lease of the snapshot still writes", matches!(answer, Err(ProcessingError::LeaseLost)))?;
    let leases = handle.processing.claim(claim(2, after(901), 10)).await?;
    expect_true("the batch can't be claimed", leases.iter().any(|lease| lease.batch == batch_id(FIRST + 2)))
}

/// The snapshot contains an idempotency record that is deleted later. A restore under the same key stores its own
/// record.
async fn record_of_its_key(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let command = CreditCommand { claim: Some(key_claim(Who::Main, "k", "{}")?), ..credit(Who::Main, 1, "1", gbp()?)? };
    expect_new(handle.credits.credit(command).await)?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    same(
        "the number of deleted records",
        handle.upkeep.delete_idempotency_records(noon() + TimeDelta::days(1), 9).await?,
        1,
    )?;
    let again = || -> Result<_, Failure> {
        Ok(RestoreCommand { claim: Some(key_claim(Who::Main, "k", "[]")?), ..restore(1)? })
    };
    expect_new(handle.worlds.restore(again()?).await)?;
    crate::expect::replayed(handle.worlds.restore(again()?).await)?;
    books_are_right(&handle).await
}

async fn keeps_microseconds(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let at = noon() + TimeDelta::microseconds(123_456);
    let bought = first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "1")?, stamp_at(1, at))?;
    expect_new(handle.cards.first_message(bought).await)?;
    let before = Observation::take(&handle, 2).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    before.still_holds("a restore", &handle).await
}

/// My world's clock is running. The snapshot is taken when the clock shows noon, and copied an hour later.
async fn copied_clock(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let mut running = command()?;
    let clock = ClockSetting::Running { ahead: TimeDelta::days(3) };
    running.world.clock = clock;
    if let WorldContents::Seeded(seed) = &mut running.contents {
        seed.account.timeline.clock = clock;
    }
    handle.worlds.create(running).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let mut again = copy("W1", 102, None)?;
    again.world.created_at = noon() + TimeDelta::hours(1);
    let created = handle.worlds.create(again).await?;
    same("the clock of the copy", created.clock, ClockSetting::Running { ahead: TimeDelta::hours(-1) })
}

async fn snapshots_by_id(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let mut expected = Vec::new();
    for number in 1..=4_u128 {
        let age = TimeDelta::hours(i64::try_from(number).unwrap_or_default());
        expected.push(expect_new(
            handle.worlds.take_snapshot(SnapshotCommand { now: noon() - age, ..snapshot(number)? }).await,
        )?);
    }
    let found = handle.worlds.snapshots(&Who::Main.account()?, PageRequest::default()).await?;
    same("the snapshots", found.rows, expected)
}

async fn leaves_nothing_of_it(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let before = Observation::of(&handle, numbers(FIRST)).await?;
    let answers = play(&handle, Who::Main, FIRST).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let accepted = accept(&handle, Who::Main, payment(FIRST, 20)).await?;
    let mine = Who::Main.account()?;
    expect_true("there was no world to delete", handle.worlds.delete(&mine).await?)?;
    same("the payment that the bank remembers", handle.bank.find(&mine, accepted.id).await?, None)?;
    handle.worlds.create(command()?).await?;
    before.still_holds("a world that was deleted and created again", &handle).await?;
    same("the number of snapshots", handle.worlds.snapshots(&mine, PageRequest::default()).await?.count, 0)?;
    // The idempotency keys are free again.
    let again = play(&handle, Who::Main, FIRST).await?;
    for (again, first) in again.iter().zip(&answers) {
        same("an answer in a new world", again, first)?;
    }
    books_are_right(&handle).await
}

async fn leaves_other_accounts_as_they_are(handle: Handle) -> CheckResult {
    play_in_my_world(&handle).await?;
    play(&handle, Who::Other, SECOND).await?;
    let accepted = accept(&handle, Who::Other, payment(SECOND, 20)).await?;
    let before = Observation::of_accounts(&handle, &[Who::Other], numbers(SECOND)).await?;
    let (lines, reads) = (before.of_one(Who::Other)?, single_reads(&handle, Who::Other).await?);
    expect_true("there was no world to delete", handle.worlds.delete(&Who::Main.account()?).await?)?;
    let later = Observation::of_accounts(&handle, &[Who::Other], numbers(SECOND)).await?;
    same("the lines that changed", differences(&lines, &later.of_one(Who::Other)?), Vec::<String>::new())?;
    same(
        "the answers that differ",
        differences(&reads, &single_reads(&handle, Who::Other).await?),
        Vec::<String>::new(),
    )?;
    let remembered = handle.bank.find(&Who::Other.account()?, accepted.id).await?;
    same("the payment that the bank remembers", remembered, Some(accepted))?;
    expect_some("the key of the other account", handle.callers.find(&Who::Other.key_hash()).await?)?;
    books_are_right(&handle).await
}

async fn leaves_nothing_of_them(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let before = Observation::of(&handle, numbers(FIRST)).await?;
    handle.worlds.create(command()?).await?;
    handle.worlds.create(empty("W1", 111)?).await?;
    play(&handle, Who::Main, FIRST).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let later = noon() + TimeDelta::days(2);
    let deleted = handle.worlds.delete_expired(later, 10).await?;
    same("the deleted worlds", deleted, vec![Who::Main.account()?, AccountId::parse("W1")?])?;
    before.still_holds("worlds that were created and deleted", &handle).await?;
    handle.worlds.create(command()?).await?;
    play(&handle, Who::Main, FIRST).await?;
    books_are_right(&handle).await
}

async fn keeps_every_member(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let seeds = [None].into_iter().chain(TEXTS.into_iter().map(Some));
    let mut expected = Vec::new();
    for (number, seed) in (0_u8..).zip(seeds) {
        let mut command = empty(&format!("W{number}"), 110 + number)?;
        let at = noon() + TimeDelta::microseconds(number.into());
        command.world.template = WorldTemplate::ALL[usize::from(number % 3)];
        command.world.seed = seed.map(Text::parse).transpose()?;
        command.world.created_at = at;
        command.world.expires_at = at + TimeDelta::days(7);
        command.world.clock = match number % 3 {
            0 => ClockSetting::Running { ahead: TimeDelta::microseconds(-1) },
            1 => ClockSetting::Frozen { at },
            _ => ClockSetting::default(),
        };
        if let WorldContents::Seeded(seeded) = &mut command.contents {
            seeded.account.timeline.clock = command.world.clock;
        }
        let new = command.world.clone();
        same("the answer", handle.worlds.create(CreateWorldCommand { ..command }).await?, new.clone())?;
        same("the world", handle.worlds.find(&new.account).await?, Some(new.clone()))?;
        expected.insert(0, new);
    }
    let page = PageRequest { limit: 100, offset: 0 };
    same("the listed rows", handle.worlds.list(Who::Main.client(), None, page).await?.rows, expected)
}

async fn snapshot_members(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let names = [None].into_iter().chain(TEXTS.into_iter().map(Some));
    let mut expected = Vec::new();
    for (number, name) in (1..).zip(names) {
        let now = noon() + TimeDelta::microseconds(i64::try_from(number).unwrap_or_default());
        let name = name.map(Text::parse).transpose()?;
        let taken = handle.worlds.take_snapshot(SnapshotCommand { name: name.clone(), now, ..snapshot(number)? });
        let taken = expect_new(taken.await)?;
        same("the name and the time", (&taken.name, taken.created_at), (&name, now))?;
        same(
            "the id and the account",
            (taken.id, &taken.account),
            (SnapshotId(snapshot(number)?.id.0), &Who::Main.account()?),
        )?;
        expected.push(taken);
    }
    let page = PageRequest { limit: 100, offset: 0 };
    same("the listed rows", handle.worlds.snapshots(&Who::Main.account()?, page).await?.rows, expected)
}
