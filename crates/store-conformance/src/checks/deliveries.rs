//! Checks of deliveries: how they are queued, claimed, recorded and sent again.

use super::events::stored;
use crate::check::{CheckResult, Failure, checks};
use crate::commands::purchase;
use crate::expect::{absent, expect_new, expect_some, expect_true, refused, replayed, same};
use crate::factory::Handle;
use crate::seed_data::{Who, noon, seed_store, uuid};
use crate::webhooks::{
    change, claim, claimed, create, decision, delivery_claims, due, end, everything, id, keys, log, pay, reach,
    recovery, redelivery, seed_deliveries, subscribe, webhook,
};
use crate::worlds::{command, restore, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::ids::EventId;
use florin_domain::page::PageRequest;
use florin_domain::test_support::disabled_by_client;
use florin_domain::webhook::{
    DeliveredEvent, Delivery, DeliveryDecision, DeliveryStatus, DisabledReason, FirstFailure, Webhook, WebhookRefusal,
    WebhookState, WebhookUrl,
};
use florin_domain::world::{ClockChange, decide_clock};
use florin_ports::{
    ClockCommand, DeliveryFilter, LoggedDelivery, RedeliverCommand, StoredResponse, TestWebhookCommand,
};
use std::sync::Arc;

checks! {
    "deliveries.queue.one_for_each_matching_subscription" => one_for_each_matching_subscription,
    "deliveries.queue.a_refusal_queues_nothing" => a_refusal_queues_nothing,
    "deliveries.claim.one_lease_at_a_time" => one_lease_at_a_time,
    "deliveries.claim.counts_the_attempt_before_it_is_sent" => counts_the_attempt_before_it_is_sent,
    "deliveries.claim.longest_due_first_up_to_the_maximum" => in_order,
    "deliveries.claim.not_for_a_disabled_subscription" => claim_not_for_a_disabled_subscription,
    "deliveries.claim.ordered_holds_back_the_same_object" => ordered_holds_back_the_same_object,
    "deliveries.claim.due_by_the_clock_of_the_account" (Sandbox) => by_the_clock,
    "deliveries.record.without_the_lease_has_no_effect" => record_without_the_lease_has_no_effect,
    "deliveries.record.stores_the_attempt_and_the_decision" => stores_the_attempt_and_the_decision,
    "deliveries.release.another_attempt_follows_at_once" => release_another_attempt_follows_at_once,
    "deliveries.log.filters_and_pages" => filters_and_pages,
    "deliveries.redeliver.begins_anew" => begins_anew,
    "deliveries.recover.what_is_neither_delivered_nor_waiting" => what_is_neither_delivered_nor_waiting,
    "deliveries.test.has_its_own_body" => test_has_its_own_body,
    "deliveries.delete_deliveries.old_ones_that_do_not_wait" => old_ones_that_do_not_wait,
    "deliveries.restore.cancels_those_of_undone_events" (Sandbox) => cancels_those_of_undone_events,
    "deliveries.worlds.are_deleted_with_their_world" (Sandbox) => world_deleted,
}

async fn one_for_each_matching_subscription(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    expect_new(handle.webhooks.create(create(Webhook { account: None, ..webhook(Who::Main, 2)? })).await)?;
    subscribe(&handle, Who::Other, 3).await?;
    let other_kind = Webhook { kind: florin_domain::event::EventKind::BoxCredited, ..webhook(Who::Main, 4)? };
    expect_new(handle.webhooks.create(create(other_kind)).await)?;
    expect_new(
        handle.webhooks.create(create(Webhook { state: disabled_by_client(), ..webhook(Who::Main, 5)? })).await,
    )?;
    pay(&handle, Who::Main, 1).await?;
    let event = expect_some("the event", stored(&handle).await?.pop())?;
    for number in [1, 2] {
        let found = log(&handle, number).await?;
        same("the number of deliveries", found.len(), 1)?;
        let LoggedDelivery { delivery, attempts } = &found[0];
        let expected = Delivery {
            webhook: id(number),
            event: event.id,
            account: event.account.clone(),
            object: event.object,
            sequence: 1,
            is_test: false,
            status: DeliveryStatus::Pending,
            attempts: 0,
            scheduled: 0,
            unrecorded: 0,
            created_at: delivery.created_at,
            due_at: None,
        };
        same("the delivery", delivery, &expected)?;
        same("the time of the delivery", delivery.created_at, event.occurred_at)?;
        expect_true("there are attempts", attempts.is_empty())?;
        let claims = claim(&handle, (number, 1), noon() + TimeDelta::days(1), 9).await?;
        same("the body", claims[0].body.as_deref(), Some(event.body.as_str()))?;
    }
    for number in [3, 4, 5] {
        same("the deliveries of other subscriptions", log(&handle, number).await?.len(), 0)?;
    }
    same("the backlog", handle.deliveries.backlog().await?.total(), 2)
}

async fn a_refusal_queues_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    let mut refusing = purchase(Who::Main, 1, "1")?;
    refusing.decide = Arc::new(|_| Err(florin_domain::card::decide::CardRefusal::AlreadyCleared));
    refused(handle.cards.first_message(refusing).await)?;
    same("the number of deliveries", log(&handle, 1).await?.len(), 0)
}

