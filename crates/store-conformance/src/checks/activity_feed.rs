//! Checks of the feed of changes of activity.

use crate::check::{CheckResult, Failure, checks};
use crate::checks::activity::create_movements;
use crate::commands::{clearing, credit, first, follow_up, message, purchase, stamp_at, token};
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::management::transfer;
use crate::payments::{add_confirmed_batch, after, claim_one, record, start, start_payments};
use crate::seed_data::{Who, gbp, noon, seed_store};
use crate::worlds::{command, restore, seed_all_but_my_account, snapshot};
use florin_domain::activity::{
    Activity, ActivityChanges, ActivityCursor, ActivityFilter, ActivityStatus, ActivityType,
};
use florin_domain::batch::PaymentOutcome;
use florin_domain::card::decide::{FirstKind, FollowUp};
use florin_domain::ids::ActivityId;
use florin_domain::page::PageRequest;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

checks! {
    "activities.changes.has_everything_once_oldest_first" => changes_has_everything_once_oldest_first,
    "activities.changes.parts_do_not_overlap" => parts_do_not_overlap,
    "activities.changes.filters_by_every_member" => filters_by_every_member,
    "activities.changes.a_change_renews_the_place" => a_change_renews_the_place,
    "activities.changes.payments_change_with_their_status" => payments_change_with_their_status,
    "activities.changes.nothing_is_missed_or_repeated_while_others_write" =>
        nothing_is_missed_or_repeated_while_others_write,
    "activities.changes.a_restore_ends_earlier_cursors" (Sandbox) => a_restore_ends_earlier_cursors,
    "activities.changes.a_new_world_of_the_name_ends_earlier_cursors" (Sandbox) =>
        a_new_world_of_the_name_ends_earlier_cursors,
    "tenancy.activities.changes_are_of_the_account" => activities_changes_are_of_the_account,
}

async fn changes(
    handle: &Handle,
    filter: ActivityFilter,
    after: Option<ActivityCursor>,
    max: i64,
) -> Result<ActivityChanges, Failure> {
    let found = handle.activities.changes(&Who::Main.account()?, filter, after, max).await?;
    expect_some("the result for a cursor", found)
}

/// Reads the feed from a cursor in parts of at most `max` rows, until a part is empty. Returns all rows, and the last
/// cursor.
async fn read_feed(
    handle: &Handle,
    filter: &ActivityFilter,
    mut after: Option<ActivityCursor>,
    max: i64,
) -> Result<(Vec<Activity>, ActivityCursor), Failure> {
    let mut seen = Vec::new();
    loop {
        let found = changes(handle, filter.clone(), after, max).await?;
        let is_end = found.rows.is_empty();
        expect_true(
            "a part has more rows than asked for",
            i64::try_from(found.rows.len()).is_ok_and(|rows| rows <= max),
        )?;
        expect_true("a cursor is before the previous one", after.is_none_or(|after| after <= found.next))?;
        seen.extend(found.rows);
        after = Some(found.next);
        if is_end {
            return Ok((seen, found.next));
        }
    }
}

async fn list_activity(handle: &Handle, filter: ActivityFilter) -> Result<Vec<Activity>, Failure> {
    let page = PageRequest { limit: 1000, offset: 0 };
    Ok(handle.activities.list(&Who::Main.account()?, filter, page).await?.rows)
}

fn by_id(rows: Vec<Activity>) -> BTreeMap<ActivityId, Activity> {
    rows.into_iter().map(|row| (row.id, row)).collect()
}

async fn changes_has_everything_once_oldest_first(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let after_seeding = read_feed(&handle, &ActivityFilter::default(), None, 1000).await?.1;
    let mut expected = Vec::new();
    for number in 1..=3 {
        expect_new(handle.cards.first_message(purchase(Who::Main, number, "1")?).await)?;
        expect_new(handle.credits.credit(credit(Who::Main, 10 + number, "1", gbp()?)?).await)?;
        expected.extend([token(number).0, crate::commands::journal_id(10 + number).0].map(ActivityId));
    }
    let (seen, end) = read_feed(&handle, &ActivityFilter::default(), Some(after_seeding), 1000).await?;
    same("in the order of changes", seen.iter().map(|row| row.id).collect::<Vec<_>>(), expected)?;
    let (all, _) = read_feed(&handle, &ActivityFilter::default(), None, 1000).await?;
    let list = list_activity(&handle, ActivityFilter::default()).await?;
    same("each row once", all.len(), list.len())?;
    same("the rows of the list", by_id(all), by_id(list))?;
    same("rows after the last cursor", read_feed(&handle, &ActivityFilter::default(), Some(end), 1000).await?.0, vec![])
}

