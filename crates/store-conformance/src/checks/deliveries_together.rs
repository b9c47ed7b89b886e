//! Checks of deliveries to several subscriptions: calls that are made concurrently do not affect each other.

use super::events::stored;
use super::panics::bug;
use crate::check::{CheckResult, checks};
use crate::expect::{expect_some, same};
use crate::factory::Handle;
use crate::seed_data::{Who, noon, seed_store};
use crate::together::{Work, in_one_group};
use crate::webhooks::{claim, decision, end, fan_out, id, lease, log, pay, subscribe};
use chrono::TimeDelta;
use florin_domain::webhook::DeliveryStatus;
use florin_ports::{ClaimDeliveriesCommand, ClaimedDeliveries, StoreError};
use std::collections::BTreeMap;
use std::sync::Arc;

checks! {
    "deliveries.claim.concurrent_claims_take_each_delivery_once" => claimed_once,
    "deliveries.record.concurrent_calls_are_independent" => concurrent_calls_are_independent,
    "deliveries.record.of_two_claims_in_a_call_the_current_one_counts" => current_counts,
}

/// Number of subscriptions that receive the same events.
const SUBSCRIPTIONS: u128 = 9;
/// Number of events.
const EVENTS: u128 = 3;

/// Creates subscriptions, and events that all of them receive.
async fn create_deliveries(handle: &Handle) -> CheckResult {
    seed_store(handle).await?;
    for number in 1..=SUBSCRIPTIONS {
        subscribe(handle, Who::Main, number).await?;
    }
    for number in 1..=EVENTS {
        pay(handle, Who::Main, number).await?;
    }
    fan_out(handle).await
}

async fn claimed_once(handle: Handle) -> CheckResult {
    create_deliveries(&handle).await?;
    let now = noon() + TimeDelta::days(1);
    let until = now + TimeDelta::minutes(1);
    let mut work: Vec<Work<Result<Option<ClaimedDeliveries>, StoreError>>> = Vec::new();
    // Two claims of each subscription.
    for number in 0..2 * SUBSCRIPTIONS {
        let deliveries = Arc::clone(&handle.deliveries);
        let (webhook, lease) = (id(1 + number % SUBSCRIPTIONS), lease(number));
        let command = ClaimDeliveriesCommand { webhook, lease, now, until, max: 9 };
        work.push(Box::pin(async move { deliveries.claim(command).await }));
    }
    let bodies: BTreeMap<_, _> = stored(&handle).await?.into_iter().map(|event| (event.id, event.body)).collect();
    let mut found = Vec::new();
    for claimed in in_one_group(&handle, Who::Main, work).await? {
        let Some(claimed) = claimed? else { continue };
        for delivery in claimed.deliveries {
            let key = (delivery.delivery.webhook, delivery.delivery.event);
            same("the subscription", key.0, claimed.webhook.id)?;
            same("the body", delivery.body.as_deref(), bodies.get(&key.1).map(String::as_str))?;
            found.push(key);
        }
    }
    let claimed = found.len();
    found.sort_unstable();
    found.dedup();
    same("claimed once", found.len(), claimed)?;
    same("claimed", u128::try_from(claimed).ok(), Some(SUBSCRIPTIONS * EVENTS))
}

async fn concurrent_calls_are_independent(handle: Handle) -> CheckResult {
    create_deliveries(&handle).await?;
    let now = noon() + TimeDelta::days(1);
    let until = now + TimeDelta::minutes(1);
    let status =
        |number: u128| if number.is_multiple_of(2) { DeliveryStatus::Exhausted } else { DeliveryStatus::Delivered };
    let mut work: Vec<Work<Result<u64, StoreError>>> = Vec::new();
    for number in 1..=SUBSCRIPTIONS {
        let claims = claim(&handle, (number, number), now, 2).await?;
        let mut ends: Vec<_> = claims.iter().map(|claim| end(claim, 200, decision(status(number), now))).collect();
        if number == 1 {
            ends[1].decide = Arc::new(|_| bug());
        }
        let deliveries = Arc::clone(&handle.deliveries);
        work.push(Box::pin(async move { deliveries.record(ends, now).await }));
        let deliveries = Arc::clone(&handle.deliveries);
        let (webhook, lease) = (id(number), lease(SUBSCRIPTIONS + number));
        let command = ClaimDeliveriesCommand { webhook, lease, now, until, max: 9 };
        work.push(Box::pin(async move {
            let claimed = deliveries.claim(command).await?;
            Ok(claimed.map_or(0, |claimed| claimed.deliveries.len() as u64))
        }));
    }
    let answers = in_one_group(&handle, Who::Main, work).await?;
    let answers: Vec<_> = answers.into_iter().map(Result::ok).collect();
    let mut expected: Vec<_> = (0..SUBSCRIPTIONS).flat_map(|_| [Some(2), Some(1)]).collect();
    // A rule that panics fails its own call.
    expected[0] = None;
    same("ended and claimed", answers, expected)?;
    for number in 1..=SUBSCRIPTIONS {
        let ended = log(&handle, number).await?.into_iter().filter(|logged| logged.delivery.status == status(number));
        let attempts: Vec<_> = ended.map(|logged| logged.attempts.len()).collect();
        same("ended deliveries", attempts, if number == 1 { vec![] } else { vec![1, 1] })?;
    }
    Ok(())
}

async fn current_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    for (number, is_stale_first) in [(1, true), (2, false)] {
        pay(&handle, Who::Main, number).await?;
        let now = noon() + TimeDelta::days(1);
        let stale = claim(&handle, (1, 2 * number), now, 9).await?;
        let current = claim(&handle, (1, 2 * number + 1), now + TimeDelta::minutes(2), 9).await?;
        let mut ends = vec![
            end(&stale[0], 500, decision(DeliveryStatus::Exhausted, now)),
            end(&current[0], 200, decision(DeliveryStatus::Delivered, now)),
        ];
        if !is_stale_first {
            ends.reverse();
        }
        same("recorded", handle.deliveries.record(ends, now).await?, 1)?;
        let logged = log(&handle, 1).await?;
        let found = logged.into_iter().find(|logged| logged.delivery.event == current[0].delivery.event);
        let logged = expect_some("the delivery", found)?;
        let numbers: Vec<_> = logged.attempts.iter().map(|attempt| attempt.number).collect();
        same("the delivery", (logged.delivery.status, numbers), (DeliveryStatus::Delivered, vec![2]))?;
    }
    Ok(())
}