async fn one_lease_at_a_time(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 1).await?;
    let now = noon() + TimeDelta::days(1);
    same("due", due(&handle, now).await?.len(), 1)?;
    same("claimed", claim(&handle, (1, 1), now, 9).await?.len(), 1)?;
    same("due while it is claimed", due(&handle, now).await?.len(), 0)?;
    same("claimed again", claim(&handle, (1, 2), now + TimeDelta::seconds(59), 9).await?.len(), 0)?;
    same("claimed after the lease", claim(&handle, (1, 2), now + TimeDelta::minutes(1), 9).await?.len(), 1)
}

async fn counts_the_attempt_before_it_is_sent(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 1).await?;
    let now = noon() + TimeDelta::days(1);
    for number in 1..=3_u32 {
        let claims = claim(&handle, (1, number.into()), now + TimeDelta::minutes(number.into()), 9).await?;
        let delivery = &claims[0].delivery;
        // The earlier attempts have no recorded end, so they do not use up the schedule.
        let counts = (delivery.attempts, delivery.unrecorded, delivery.scheduled);
        same("the attempts", counts, (number, number, 0))?;
        same("in the log", log(&handle, 1).await?[0].delivery.attempts, number)?;
        if number == 3 {
            let failed = end(&claims[0], 500, decision(DeliveryStatus::Failed, now));
            handle.deliveries.record(vec![failed], now).await?;
        }
    }
    let delivery = log(&handle, 1).await?.remove(0).delivery;
    same("after an end", (delivery.attempts, delivery.unrecorded, delivery.scheduled), (3, 0, 1))
}

async fn in_order(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 3).await?;
    let now = noon() + TimeDelta::days(1);
    let claims = claim(&handle, (1, 1), now, 9).await?;
    same("the number of deliveries", claims.len(), 3)?;
    // After this, the second delivery is due first, and the first delivery last.
    let dues = [TimeDelta::hours(3), TimeDelta::hours(1), TimeDelta::hours(2)];
    let ends = claims.iter().zip(dues).map(|(claim, due)| end(claim, 500, decision(DeliveryStatus::Failed, now + due)));
    same("recorded", handle.deliveries.record(ends.collect(), now).await?, 3)?;
    same("before they are due", claim(&handle, (1, 2), now + TimeDelta::minutes(59), 9).await?.len(), 0)?;
    let later = now + TimeDelta::hours(3);
    let two = claim(&handle, (1, 2), later, 2).await?;
    same("the first two", keys(&two), vec![keys(&claims)[1], keys(&claims)[2]])?;
    same("the rest", keys(&claim(&handle, (1, 3), later, 2).await?), vec![keys(&claims)[0]])
}

async fn claim_not_for_a_disabled_subscription(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = subscribe(&handle, Who::Main, 1).await?;
    pay(&handle, Who::Main, 1).await?;
    let now = noon() + TimeDelta::days(1);
    let disabled = Webhook { state: disabled_by_client(), ..made.clone() };
    expect_new(handle.webhooks.change(change(Who::Main, disabled)).await)?;
    pay(&handle, Who::Main, 2).await?;
    same("due", due(&handle, now).await?.len(), 0)?;
    same("claimed", claim(&handle, (1, 1), now, 9).await?.len(), 0)?;
    same("the backlog", handle.deliveries.backlog().await?.total(), 0)?;
    expect_new(handle.webhooks.change(change(Who::Main, made)).await)?;
    same("claimed when it is enabled", claim(&handle, (1, 1), now, 9).await?.len(), 1)
}

