//! Checks of events that are sent again on request, as streams read them.

use super::event_reads::known_tail;
use super::events::{reach, stored};
use crate::check::{CheckResult, Failure, checks};
use crate::event_renderer::PlainRenderer;
use crate::expect::{expect_new, expect_true, refused, replayed, same};
use crate::factory::Handle;
use crate::seed_data::{Who, noon, seed_store};
use crate::webhooks::{change, claim, claimed, create, decision, end, pay, recovery, redelivery, subscribe, webhook};
use crate::worlds::{command, restore, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::event::{EventFilter, EventKind, EventPosition, Redeliveries, Redelivery, StoredEvent};
use florin_domain::ids::AccountId;
use florin_domain::test_support::disabled_by_client;
use florin_domain::webhook::{DeliveryStatus, Webhook};
use florin_ports::{EventReach, RedeliverCommand, StoredResponse};

checks! {
    "events.redeliveries.in_the_order_of_the_requests" => in_order,
    "events.redeliveries.of_the_reach_and_the_filter_only" => redeliveries_of_the_reach_and_the_filter_only,
    "events.redeliveries.once_for_each_effect" => once_for_each_effect,
    "events.redeliveries.include_those_of_a_recovery" => include_those_of_a_recovery,
    "events.redeliveries.are_deleted_with_their_events" (Sandbox) => redeliveries_are_deleted_with_their_events,
}

const START: EventPosition = EventPosition(0);

/// Reads the redeliveries of my events after a position.
async fn my_redeliveries(handle: &Handle, after: EventPosition, max: u32) -> Result<Redeliveries, Failure> {
    let range = (after, known_tail(handle).await?);
    Ok(handle.events.redeliveries(reach(Who::Main)?, EventFilter::default(), range, max).await?)
}

/// Subscribes to my card messages, and sends some.
async fn subscribe_and_send(handle: &Handle, count: u128) -> Result<Vec<StoredEvent>, Failure> {
    subscribe(handle, Who::Main, 1).await?;
    for number in 1..=count {
        pay(handle, Who::Main, number).await?;
    }
    stored(handle).await
}

async fn redeliver(handle: &Handle, event: &StoredEvent) -> CheckResult {
    expect_new(handle.deliveries.redeliver(redelivery(1, event.id)).await)?;
    Ok(())
}

fn events_of(redeliveries: &[Redelivery]) -> Vec<StoredEvent> {
    redeliveries.iter().map(|redelivery| redelivery.event.clone()).collect()
}

async fn in_order(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = subscribe_and_send(&handle, 3).await?;
    same("before any", my_redeliveries(&handle, START, 9).await?.found, vec![])?;
    let start = known_tail(&handle).await?;
    let order = [&made[1], &made[0], &made[1]];
    for event in order {
        redeliver(&handle, event).await?;
    }
    let end = known_tail(&handle).await?;
    let all = my_redeliveries(&handle, start, 9).await?;
    same("the events", events_of(&all.found), order.map(Clone::clone).to_vec())?;
    same("the last position that was searched", all.until, end)?;
    let positions: Vec<_> = all.found.iter().map(|redelivery| redelivery.position).collect();
    expect_true(
        "positions are not after the events, or not in order",
        positions.is_sorted() && positions[0] > start && positions[2] <= end,
    )?;
    let two = my_redeliveries(&handle, start, 2).await?;
    same("the first two", (&two.found[..], two.until), (&all.found[..2], positions[1]))?;
    same("the rest", my_redeliveries(&handle, two.until, 2).await?.found, all.found[2..].to_vec())?;
    let until_two = (start, positions[1]);
    let found = handle.events.redeliveries(reach(Who::Main)?, EventFilter::default(), until_two, 9).await?;
    same("up to a position", (found.found.len(), found.until), (2, positions[1]))?;
    same("the events after the redeliveries", stored(&handle).await?, made)?;
    let between = handle.events.between(reach(Who::Main)?, EventFilter::default(), (start, end), 9).await?;
    same("between", between, vec![])?;
    for position in positions {
        let id = Redelivery::id_at(position);
        same("its position", handle.events.position_of(reach(Who::Main)?, id).await?, Some(position))?;
        same("the position for another client", handle.events.position_of(reach(Who::Other)?, id).await?, None)?;
    }
    let later = Redelivery::id_at(EventPosition(end.0 + 1));
    same(
        "the position of a redelivery that does not exist",
        handle.events.position_of(reach(Who::Main)?, later).await?,
        None,
    )?;
    pay(&handle, Who::Main, 9).await?;
    let next = stored(&handle).await?.pop().map(|event| event.position);
    expect_true("a position was given twice", next > Some(end))
}

async fn redeliveries_of_the_reach_and_the_filter_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = subscribe_and_send(&handle, 2).await?;
    redeliver(&handle, &made[0]).await?;
    let range = (START, known_tail(&handle).await?);
    let of = |reach, filter| handle.events.redeliveries(reach, filter, range, 9);
    let client = |who: Who, accounts| EventReach { client: who.client(), accounts };
    let foreign = client(Who::Other, Some([Who::Main.account()?].into()));
    let other = client(Who::Main, Some([AccountId::parse("W9")?].into()));
    for (reach, expected) in [(client(Who::Main, None), 1), (reach(Who::Main)?, 1), (foreign, 0), (other, 0)] {
        let found = of(reach.clone(), EventFilter::default()).await?;
        same(&format!("of {reach:?}"), (found.found.len(), found.until), (expected, range.1))?;
    }
    let none = EventFilter::default;
    let filters = [
        (EventFilter { kinds: [EventKind::CardTransaction].into(), ..none() }, 1),
        (EventFilter { kinds: [EventKind::BoxDebited].into(), ..none() }, 0),
        (EventFilter { object: Some(made[0].object), ..none() }, 1),
        (EventFilter { object: Some(made[1].object), ..none() }, 0),
    ];
    for (filter, expected) in filters {
        same(&format!("{filter:?}"), of(reach(Who::Main)?, filter.clone()).await?.found.len(), expected)?;
    }
    Ok(())
}

