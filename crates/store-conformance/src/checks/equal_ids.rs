//! Checks of two accounts whose records all have the same ids, like worlds created from one snapshot. Each account
//! reads and changes only its own records.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_new, expect_true, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right, differences, single_reads};
use crate::payments::{add_confirmed_batch, after, claim, record, start, start_payments};
use crate::scenario::{NUMBERS, Values, play, play_with};
use crate::seed_data::Who;
use crate::worlds::{command, copy, seed_all_but_my_account, snapshot};
use florin_domain::batch::{Payment, PaymentBatchStatus, PaymentOutcome};
use florin_domain::world::WorldSeed;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

checks! {
    "equal_ids.copy.reads_as_its_original" (Sandbox) => reads_as_its_original,
    "equal_ids.commands.change_one_account_only" (Sandbox) => change_one_account_only,
    "equal_ids.values.are_the_accounts_own" (Sandbox) => own_values,
    "equal_ids.work.is_the_accounts_own" (Sandbox) => own_work,
    "equal_ids.delete.leaves_the_other_account" (Sandbox) => leaves_the_other_account,
    "equal_ids.restore.leaves_the_other_account" (Sandbox) => restore_leaves_the_other_account,
}

/// The first of the numbers from which the first scenario derives its ids.
const FIRST: u128 = 100;
/// The first of the numbers from which the second scenario derives its ids.
const SECOND: u128 = 200;

const TWINS: [Who; 2] = [Who::Main, Who::Twin];

const fn numbers(base: u128) -> RangeInclusive<u128> {
    base..=base + NUMBERS
}

/// Creates a world, plays the scenario in it, and copies it.
async fn twins(handle: &Handle) -> CheckResult {
    seed_all_but_my_account(handle).await?;
    handle.worlds.create(command()?).await?;
    play(handle, Who::Main, FIRST).await?;
    copy_world(handle).await
}

/// Creates a world and copies it.
pub(super) async fn create_untouched_twins(handle: &Handle) -> CheckResult {
    seed_all_but_my_account(handle).await?;
    handle.worlds.create(command()?).await?;
    copy_world(handle).await
}

async fn copy_world(handle: &Handle) -> CheckResult {
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    handle.worlds.create(copy("T1", 102, Some(WorldSeed([1; 32])))?).await?;
    Ok(())
}

/// Returns the lines of one account, except its events: a copy of a world starts without the events of its original.
fn without_events(seen: &Observation, who: Who) -> Result<BTreeMap<String, String>, Failure> {
    let mut lines = seen.of_one(who)?;
    lines.remove("events");
    Ok(lines)
}

/// Expects all reads of both accounts to return the same, except for the account id and the events.
pub(super) async fn expect_equal_accounts(handle: &Handle, numbers: RangeInclusive<u128>) -> CheckResult {
    let seen = Observation::of_accounts(handle, &TWINS, numbers).await?;
    let (mine, twin) = (without_events(&seen, Who::Main)?, without_events(&seen, Who::Twin)?);
    expect_no_differences(&[differences(&mine, &twin), differences(&twin, &mine)].concat())?;
    let (mine, twin) = (single_reads(handle, Who::Main).await?, single_reads(handle, Who::Twin).await?);
    expect_no_differences(&[differences(&mine, &twin), differences(&twin, &mine)].concat())
}

fn expect_no_differences(differences: &[String]) -> CheckResult {
    match differences.first() {
        None => Ok(()),
        Some(first) => Err(Failure::new(format!("{} differences, the first: {first}", differences.len()))),
    }
}

async fn reads_as_its_original(handle: Handle) -> CheckResult {
    twins(&handle).await?;
    expect_equal_accounts(&handle, numbers(FIRST)).await?;
    books_are_right(&handle).await
}

async fn change_one_account_only(handle: Handle) -> CheckResult {
    twins(&handle).await?;
    let before = Observation::of_accounts(&handle, &[Who::Main], numbers(FIRST)).await?;
    let reads = single_reads(&handle, Who::Main).await?;
    let twin = play(&handle, Who::Twin, SECOND).await?;
    let after = Observation::of_accounts(&handle, &[Who::Main], numbers(FIRST)).await?;
    expect_no_differences(&differences(&before.of_one(Who::Main)?, &after.of_one(Who::Main)?))?;
    expect_no_differences(&differences(&reads, &single_reads(&handle, Who::Main).await?))?;
    let mine = play(&handle, Who::Main, SECOND).await?;
    for (mine, twin) in mine.iter().zip(&twin) {
        same("an answer to the same command on the other account", mine, twin)?;
    }
    expect_equal_accounts(&handle, numbers(SECOND)).await?;
    books_are_right(&handle).await
}