async fn parts_do_not_overlap(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    let (all, _) = read_feed(&handle, &ActivityFilter::default(), None, 1000).await?;
    for max in [1, 2, 7] {
        same(
            &format!("parts of {max}"),
            read_feed(&handle, &ActivityFilter::default(), None, max).await?.0,
            all.clone(),
        )?;
    }
    Ok(())
}

async fn filters_by_every_member(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    let none = ActivityFilter::default();
    let (all, _) = read_feed(&handle, &none, None, 1000).await?;
    let mut filters: Vec<_> =
        ActivityType::ALL.iter().map(|kind| ActivityFilter { kinds: vec![*kind], ..none.clone() }).collect();
    filters.extend(ActivityStatus::ALL.iter().map(|status| ActivityFilter { statuses: vec![*status], ..none.clone() }));
    filters.push(ActivityFilter { excluded: vec![ActivityType::Card], ..none.clone() });
    filters.push(ActivityFilter { budgets: vec![Who::Main.second_budget()], ..none.clone() });
    filters.push(ActivityFilter { card: Some(Who::Main.card()), ..none.clone() });
    filters.push(ActivityFilter { from: Some(after(1)), currency: Some(gbp()?), ..none });
    for filter in filters {
        let expected: Vec<_> = all.iter().filter(|row| filter.matches(row)).cloned().collect();
        same(&format!("rows of {filter:?}"), read_feed(&handle, &filter, None, 3).await?.0, expected)?;
    }
    Ok(())
}

async fn a_change_renews_the_place(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for number in 1..=2 {
        expect_new(handle.cards.first_message(purchase(Who::Main, number, "10")?).await)?;
    }
    let none = ActivityFilter::default();
    let (_, mut end) = read_feed(&handle, &none, None, 1000).await?;
    let steps = [clearing("4", false)?, clearing("1", false)?, FollowUp::Reversal { amount: None }];
    for (number, step) in (3..).zip(steps) {
        expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), number, step)?).await)?;
        let (seen, next) = read_feed(&handle, &none, Some(end), 1000).await?;
        let listed = expect_some(
            "the chain",
            by_id(list_activity(&handle, none.clone()).await?).remove(&ActivityId(token(1).0)),
        )?;
        same("the chain as it is now", seen, vec![listed])?;
        end = next;
    }
    // A row that changed twice between two reads appears once, behind rows that changed earlier.
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(2), 7, clearing("1", false)?)?).await)?;
    expect_new(handle.credits.credit(credit(Who::Main, 8, "1", gbp()?)?).await)?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(2), 9, clearing("2", true)?)?).await)?;
    let (seen, _) = read_feed(&handle, &none, Some(end), 1).await?;
    let ids: Vec<_> = seen.iter().map(|row| row.id.0).collect();
    same("the order of the last changes", ids, vec![crate::commands::journal_id(8).0, token(2).0])
}

async fn payments_change_with_their_status(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let none = ActivityFilter::default();
    let (_, end) = read_feed(&handle, &none, None, 1000).await?;
    add_confirmed_batch(&handle, Who::Main, 1, 3).await?;
    let (seen, end) = read_feed(&handle, &none, Some(end), 2).await?;
    same("a confirmation changes all", seen.len(), 3)?;
    let lease = claim_one(&handle, 1, after(90)).await?;
    handle.processing.start(start(&lease, 5000)).await?;
    let started = handle.processing.start_payments(start_payments(&lease, 2, 6000)).await?;
    let (seen, end) = read_feed(&handle, &none, Some(end), 2).await?;
    let ids = |rows: &[Activity]| rows.iter().map(|row| row.id.0).collect::<std::collections::BTreeSet<_>>();
    same("the started payments", ids(&seen), started.iter().map(|payment| payment.id.0).collect())?;
    let payment = expect_some("a payment", started.first())?.id;
    handle.processing.record(record(&lease, &[payment], PaymentOutcome::Pending, Some(after(200)), 6500)).await?;
    same("changes while the bank's result is pending", read_feed(&handle, &none, Some(end), 2).await?.0, vec![])?;
    handle.processing.record(record(&lease, &[payment], PaymentOutcome::Completed, None, 7000)).await?;
    let (seen, _) = read_feed(&handle, &none, Some(end), 2).await?;
    let seen: Vec<_> = seen.iter().map(|row| (row.id.0, row.status)).collect();
    same("the payment that was paid", seen, vec![(payment.0, ActivityStatus::Complete)])
}

/// The states of each row that a reader of the feed received, in order.
type Seen = BTreeMap<ActivityId, Vec<Activity>>;