async fn once_for_each_effect(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = subscribe_and_send(&handle, 1).await?;
    let answer = StoredResponse { status: 202, body: "queued".into() };
    let under_key = || -> Result<_, Failure> {
        let claim = Some(claimed(Who::Main, "k", "", Some(answer.clone()))?);
        Ok(RedeliverCommand { claim, ..redelivery(1, made[0].id) })
    };
    expect_new(handle.deliveries.redeliver(under_key()?).await)?;
    replayed(handle.deliveries.redeliver(under_key()?).await)?;
    same("after a replay", my_redeliveries(&handle, START, 9).await?.found.len(), 1)?;
    let disabled = Webhook { state: disabled_by_client(), ..webhook(Who::Main, 1)? };
    expect_new(handle.webhooks.change(change(Who::Main, disabled)).await)?;
    refused(handle.deliveries.redeliver(redelivery(1, made[0].id)).await)?;
    same("after a refusal", my_redeliveries(&handle, START, 9).await?.found.len(), 1)
}

async fn include_those_of_a_recovery(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.webhooks.create(create(Webhook { account: None, ..webhook(Who::Main, 9)? })).await)?;
    pay(&handle, Who::Main, 5).await?;
    subscribe_and_send(&handle, 2).await?;
    let made = stored(&handle).await?;
    let now = noon() + TimeDelta::days(1);
    let claims = claim(&handle, (1, 1), now, 1).await?;
    let exhausted = end(&claims[0], 500, decision(DeliveryStatus::Exhausted, now));
    handle.deliveries.record(vec![exhausted], now).await?;
    expect_new(handle.deliveries.recover(recovery(1, noon() - TimeDelta::days(9))).await)?;
    let mut found = events_of(&my_redeliveries(&handle, START, 9).await?.found);
    found.sort_by_key(|event| event.position);
    // One event is from before the subscription, and one is exhausted. The third one is waiting, so it is not
    // recovered.
    same("recovered", found, made[..2].to_vec())
}

async fn redeliveries_are_deleted_with_their_events(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    subscribe(&handle, Who::Main, 1).await?;
    pay(&handle, Who::Main, 1).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    pay(&handle, Who::Main, 2).await?;
    let made = stored(&handle).await?;
    for event in &made {
        redeliver(&handle, event).await?;
    }
    let before = my_redeliveries(&handle, START, 9).await?.found;
    same("all", events_of(&before), made.clone())?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    same("after a restore", my_redeliveries(&handle, START, 9).await?.found, before[..1].to_vec())?;
    let undone = Redelivery::id_at(before[1].position);
    same("the redelivery of an undone event", handle.events.position_of(reach(Who::Main)?, undone).await?, None)?;
    handle.events.delete_events(PlainRenderer::now() + TimeDelta::days(9999), 100).await?;
    same("after the deletion of old events", my_redeliveries(&handle, START, 9).await?.found, vec![])
}