async fn ordered_holds_back_the_same_object(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.webhooks.create(create(Webhook { ordered: true, ..webhook(Who::Main, 1)? })).await)?;
    subscribe(&handle, Who::Main, 2).await?;
    pay(&handle, Who::Main, 1).await?;
    let clear = crate::commands::clearing("1", true)?;
    expect_new(
        handle.cards.follow_up(crate::commands::follow_up(Who::Main, crate::commands::token(1), 2, clear)?).await,
    )?;
    pay(&handle, Who::Main, 3).await?;
    let now = noon() + TimeDelta::days(1);
    same("without an order", claim(&handle, (2, 9), now, 9).await?.len(), 3)?;
    let first = claim(&handle, (1, 1), now, 9).await?;
    let sequences: Vec<_> = first.iter().map(|claim| claim.delivery.sequence).collect();
    same("the first of each object", sequences, vec![1, 1])?;
    same("while the first is claimed", claim(&handle, (1, 2), now, 9).await?.len(), 0)?;
    let failed = decision(DeliveryStatus::Failed, now + TimeDelta::hours(1));
    let ends = first.iter().map(|claim| end(claim, 500, failed.clone())).collect();
    handle.deliveries.record(ends, now).await?;
    same("while the first fails", claim(&handle, (1, 2), now, 9).await?.len(), 0)?;
    let later = now + TimeDelta::hours(1);
    let again = claim(&handle, (1, 3), later, 9).await?;
    let ends = again.iter().map(|claim| end(claim, 500, decision(DeliveryStatus::Exhausted, later))).collect();
    handle.deliveries.record(ends, later).await?;
    let next = claim(&handle, (1, 4), later, 9).await?;
    same("after an exhausted one", next.iter().map(|claim| claim.delivery.sequence).collect::<Vec<_>>(), vec![2])
}

async fn by_the_clock(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    subscribe(&handle, Who::Main, 1).await?;
    pay(&handle, Who::Main, 1).await?;
    // The clock of the account is frozen at noon, whatever the real time is.
    for real in [noon() - TimeDelta::days(900), noon() + TimeDelta::days(900)] {
        let claims = claim(&handle, (1, 1), real, 9).await?;
        same("at noon", claims.len(), 1)?;
        same("its clock", claims[0].clock.now(real), noon())?;
        let due = decision(DeliveryStatus::Failed, noon());
        handle.deliveries.record(vec![end(&claims[0], 500, due)], real).await?;
    }
    let claims = claim(&handle, (1, 1), noon(), 9).await?;
    let due = decision(DeliveryStatus::Failed, noon() + TimeDelta::microseconds(1));
    handle.deliveries.record(vec![end(&claims[0], 500, due)], noon()).await?;
    let late = noon() + TimeDelta::days(900);
    same("before it is due", claim(&handle, (1, 1), late, 9).await?.len(), 0)?;
    let advance = ClockChange::AdvanceBy(TimeDelta::seconds(1));
    let decide = Arc::new(move |setting: &_| decide_clock(*setting, advance, late));
    let account = Who::Main.account()?;
    expect_new(handle.timelines.set_clock(ClockCommand { account, decide, claim: None }).await)?;
    same("when it is due", claim(&handle, (1, 1), noon() - TimeDelta::days(9), 9).await?.len(), 1)
}

async fn record_without_the_lease_has_no_effect(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 1).await?;
    let now = noon() + TimeDelta::days(1);
    let first = claim(&handle, (1, 1), now, 9).await?;
    let second = claim(&handle, (1, 2), now + TimeDelta::minutes(2), 9).await?;
    let delivered = || decision(DeliveryStatus::Delivered, now);
    same("the old lease", handle.deliveries.record(vec![end(&first[0], 200, delivered())], now).await?, 0)?;
    handle.deliveries.release(delivery_claims(&first)).await?;
    handle.deliveries.end(delivery_claims(&first), DeliveryStatus::Cancelled).await?;
    let found = &log(&handle, 1).await?[0];
    same(
        "the delivery",
        (found.delivery.status, found.delivery.attempts, found.attempts.len()),
        (DeliveryStatus::Pending, 2, 0),
    )?;
    same("the lease", handle.deliveries.record(vec![end(&second[0], 200, delivered())], now).await?, 1)?;
    same("the lease again", handle.deliveries.record(vec![end(&second[0], 200, delivered())], now).await?, 0)?;
    same("the attempts", log(&handle, 1).await?[0].attempts.len(), 1)
}

