//! Checks of reading events: lists, the order of commits, and events of worlds.

use super::events::{reach, stored, without_gaps};
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{credit, purchase};
use crate::event_renderer::PlainRenderer;
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::seed_data::{Who, gbp, noon, seed_store};
use crate::webhooks::{self, log, subscribe};
use crate::worlds::{command, copy, restore, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::access::Feature;
use florin_domain::event::{EventFilter, EventKind, EventPosition, StoredEvent};
use florin_domain::ids::{AccountId, EventId};
use florin_domain::page::PageRequest;
use florin_ports::EventReach;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use uuid::Uuid;

checks! {
    "events.list.newest_first_in_pages" => list_newest_first_in_pages,
    "events.list.filters" => list_filters,
    "events.list.of_the_reach_only" => list_of_the_reach_only,
    "events.are_written_for_an_audience_and_counted_without" => events_are_written_for_an_audience_and_counted_without,
    "events.are_written_for_a_subscription_alone" => events_are_written_for_a_subscription_alone,
    "events.between.in_order_from_a_position" => between_in_order_from_a_position,
    "events.tail.nothing_appears_behind_it" => nothing_appears_behind_it,
    "events.delete_events.the_oldest_expired_ones" => the_oldest_expired_ones,
    "events.restore.reverts_events_and_sequences" (Sandbox) => reverts_events_and_sequences,
    "events.worlds.copies_have_none_and_go_on_counting" (Sandbox) => copies_have_none_and_go_on_counting,
}

/// Waits until other writes on the same server have ended, and returns the tail.
pub(super) async fn known_tail(handle: &Handle) -> Result<EventPosition, Failure> {
    loop {
        if let Some(tail) = handle.events.tail(Who::Main.client()).await? {
            return Ok(tail);
        }
    }
}

/// Causes several events: credits and purchases.
async fn cause_events(handle: &Handle, who: Who, base: u128, count: u128) -> CheckResult {
    for number in base..base + count {
        expect_new(handle.credits.credit(credit(who, 2 * number, "5", gbp()?)?).await)?;
        expect_new(handle.cards.first_message(purchase(who, 2 * number + 1, "1")?).await)?;
    }
    Ok(())
}

async fn list_newest_first_in_pages(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    cause_events(&handle, Who::Main, 1, 4).await?;
    cause_events(&handle, Who::Other, 100, 2).await?;
    let mut all = stored(&handle).await?;
    all.reverse();
    same("the number of events", all.len(), 8)?;
    expect_true("events are not newest first", all.windows(2).all(|pair| pair[0].position > pair[1].position))?;
    let mut seen = Vec::new();
    for offset in [0, 3, 6] {
        let page = PageRequest { limit: 3, offset };
        let page = handle.events.list(reach(Who::Main)?, EventFilter::default(), page).await?;
        same("the count", page.count, 8)?;
        seen.extend(page.rows);
    }
    same("all pages", &seen, &all)?;
    // A second read returns the same.
    let mut again = stored(&handle).await?;
    again.reverse();
    same("the events, read again", again, all)
}

async fn list_filters(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    cause_events(&handle, Who::Main, 1, 2).await?;
    let all = stored(&handle).await?;
    let object = all.last().map_or(Uuid::nil(), |event| event.object);
    let at = all.first().map(|event| event.occurred_at).unwrap_or_default();
    let second = TimeDelta::seconds(1);
    let none = EventFilter::default;
    let filters = [
        (none(), 4),
        (EventFilter { kinds: [EventKind::BoxCredited].into(), ..none() }, 2),
        (EventFilter { kinds: [EventKind::BoxCredited, EventKind::CardTransaction].into(), ..none() }, 4),
        (EventFilter { kinds: [EventKind::BoxDebited].into(), ..none() }, 0),
        (EventFilter { object: Some(object), ..none() }, 1),
        (EventFilter { from: Some(at), to: Some(at), ..none() }, 4),
        (EventFilter { from: Some(at + second), ..none() }, 0),
        (EventFilter { to: Some(at - second), ..none() }, 0),
    ];
    for (filter, expected) in filters {
        let page = PageRequest { limit: 10, offset: 0 };
        let found = handle.events.list(reach(Who::Main)?, filter.clone(), page).await?;
        same(&format!("events of {filter:?}"), found.rows.len(), expected)?;
        same("the count", usize::try_from(found.count).ok(), Some(expected))?;
        let range = (EventPosition(0), known_tail(&handle).await?);
        let found = handle.events.between(reach(Who::Main)?, filter.clone(), range, 10).await?;
        same(&format!("events between of {filter:?}"), found.len(), expected)?;
    }
    Ok(())
}

async fn list_of_the_reach_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    cause_events(&handle, Who::Main, 1, 1).await?;
    cause_events(&handle, Who::Other, 100, 1).await?;
    let mine = Who::Main.account()?;
    let page = PageRequest { limit: 10, offset: 0 };
    let of = |reach| handle.events.list(reach, EventFilter::default(), page);
    let client = |who: Who, accounts| EventReach { client: who.client(), accounts };
    let foreign = client(Who::Other, Some([mine.clone()].into()));
    same("events of a foreign account", of(foreign.clone()).await?.count, 0)?;
    let both = client(Who::Main, Some([mine.clone(), Who::Other.account()?].into()));
    for reach in [client(Who::Main, None), reach(Who::Main)?, both] {
        let found = of(reach).await?;
        same("the count", found.count, 2)?;
        expect_true("an event of another account", found.rows.iter().all(|event| event.account == mine))?;
    }
    same("events of no account", of(client(Who::Main, Some([].into()))).await?.count, 0)?;
    let event = expect_some("an event", stored(&handle).await?.pop())?;
    same("its position", handle.events.position_of(reach(Who::Main)?, event.id).await?, Some(event.position))?;
    same("the position for another client", handle.events.position_of(foreign.clone(), event.id).await?, None)?;
    same(
        "the position of an unknown event",
        handle.events.position_of(reach(Who::Main)?, EventId(Uuid::nil())).await?,
        None,
    )?;
    let range = (EventPosition(0), known_tail(&handle).await?);
    same("foreign events between", handle.events.between(foreign, EventFilter::default(), range, 10).await?, vec![])
}

