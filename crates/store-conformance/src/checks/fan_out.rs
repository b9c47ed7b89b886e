//! Checks of the fan-out: no matter when a delivery is queued, the outcome is the same as if it was queued in the
//! transaction of the event.

use super::events::stored;
use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{add_checkout, add_paid_session};
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::seed_data::{Who, noon, seed_store};
use crate::webhooks::{change, claim, create, fan_out, id, log, pay, redelivery, seed_deliveries, subscribe, webhook};
use chrono::TimeDelta;
use florin_domain::event::EventKind;
use florin_domain::ids::EventId;
use florin_domain::test_support::disabled_by_client;
use florin_domain::webhook::{CheckoutIds, Webhook};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

checks! {
    "deliveries.fan_out.as_the_subscription_was_at_the_event" => as_it_was,
    "deliveries.fan_out.a_filter_does_not_affect_earlier_events" => filter_changed,
    "deliveries.fan_out.includes_every_acknowledged_event" => includes_every_acknowledged_event,
    "deliveries.fan_out.each_event_once_while_others_write" => each_event_once_while_others_write,
    "deliveries.new_events.ends_after_the_commit_of_received_events" => ends_after_the_commit_of_received_events,
}

/// Claims the deliveries of a subscription, and returns their events.
async fn claimed_events(handle: &Handle, number: u128) -> Result<BTreeSet<EventId>, Failure> {
    let claims = claim(handle, (number, number), noon() + TimeDelta::days(1), 1_000).await?;
    let events: BTreeSet<_> = claims.iter().map(|claim| claim.delivery.event).collect();
    same("each event once", events.len(), claims.len())?;
    Ok(events)
}

async fn as_it_was(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let witness = Webhook { account: None, ..webhook(Who::Main, 9)? };
    expect_new(handle.webhooks.create(create(witness)).await)?;
    pay(&handle, Who::Main, 1).await?;
    let enabled = subscribe(&handle, Who::Main, 1).await?;
    let disabled = Webhook { state: disabled_by_client(), ..enabled.clone() };
    pay(&handle, Who::Main, 2).await?;
    // Nothing queues deliveries between the events and the changes.
    for (number, to) in [(3, &disabled), (4, &enabled), (5, &disabled)] {
        expect_new(handle.webhooks.change(change(Who::Main, to.clone())).await)?;
        pay(&handle, Who::Main, number).await?;
    }
    expect_new(
        handle.webhooks.create(create(Webhook { state: disabled_by_client(), ..webhook(Who::Main, 2)? })).await,
    )?;
    pay(&handle, Who::Main, 6).await?;
    for number in [1, 2] {
        same("while it is disabled", claimed_events(&handle, number).await?, BTreeSet::new())?;
        expect_new(handle.webhooks.change(change(Who::Main, Webhook { id: id(number), ..enabled.clone() })).await)?;
    }
    pay(&handle, Who::Main, 7).await?;
    let events: Vec<_> = stored(&handle).await?.iter().map(|event| event.id).collect();
    same("the number of events", events.len(), 7)?;
    same(
        "events of the times when it was enabled",
        claimed_events(&handle, 1).await?,
        [events[1], events[3], events[6]].into(),
    )?;
    same("after it was enabled", claimed_events(&handle, 2).await?, [events[6]].into())?;
    same("always enabled", claimed_events(&handle, 9).await?, events.into_iter().collect())
}

async fn filter_changed(handle: Handle) -> CheckResult {
    let kind = EventKind::MerchantCheckoutSessionCompleted;
    seed_store(&handle).await?;
    let (first, second) = (add_checkout(&handle, Who::Main, 1).await?, add_checkout(&handle, Who::Main, 2).await?);
    let of = |checkout| -> Result<Webhook, Failure> {
        let filter = CheckoutIds::new(vec![checkout]).map(Some)?;
        Ok(Webhook { kind, type_name: kind.as_str().into(), filter, ..webhook(Who::Main, 1)? })
    };
    expect_new(handle.webhooks.create(create(of(first)?)).await)?;
    add_paid_session(&handle, Who::Main, first, 1).await?;
    add_paid_session(&handle, Who::Main, second, 2).await?;
    expect_new(handle.webhooks.change(change(Who::Main, of(second)?)).await)?;
    add_paid_session(&handle, Who::Main, first, 3).await?;
    add_paid_session(&handle, Who::Main, second, 4).await?;
    let events = stored(&handle).await?;
    let events: Vec<_> = events.iter().filter(|event| event.kind == kind).map(|event| event.id).collect();
    same("the number of events", events.len(), 4)?;
    same("the events that each filter selected", claimed_events(&handle, 1).await?, [events[0], events[3]].into())
}

/// Until the last claim, no call in this check asks the store to queue deliveries.
async fn includes_every_acknowledged_event(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 1).await?;
    same("in the log", log(&handle, 1).await?.len(), 1)?;
    pay(&handle, Who::Main, 2).await?;
    same("in the backlog", handle.deliveries.backlog().await?.total(), 2)?;
    pay(&handle, Who::Main, 3).await?;
    let waiting = handle.deliveries.backlogs(Some(id(1))).await?.remove(&id(1));
    same("in the backlog of the subscription", expect_some("a backlog", waiting)?.waiting, 3)?;
    pay(&handle, Who::Main, 4).await?;
    let event = expect_some("the event", stored(&handle).await?.pop())?;
    expect_new(handle.deliveries.redeliver(redelivery(1, event.id)).await)?;
    same("the number of deliveries", claimed_events(&handle, 1).await?.len(), 4)
}

/// A store may end the wait early, so only the end is checked.
async fn ends_after_the_commit_of_received_events(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    for number in [1, 2] {
        pay(&handle, Who::Main, number).await?;
        let wait = tokio::time::timeout(Duration::ZERO, handle.deliveries.new_events());
        expect_true("the events were not noticed", wait.await.is_ok())?;
        fan_out(&handle).await?;
    }
    Ok(())
}

async fn each_event_once_while_others_write(handle: Handle) -> CheckResult {
    const WRITERS: u128 = 6;
    const EACH: u128 = 10;
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    let second = handle.second_or_same().await?;
    let is_over = Arc::new(AtomicBool::new(false));
    let queues =
        [handle.clone(), second.clone()].map(|handle| tokio::spawn(queue_deliveries(handle, Arc::clone(&is_over))));
    let mut writers = Vec::new();
    for number in 0..WRITERS {
        let handle = if number % 2 == 0 { handle.clone() } else { second.clone() };
        // The accounts have locks of their own, so their transactions commit in any order.
        let who = if number % 4 < 2 { Who::Main } else { Who::Other };
        writers.push(tokio::spawn(async move {
            for payment in 0..EACH {
                pay(&handle, who, 1_000 * (number + 1) + payment).await?;
            }
            Ok::<_, Failure>(())
        }));
    }
    for writer in writers {
        writer.await.map_err(|error| Failure::new(error.to_string()))??;
    }
    is_over.store(true, Ordering::Relaxed);
    for queue in queues {
        queue.await.map_err(|error| Failure::new(error.to_string()))??;
    }
    let events = stored(&handle).await?;
    same("the deliveries", claimed_events(&handle, 1).await?, events.iter().map(|event| event.id).collect())
}

/// Calls the fan-out until all events are written.
async fn queue_deliveries(handle: Handle, is_over: Arc<AtomicBool>) -> CheckResult {
    while !is_over.load(Ordering::Relaxed) {
        fan_out(&handle).await?;
        tokio::task::yield_now().await;
    }
    Ok(())
}