async fn stores_the_attempt_and_the_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    subscribe(&handle, Who::Main, 2).await?;
    pay(&handle, Who::Main, 1).await?;
    let now = noon() + TimeDelta::days(1);
    let claims = claim(&handle, (1, 1), now, 9).await?;
    // The rule receives the subscription in its state at the end of the attempt.
    let moved = Webhook { url: WebhookUrl::stored("https://example.org/".into()), ..webhook(Who::Main, 1)? };
    expect_new(handle.webhooks.change(change(Who::Main, moved.clone())).await)?;
    let failing = FirstFailure { account: Who::Main.account()?, since: noon(), real_since: now };
    let verdict = DeliveryDecision {
        status: DeliveryStatus::Failed,
        due_at: Some(now + TimeDelta::microseconds(7)),
        disable: Some(DisabledReason::Gone),
        failing: Some(failing.clone()),
    };
    let mut ended = end(&claims[0], 410, verdict);
    let attempt = ended.attempt.clone();
    let decide = ended.decide;
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let shared = Arc::clone(&seen);
    ended.decide = Arc::new(move |situation| {
        shared.lock().map(|mut seen| seen.push(situation.clone())).ok();
        decide(situation)
    });
    same("recorded", handle.deliveries.record(vec![ended], now).await?, 1)?;
    let situation = seen.lock().map(|mut seen| seen.pop()).ok().flatten();
    let situation = expect_some("the situation", situation)?;
    same("its delivery", (&situation.delivery, situation.webhook), (&claims[0].delivery, moved))?;
    let LoggedDelivery { delivery, attempts } = log(&handle, 1).await?.remove(0);
    let due = Some(now + TimeDelta::microseconds(7));
    same("the status", (delivery.status, delivery.due_at), (DeliveryStatus::Failed, due))?;
    same("the attempts", attempts, vec![attempt])?;
    let found = expect_some("the subscription", handle.webhooks.find(reach(Who::Main), id(1)).await?)?;
    let expected = WebhookState::Disabled { at: now, reason: Some(DisabledReason::Gone) };
    same("disabled", found.state, expected)?;
    same("failing", found.failing, Some(failing))?;
    let other = expect_some("the other subscription", handle.webhooks.find(reach(Who::Main), id(2)).await?)?;
    expect_true("the other one is disabled", other.state.is_enabled() && other.failing.is_none())
}

async fn release_another_attempt_follows_at_once(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 1).await?;
    let now = noon() + TimeDelta::days(1);
    let claims = claim(&handle, (1, 1), now, 9).await?;
    handle.deliveries.release(delivery_claims(&claims)).await?;
    let again = claim(&handle, (1, 2), now, 9).await?;
    same("the attempts", (again.len(), again[0].delivery.attempts), (1, 2))?;
    handle.deliveries.end(delivery_claims(&again), DeliveryStatus::Exhausted).await?;
    same("the status", log(&handle, 1).await?[0].delivery.status, DeliveryStatus::Exhausted)?;
    same("claimed", claim(&handle, (1, 3), now, 9).await?.len(), 0)
}

async fn filters_and_pages(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 3).await?;
    let now = noon() + TimeDelta::days(1);
    let claims = claim(&handle, (1, 1), now, 1).await?;
    let delivered = end(&claims[0], 200, decision(DeliveryStatus::Delivered, now));
    handle.deliveries.record(vec![delivered], now).await?;
    let event = claims[0].delivery.event;
    let created = claims[0].delivery.created_at;
    let none = || everything(9);
    for (filter, expected) in [
        (none(), 3_u8),
        (DeliveryFilter { status: Some(DeliveryStatus::Delivered), ..none() }, 1),
        (DeliveryFilter { status: Some(DeliveryStatus::Pending), ..none() }, 2),
        (DeliveryFilter { event: Some(event), ..none() }, 1),
        (DeliveryFilter { from: Some(created), ..none() }, 3),
        (DeliveryFilter { from: Some(created + TimeDelta::days(1)), ..none() }, 0),
        (DeliveryFilter { to: Some(created - TimeDelta::days(1)), ..none() }, 0),
    ] {
        let page = PageRequest { limit: 2, offset: 0 };
        let found = handle.deliveries.log(id(1), filter.clone(), page).await?;
        same(
            &format!("those of {filter:?}"),
            (found.count, found.rows.len()),
            (i64::from(expected), expected.min(2).into()),
        )?;
        let rest = handle.deliveries.log(id(1), filter, PageRequest { limit: 2, offset: 2 }).await?;
        same("the rest", rest.rows.len(), expected.saturating_sub(2).into())?;
    }
    same(
        "the log of an unknown subscription",
        handle.deliveries.log(id(9), none(), PageRequest::default()).await?.count,
        0,
    )
}