/// Reads everything that an account shows for the numbers of the second scenario.
async fn all_reads(handle: &Handle, who: Who) -> Result<[BTreeMap<String, String>; 2], Failure> {
    let seen = Observation::of_accounts(handle, &[who], numbers(SECOND)).await?;
    Ok([seen.of_one(who)?, single_reads(handle, who).await?])
}

fn expect_unchanged(before: &[BTreeMap<String, String>], after: &[BTreeMap<String, String>]) -> CheckResult {
    before.iter().zip(after).try_for_each(|(before, after)| expect_no_differences(&differences(before, after)))
}

/// Both accounts hold the same ids with different amounts, texts and numbers of rows.
async fn own_values(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    play_with(&handle, Who::Main, SECOND, Values::Others).await?;
    let mine = all_reads(&handle, Who::Main).await?;
    play_with(&handle, Who::Twin, SECOND, Values::Usual).await?;
    expect_unchanged(&mine, &all_reads(&handle, Who::Main).await?)?;
    let twin = all_reads(&handle, Who::Twin).await?;
    expect_true("there was no world to delete", handle.worlds.delete(&Who::Main.account()?).await?)?;
    expect_unchanged(&twin, &all_reads(&handle, Who::Twin).await?)?;
    books_are_right(&handle).await
}

/// Processes two batches with the same ids, in alternating steps.
async fn own_work(handle: Handle) -> CheckResult {
    create_untouched_twins(&handle).await?;
    for who in TWINS {
        add_confirmed_batch(&handle, who, 1, 4).await?;
    }
    let leases = handle.processing.claim(claim(1, after(80), 10)).await?;
    same("leases", leases.len(), 2)?;
    for lease in &leases {
        handle.processing.start(start(lease, 1_000)).await?;
    }
    for lease in leases.iter().rev() {
        let taken = handle.processing.start_payments(start_payments(lease, 100, 2_000)).await?;
        let own = |payments: &[Payment]| payments.iter().all(|payment| payment.account == lease.account);
        same("number of payments taken, whether all belong to the account", (taken.len(), own(&taken)), (4, true))?;
        let due = handle.processing.due(lease, after(9_999), 100).await?;
        same("number of payments due, whether all belong to the account", (due.len(), own(&due)), (4, true))?;
    }
    for lease in &leases {
        let due = handle.processing.due(lease, after(9_999), 100).await?;
        let ids: Vec<_> = due.iter().map(|payment| payment.id).collect();
        let done = handle.processing.record(record(lease, &ids, PaymentOutcome::Completed, None, 3_000)).await?;
        // The last payment of a batch ends it, whichever payments are open on the other account.
        same("the end of the batch", done.batch.map(|batch| batch.status()), Some(PaymentBatchStatus::Completed))?;
        same("payments that are due afterwards", handle.processing.due(lease, after(9_999), 100).await?.len(), 0)?;
    }
    books_are_right(&handle).await
}

async fn leaves_the_other_account(handle: Handle) -> CheckResult {
    twins(&handle).await?;
    let before = Observation::of_accounts(&handle, &[Who::Main], numbers(FIRST)).await?;
    let reads = single_reads(&handle, Who::Main).await?;
    expect_true("there was no copy to delete", handle.worlds.delete(&Who::Twin.account()?).await?)?;
    let after = Observation::of_accounts(&handle, &[Who::Main], numbers(FIRST)).await?;
    expect_no_differences(&differences(&before.of_one(Who::Main)?, &after.of_one(Who::Main)?))?;
    expect_no_differences(&differences(&reads, &single_reads(&handle, Who::Main).await?))?;
    // Nothing remains: a new copy has the original contents.
    handle.worlds.create(copy("T1", 103, Some(WorldSeed([1; 32])))?).await?;
    expect_equal_accounts(&handle, numbers(FIRST)).await?;
    books_are_right(&handle).await
}

async fn restore_leaves_the_other_account(handle: Handle) -> CheckResult {
    twins(&handle).await?;
    let twin = Observation::of_accounts(&handle, &[Who::Twin], numbers(FIRST)).await?;
    play(&handle, Who::Main, SECOND).await?;
    play(&handle, Who::Twin, SECOND).await?;
    let before = Observation::of_accounts(&handle, &[Who::Twin], numbers(SECOND)).await?;
    expect_new(handle.worlds.restore(crate::worlds::restore(1)?).await)?;
    let after = Observation::of_accounts(&handle, &[Who::Twin], numbers(SECOND)).await?;
    expect_no_differences(&differences(&before.of_one(Who::Twin)?, &after.of_one(Who::Twin)?))?;
    let mine = Observation::of_accounts(&handle, &[Who::Main], numbers(FIRST)).await?;
    expect_no_differences(&differences(&without_events(&twin, Who::Twin)?, &without_events(&mine, Who::Main)?))?;
    books_are_right(&handle).await
}