async fn events_are_written_for_an_audience_and_counted_without(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (on, base) in [(true, 1), (false, 10), (true, 20)] {
        handle.registry.set_feature(Who::Main.client(), Feature::Events, on).await?;
        cause_events(&handle, Who::Main, base, 1).await?;
    }
    let events = stored(&handle).await?;
    let found: Vec<_> = events.iter().map(|event| (event.kind, event.sequence)).collect();
    let expected = [
        (EventKind::BoxCredited, 1),
        (EventKind::CardTransaction, 1),
        (EventKind::BoxCredited, 3),
        (EventKind::CardTransaction, 1),
    ];
    same("kinds and sequences", found, expected.to_vec())
}

/// A client without the feature gets only events of the kind that it has subscribed to, and only meanwhile.
async fn events_are_written_for_a_subscription_alone(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    handle.registry.set_feature(Who::Main.client(), Feature::Events, false).await?;
    cause_events(&handle, Who::Main, 1, 1).await?;
    same("before the subscription", stored(&handle).await?, vec![])?;
    subscribe(&handle, Who::Main, 1).await?;
    cause_events(&handle, Who::Main, 10, 2).await?;
    let written = stored(&handle).await?;
    let kinds: Vec<_> = written.iter().map(|event| event.kind).collect();
    same("the kinds", kinds, vec![EventKind::CardTransaction; 2])?;
    let mut queued: Vec<_> = log(&handle, 1).await?.into_iter().map(|logged| logged.delivery.event).collect();
    queued.sort_unstable();
    let mut expected: Vec<_> = written.iter().map(|event| event.id).collect();
    expected.sort_unstable();
    same("the deliveries", queued, expected)?;
    expect_new(handle.webhooks.delete(webhooks::reach(Who::Main), webhooks::id(1), noon(), None).await)?;
    cause_events(&handle, Who::Main, 20, 1).await?;
    same("after the subscription", stored(&handle).await?, written)
}

async fn between_in_order_from_a_position(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let start = known_tail(&handle).await?;
    // Seeding draws positions for movements.
    same("events of an empty store", stored(&handle).await?, vec![])?;
    cause_events(&handle, Who::Main, 1, 3).await?;
    let all = stored(&handle).await?;
    let end = known_tail(&handle).await?;
    same("the last position", all.last().map(|event| event.position), Some(end))?;
    let find = |after, until, max| handle.events.between(reach_mine(), EventFilter::default(), (after, until), max);
    same("all", find(start, end, 100).await?, all.clone())?;
    same("the first two", find(start, end, 2).await?, all[..2].to_vec())?;
    same("after the second", find(all[1].position, end, 100).await?, all[2..].to_vec())?;
    same("up to the third", find(start, all[2].position, 100).await?, all[..3].to_vec())?;
    same("after the last", find(end, end, 100).await?, vec![])
}

fn reach_mine() -> EventReach {
    EventReach { client: Who::Main.client(), accounts: None }
}