async fn begins_anew(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = subscribe(&handle, Who::Main, 1).await?;
    pay(&handle, Who::Main, 1).await?;
    let now = noon() + TimeDelta::days(1);
    let claims = claim(&handle, (1, 1), now, 9).await?;
    let event = claims[0].delivery.event;
    let exhausted = end(&claims[0], 500, decision(DeliveryStatus::Exhausted, now));
    handle.deliveries.record(vec![exhausted], now).await?;
    let answer = StoredResponse { status: 202, body: "queued".into() };
    let once = || -> Result<_, Failure> {
        Ok(RedeliverCommand { claim: Some(claimed(Who::Main, "k", "", Some(answer.clone()))?), ..redelivery(1, event) })
    };
    expect_new(handle.deliveries.redeliver(once()?).await)?;
    let again = claim(&handle, (1, 2), now, 9).await?;
    same("the attempts", (again[0].delivery.attempts, again[0].delivery.scheduled), (2, 0))?;
    same("the replay", replayed(handle.deliveries.redeliver(once()?).await)?, answer)?;
    same("claimed after the replay", claim(&handle, (1, 3), now, 9).await?.len(), 0)?;
    absent("an unknown event", &handle.deliveries.redeliver(redelivery(1, EventId(uuid(73, 1)))).await)?;
    absent("an unknown subscription", &handle.deliveries.redeliver(redelivery(9, event)).await)?;
    let foreign = RedeliverCommand { reach: reach(Who::Other), ..redelivery(1, event) };
    absent("a foreign subscription", &handle.deliveries.redeliver(foreign).await)?;
    expect_new(handle.webhooks.change(change(Who::Main, Webhook { state: disabled_by_client(), ..made })).await)?;
    let disabled = handle.deliveries.redeliver(redelivery(1, event)).await;
    same("a disabled subscription", refused(disabled)?, WebhookRefusal::Disabled)
}

async fn what_is_neither_delivered_nor_waiting(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    // Because of this subscription, events are written from now on. Its own deliveries are never claimed.
    let witness = Webhook { account: None, ..webhook(Who::Main, 9)? };
    expect_new(handle.webhooks.create(create(witness)).await)?;
    pay(&handle, Who::Main, 1).await?;
    subscribe(&handle, Who::Main, 1).await?;
    for number in 2..=4 {
        pay(&handle, Who::Main, number).await?;
    }
    pay(&handle, Who::Other, 50).await?;
    let now = noon() + TimeDelta::days(1);
    let claims = claim(&handle, (1, 1), now, 2).await?;
    let ends = vec![
        end(&claims[0], 200, decision(DeliveryStatus::Delivered, now)),
        end(&claims[1], 500, decision(DeliveryStatus::Exhausted, now)),
    ];
    handle.deliveries.record(ends, now).await?;
    let at = claims[0].delivery.created_at;
    same(
        "recovered events of a later time",
        expect_new(handle.deliveries.recover(recovery(1, at + TimeDelta::hours(1))).await)?,
        0,
    )?;
    // The exhausted event, and the event from before the subscription.
    same("recovered", expect_new(handle.deliveries.recover(recovery(1, at - TimeDelta::hours(1))).await)?, 2)?;
    same("recovered again", expect_new(handle.deliveries.recover(recovery(1, at - TimeDelta::hours(1))).await)?, 0)?;
    same("claimed", claim(&handle, (1, 2), now, 9).await?.len(), 3)?;
    same("in the log", log(&handle, 1).await?.len(), 4)
}