async fn nothing_is_missed_or_repeated_while_others_write(handle: Handle) -> CheckResult {
    const WRITERS: u128 = 8;
    const EACH: u128 = 6;
    seed_store(&handle).await?;
    let second = handle.second_or_same().await?;
    let is_over = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn(watch(second.clone(), Arc::clone(&is_over)));
    let mut writers = Vec::new();
    for number in 0..WRITERS {
        let handle = if number % 2 == 0 { handle.clone() } else { second.clone() };
        writers.push(tokio::spawn(async move { write(&handle, number, 10_000 * (number + 1), EACH).await }));
    }
    for writer in writers {
        writer.await.map_err(|error| Failure::new(error.to_string()))??;
    }
    is_over.store(true, Ordering::Relaxed);
    let seen: Seen = reader.await.map_err(|error| Failure::new(error.to_string()))??;
    let last: BTreeMap<_, _> = seen.iter().filter_map(|(id, states)| Some((*id, states.last()?.clone()))).collect();
    same("the last state of every row", last, by_id(list_activity(&handle, ActivityFilter::default()).await?))?;
    for states in seen.values() {
        let is_news = |pair: &[Activity]| pair[0] != pair[1];
        expect_true("a row appears again without a change", states.windows(2).all(is_news))?;
    }
    Ok(())
}

/// Moves money of two budgets, so that transactions do not wait for each other.
async fn write(handle: &Handle, writer: u128, base: u128, each: u128) -> CheckResult {
    for number in 0..each {
        let base = base + 10 * number;
        if writer.is_multiple_of(2) {
            let command =
                first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "0.02")?, stamp_at(base, noon()))?;
            expect_new(handle.cards.first_message(command).await)?;
            let part = follow_up(Who::Main, token(base), base + 1, clearing("0.01", false)?)?;
            expect_new(handle.cards.follow_up(part).await)?;
            let rest = follow_up(Who::Main, token(base), base + 2, clearing("0.01", true)?)?;
            expect_new(handle.cards.follow_up(rest).await)?;
        } else {
            let ends = (Who::Main.second_budget(), Who::Main.budget());
            expect_new(handle.credits.credit(credit(Who::Main, base, "1", gbp()?)?).await)?;
            if number == 0 {
                let back = (ends.1, ends.0);
                expect_new(handle.transfers.transfer(transfer(Who::Main, base + 3, back, "0.01")?).await)?;
            }
        }
    }
    Ok(())
}

/// Reads the feed until everything is written and read.
async fn watch(handle: Handle, is_over: Arc<AtomicBool>) -> Result<Seen, Failure> {
    let (mut seen, mut after) = (Seen::new(), None);
    loop {
        let is_last = is_over.load(Ordering::Relaxed);
        let found = changes(&handle, ActivityFilter::default(), after, 5).await?;
        after = Some(found.next);
        if found.rows.is_empty() && is_last {
            return Ok(seen);
        }
        for row in found.rows {
            seen.entry(row.id).or_default().push(row);
        }
        tokio::task::yield_now().await;
    }
}

async fn a_restore_ends_earlier_cursors(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let none = ActivityFilter::default();
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "1")?).await)?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let (before, kept) = read_feed(&handle, &none, None, 1000).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 2, "1")?).await)?;
    let (_, end) = read_feed(&handle, &none, None, 1000).await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    let mine = Who::Main.account()?;
    for cursor in [kept, end] {
        let found = handle.activities.changes(&mine, none.clone(), Some(cursor), 10).await?;
        same("a cursor from before the restore", found, None)?;
    }
    let (seen, end) = read_feed(&handle, &none, None, 2).await?;
    same("what the snapshot had", by_id(seen), by_id(before))?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 3, "1")?).await)?;
    let (seen, _) = read_feed(&handle, &none, Some(end), 10).await?;
    same("what follows the restore", seen.iter().map(|row| row.id.0).collect::<Vec<_>>(), vec![token(3).0])
}

async fn a_new_world_of_the_name_ends_earlier_cursors(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let mine = Who::Main.account()?;
    let (_, end) = read_feed(&handle, &ActivityFilter::default(), None, 1000).await?;
    expect_true("there was no world to delete", handle.worlds.delete(&mine).await?)?;
    handle.worlds.create(command()?).await?;
    let found = handle.activities.changes(&mine, ActivityFilter::default(), Some(end), 10).await?;
    same("a cursor of the deleted world", found, None)
}

async fn activities_changes_are_of_the_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (_, end) = read_feed(&handle, &ActivityFilter::default(), None, 1000).await?;
    expect_new(handle.cards.first_message(purchase(Who::Other, 1, "1")?).await)?;
    expect_new(handle.credits.credit(credit(Who::Other, 2, "1", gbp()?)?).await)?;
    let (seen, _) = read_feed(&handle, &ActivityFilter::default(), Some(end), 1000).await?;
    same("changes of another account", seen, vec![])
}