/// Reads like a stream while others write, and compares the events that it read with all events at the end.
async fn nothing_appears_behind_it(handle: Handle) -> CheckResult {
    const WRITERS: u128 = 8;
    const EACH: u128 = 12;
    seed_store(&handle).await?;
    let second = handle.second_or_same().await?;
    let is_over = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn(read_events(second.clone(), Arc::clone(&is_over)));
    let mut writers = Vec::new();
    for number in 0..WRITERS {
        let handle = if number % 2 == 0 { handle.clone() } else { second.clone() };
        writers.push(tokio::spawn(async move {
            let base = 1_000 * (number + 1);
            // The messages use two budgets and two accounts, so that their transactions do not wait for each other.
            let who = if number % 4 < 2 { Who::Main } else { Who::Other };
            cause_events(&handle, who, base, EACH).await
        }));
    }
    for writer in writers {
        writer.await.map_err(|error| Failure::new(error.to_string()))??;
    }
    is_over.store(true, Ordering::Relaxed);
    let seen = reader.await.map_err(|error| Failure::new(error.to_string()))??;
    let all = stored(&handle).await?;
    same("the number of events", all.len(), usize::try_from(WRITERS * EACH).unwrap_or_default())?;
    without_gaps(&seen)?;
    same("what the reader saw", seen, all)
}

/// Reads events of my account until everything is written and read.
async fn read_events(handle: Handle, is_over: Arc<AtomicBool>) -> Result<Vec<StoredEvent>, Failure> {
    let (mut seen, mut last) = (Vec::new(), EventPosition(0));
    loop {
        let is_last = is_over.load(Ordering::Relaxed);
        let Some(until) = handle.events.tail(Who::Main.client()).await? else { continue };
        let found = handle.events.between(reach_mine(), EventFilter::default(), (last, until), 10_000).await?;
        seen.extend(found);
        last = until;
        if is_last {
            return Ok(seen);
        }
        tokio::task::yield_now().await;
    }
}

async fn the_oldest_expired_ones(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    cause_events(&handle, Who::Main, 1, 2).await?;
    cause_events(&handle, Who::Other, 100, 1).await?;
    let all = stored(&handle).await?;
    let written = PlainRenderer::now();
    same("deleted events when none is older", handle.events.delete_events(written, 100).await?, 0)?;
    let later = written + TimeDelta::microseconds(1);
    same("deleted events of at most 3", handle.events.delete_events(later, 3).await?, 3)?;
    same("the oldest are gone", stored(&handle).await?, all[3..].to_vec())?;
    same("the other deleted events", handle.events.delete_events(later, 100).await?, 3)?;
    same("the position of a deleted event", handle.events.position_of(reach_mine(), all[0].id).await?, None)?;
    let last = known_tail(&handle).await?;
    cause_events(&handle, Who::Main, 10, 1).await?;
    let next = stored(&handle).await?;
    expect_true("a position was given twice", next.iter().all(|event| event.position > last))?;
    same("sequences go on", next.first().map(|event| event.sequence), Some(3))
}

async fn reverts_events_and_sequences(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    cause_events(&handle, Who::Main, 1, 1).await?;
    let before = stored(&handle).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    cause_events(&handle, Who::Main, 10, 2).await?;
    let undone = stored(&handle).await?.split_off(2);
    same("events after the snapshot", undone.len(), 4)?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    same("the events of the snapshot", stored(&handle).await?, before)?;
    for event in &undone {
        same("an undone event", handle.events.position_of(reach_mine(), event.id).await?, None)?;
    }
    cause_events(&handle, Who::Main, 20, 1).await?;
    let after = stored(&handle).await?;
    without_gaps(&after)?;
    let last = undone.last().map(|event| event.position);
    expect_true("a position is not later", after[2..].iter().all(|event| Some(event.position) > last))?;
    expect_true("there was no world to delete", handle.worlds.delete(&Who::Main.account()?).await?)?;
    same("events of a deleted world", stored(&handle).await?, vec![])
}

async fn copies_have_none_and_go_on_counting(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    cause_events(&handle, Who::Main, 1, 2).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let original = stored(&handle).await?;
    let account = AccountId::parse("W1")?;
    handle.worlds.create(copy("W1", 102, None)?).await?;
    let of_copy = EventReach { client: Who::Main.client(), accounts: Some([account.clone()].into()) };
    let page = PageRequest { limit: 10, offset: 0 };
    let list = || handle.events.list(of_copy.clone(), EventFilter::default(), page);
    same("events of the copy", list().await?.count, 0)?;
    let mut command = credit(Who::Main, 50, "5", gbp()?)?;
    command.account = account;
    expect_new(handle.credits.credit(command).await)?;
    let found = list().await?.rows;
    same("the sequence goes on", found.first().map(|event| event.sequence), Some(3))?;
    same("the events of the original", stored(&handle).await?, original)
}