async fn test_has_its_own_body(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    let (event, account, object) = (EventId(uuid(73, 1)), Who::Main.account()?, uuid(73, 1));
    let event = DeliveredEvent { id: event, account, object, sequence: 0, at: noon() };
    let delivery = Delivery { is_test: true, ..Delivery::new(id(1), event) };
    let command = |who| TestWebhookCommand {
        reach: reach(who),
        delivery: delivery.clone(),
        body: "a tést".into(),
        now: noon(),
        decide: Arc::new(|_| Ok(())),
        claim: None,
    };
    absent("a foreign subscription", &handle.deliveries.test(command(Who::Other)).await)?;
    same("the id", expect_new(handle.deliveries.test(command(Who::Main)).await)?, delivery.event)?;
    // The test is due immediately, although the clock of its account is ahead.
    let claims = claim(&handle, (1, 1), noon() - TimeDelta::days(9), 9).await?;
    same("the body", claims[0].body.as_deref(), Some("a tést"))?;
    same("a test", claims[0].delivery.is_test, true)?;
    expect_new(handle.deliveries.redeliver(redelivery(1, delivery.event)).await)?;
    same("events", stored(&handle).await?.len(), 0)
}

async fn old_ones_that_do_not_wait(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 3).await?;
    let now = noon() + TimeDelta::days(1);
    let claims = claim(&handle, (1, 1), now, 2).await?;
    let ends = claims.iter().map(|claim| end(claim, 200, decision(DeliveryStatus::Delivered, now))).collect();
    handle.deliveries.record(ends, now).await?;
    let queued = crate::event_renderer::PlainRenderer::now();
    same("too young", handle.deliveries.delete_deliveries(queued, 9).await?, 0)?;
    let later = queued + TimeDelta::seconds(1);
    same("at most one", handle.deliveries.delete_deliveries(later, 1).await?, 1)?;
    same("the rest", handle.deliveries.delete_deliveries(later, 9).await?, 1)?;
    same("the deliveries that are left", log(&handle, 1).await?.len(), 1)
}

async fn cancels_those_of_undone_events(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    subscribe(&handle, Who::Main, 1).await?;
    pay(&handle, Who::Main, 1).await?;
    let claims = claim(&handle, (1, 1), noon(), 9).await?;
    let delivered = end(&claims[0], 200, decision(DeliveryStatus::Delivered, noon()));
    handle.deliveries.record(vec![delivered], noon()).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    pay(&handle, Who::Main, 2).await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    let found: Vec<_> = log(&handle, 1).await?.into_iter().map(|logged| logged.delivery).collect();
    let of = |status| found.iter().filter(|delivery| delivery.status == status).count();
    same("statuses", (of(DeliveryStatus::Cancelled), of(DeliveryStatus::Delivered), found.len()), (1, 1, 2))?;
    same("claimed", claim(&handle, (1, 2), noon(), 9).await?.len(), 0)?;
    let undone =
        expect_some("the undone one", found.iter().find(|delivery| delivery.status == DeliveryStatus::Cancelled))?;
    let gone = handle.deliveries.redeliver(redelivery(1, undone.event)).await;
    same("an undone event", refused(gone)?, WebhookRefusal::EventGone)
}

async fn world_deleted(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    subscribe(&handle, Who::Main, 1).await?;
    let failing = FirstFailure { account: Who::Main.account()?, since: noon(), real_since: noon() };
    let of_all = Webhook { account: None, failing: Some(failing), ..webhook(Who::Main, 2)? };
    expect_new(handle.webhooks.create(create(of_all)).await)?;
    subscribe(&handle, Who::Other, 3).await?;
    pay(&handle, Who::Main, 1).await?;
    same("queued", log(&handle, 2).await?.len(), 1)?;
    handle.worlds.delete(&Who::Main.account()?).await?;
    let left = handle.webhooks.all().await?;
    same(
        "the subscriptions that are left",
        left.iter().map(|webhook| webhook.id).collect::<Vec<_>>(),
        vec![id(2), id(3)],
    )?;
    same("failing", left[0].failing.clone(), None)?;
    for number in [1, 2] {
        same("deliveries", log(&handle, number).await?.len(), 0)?;
    }
    same("due", due(&handle, noon() + TimeDelta::days(1)).await?.len(), 0)
}
