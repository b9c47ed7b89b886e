//! Further checks of deliveries: order, pauses, backlog, log, recovery and restore.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{add_checkout, add_paid_session};
use crate::commands::{clearing, follow_up, token};
use crate::expect::{absent, expect_new, expect_some, replayed, same};
use crate::factory::Handle;
use crate::seed_data::{Who, noon, seed_store};
use crate::webhooks::{
    account_reach, change, claim, claimed, create, decision, due, end, id, keys, log, pay, reach, recovery, redelivery,
    seed_deliveries, subscribe, webhook,
};
use crate::worlds::{command, restore, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::event::EventKind;
use florin_domain::page::PageRequest;
use florin_domain::test_support::disabled_by_client;
use florin_domain::webhook::{CheckoutIds, DeliveryDecision, DeliveryStatus, FirstFailure, Webhook};
use florin_domain::world::{ClockChange, decide_clock};
use florin_ports::{
    ChangeWebhookCommand, ClaimDeliveriesCommand, ClaimedDelivery, ClockCommand, StoredResponse, WaitingDeliveries,
    WebhookReach,
};
use std::collections::BTreeMap;
use std::sync::Arc;

checks! {
    "deliveries.claim.a_first_attempt_waits_for_no_clock" => a_first_attempt_waits_for_no_clock,
    "deliveries.claim.not_for_a_disabled_client" => claim_not_for_a_disabled_client,
    "deliveries.claim.first_attempts_and_retries_take_turns" => first_attempts_and_retries_take_turns,
    "deliveries.claim.an_order_can_be_given_up" => order_given_up,
    "deliveries.claim.an_order_can_be_given_up_for_a_while" => order_regained,
    "deliveries.claim.an_earlier_event_that_is_sent_again_holds_back_later_ones" =>
        an_earlier_event_that_is_sent_again_holds_back_later_ones,
    "deliveries.record.a_claim_is_one_attempt" => one_attempt,
    "deliveries.log.shows_the_last_attempts" => last_attempts,
    "deliveries.recover.more_than_one_portion" => more_than_one_portion,
    "deliveries.deletion.nothing_is_claimed_and_portions_are_removed" => nothing_is_claimed_and_portions_are_removed,
    "deliveries.queue.a_filter_selects_checkouts" => a_filter_selects_checkouts,
    "deliveries.backlogs.count_what_waits_for_each_subscription" => backlogs_count_what_waits_for_each_subscription,
    "deliveries.repeats.others_get_no_stored_answer" => foreign_repeats,
    "deliveries.resumptions.count_requests_for_deliveries_now" (Sandbox) =>
        resumptions_count_requests_for_deliveries_now,
    "deliveries.restore.retries_of_the_undone_time_are_due" (Sandbox) => retries_of_the_undone_time_are_due,
}

async fn a_first_attempt_waits_for_no_clock(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 1).await?;
    // The account's clock is ahead of the instance's clock.
    let early = noon() - TimeDelta::days(900);
    same("due", due(&handle, early).await?.len(), 1)?;
    let first = claim(&handle, (1, 1), early, 9).await?;
    same("claimed", first.len(), 1)?;
    let failed = end(&first[0], 500, decision(DeliveryStatus::Failed, noon()));
    handle.deliveries.record(vec![failed], early).await?;
    same("the retry", claim(&handle, (1, 2), early, 9).await?.len(), 0)?;
    expect_new(handle.deliveries.redeliver(redelivery(1, first[0].delivery.event)).await)?;
    same("redelivered", claim(&handle, (1, 3), early, 9).await?.len(), 1)
}

async fn claim_not_for_a_disabled_client(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    subscribe(&handle, Who::Other, 2).await?;
    pay(&handle, Who::Main, 1).await?;
    handle.registry.set_disabled(Who::Main.client(), Some(noon())).await?;
    same("due", due(&handle, noon()).await?.len(), 0)?;
    let command = ClaimDeliveriesCommand {
        webhook: id(1),
        lease: crate::webhooks::lease(1),
        now: noon(),
        until: noon() + TimeDelta::minutes(1),
        max: 9,
    };
    same("claimed", handle.deliveries.claim(command).await?, None)?;
    same("the backlog", handle.deliveries.backlog().await?.total(), 0)?;
    handle.registry.set_disabled(Who::Main.client(), None).await?;
    same("claimed when it is enabled", claim(&handle, (1, 2), noon(), 9).await?.len(), 1)
}

async fn a_filter_selects_checkouts(handle: Handle) -> CheckResult {
    let kind = EventKind::MerchantCheckoutSessionCompleted;
    let of = |number: u128, filter| -> Result<Webhook, Failure> {
        Ok(Webhook { kind, type_name: kind.as_str().into(), filter, ..webhook(Who::Main, number)? })
    };
    seed_store(&handle).await?;
    let (first, second) = (add_checkout(&handle, Who::Main, 1).await?, add_checkout(&handle, Who::Main, 2).await?);
    let only = |checkout| CheckoutIds::new(vec![checkout]).map(Some);
    for (number, filter) in [(1, None), (2, only(first)?), (3, only(second)?)] {
        expect_new(handle.webhooks.create(create(of(number, filter)?)).await)?;
    }
    add_paid_session(&handle, Who::Main, first, 1).await?;
    let now = noon() + TimeDelta::days(1);
    for (number, expected) in [(1, 1), (2, 1), (3, 0)] {
        same("claimed", claim(&handle, (number, number), now, 9).await?.len(), expected)?;
    }
    add_paid_session(&handle, Who::Main, second, 2).await?;
    expect_new(handle.webhooks.create(create(of(4, only(second)?)?)).await)?;
    same("recovered", expect_new(handle.deliveries.recover(recovery(4, noon())).await)?, 1)?;
    same("sent again", claim(&handle, (4, 9), now, 9).await?.len(), 1)
}

async fn first_attempts_and_retries_take_turns(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 2).await?;
    let now = noon() + TimeDelta::days(1);
    let retried = claim(&handle, (1, 1), now, 9).await?;
    let failed = |claim| end(claim, 500, decision(DeliveryStatus::Failed, now));
    handle.deliveries.record(retried.iter().map(failed).collect(), now).await?;
    for number in 3..=4 {
        pay(&handle, Who::Main, number).await?;
    }
    let both = claim(&handle, (1, 2), now, 2).await?;
    let mut attempts: Vec<_> = both.iter().map(|claim| claim.delivery.attempts).collect();
    attempts.sort_unstable();
    same("one of each", attempts, vec![1, 2])
}

/// Returns the sequences of claimed deliveries.
fn sequences(claimed: &[ClaimedDelivery]) -> Vec<i64> {
    claimed.iter().map(|claim| claim.delivery.sequence).collect()
}

/// Creates an ordered subscription, and a chain of two messages that it receives.
async fn chain(handle: &Handle) -> CheckResult {
    seed_store(handle).await?;
    expect_new(handle.webhooks.create(create(Webhook { ordered: true, ..webhook(Who::Main, 1)? })).await)?;
    pay(handle, Who::Main, 1).await?;
    let clear = clearing("1", true)?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, clear)?).await)?;
    Ok(())
}

async fn order_given_up(handle: Handle) -> CheckResult {
    chain(&handle).await?;
    let now = noon() + TimeDelta::days(1);
    same("the first", claim(&handle, (1, 1), now, 9).await?.len(), 1)?;
    same("the second", claim(&handle, (1, 2), now, 9).await?.len(), 0)?;
    same("due", due(&handle, now).await?.len(), 0)?;
    expect_new(handle.webhooks.change(change(Who::Main, webhook(Who::Main, 1)?)).await)?;
    same("due without an order", due(&handle, now).await?.len(), 1)?;
    same("the second without an order", claim(&handle, (1, 3), now, 9).await?.len(), 1)
}

async fn order_regained(handle: Handle) -> CheckResult {
    chain(&handle).await?;
    let now = noon() + TimeDelta::days(1);
    let first = claim(&handle, (1, 1), now, 9).await?;
    same("the second", claim(&handle, (1, 2), now, 9).await?.len(), 0)?;
    let mine = webhook(Who::Main, 1)?;
    expect_new(
        handle.webhooks.change(change(Who::Main, Webhook { state: disabled_by_client(), ..mine.clone() })).await,
    )?;
    let delivered = end(&first[0], 200, decision(DeliveryStatus::Delivered, now));
    handle.deliveries.record(vec![delivered], now).await?;
    expect_new(handle.webhooks.change(change(Who::Main, Webhook { ordered: true, ..mine })).await)?;
    same("due", due(&handle, now).await?.len(), 1)?;
    let next = claim(&handle, (1, 3), now, 9).await?;
    same("the second in order again", sequences(&next), vec![2])
}

async fn an_earlier_event_that_is_sent_again_holds_back_later_ones(handle: Handle) -> CheckResult {
    chain(&handle).await?;
    let now = noon() + TimeDelta::days(1);
    let first = claim(&handle, (1, 1), now, 9).await?;
    let exhausted = end(&first[0], 500, decision(DeliveryStatus::Exhausted, now));
    handle.deliveries.record(vec![exhausted], now).await?;
    expect_new(handle.deliveries.redeliver(redelivery(1, first[0].delivery.event)).await)?;
    let again = claim(&handle, (1, 2), now, 9).await?;
    same("the first again", sequences(&again), vec![1])?;
    let delivered = end(&again[0], 200, decision(DeliveryStatus::Delivered, now));
    handle.deliveries.record(vec![delivered], now).await?;
    let next = claim(&handle, (1, 3), now, 9).await?;
    same("the second", sequences(&next), vec![2])
}

async fn one_attempt(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 1).await?;
    let now = noon() + TimeDelta::days(1);
    let first = claim(&handle, (1, 1), now, 9).await?;
    expect_new(handle.deliveries.redeliver(redelivery(1, first[0].delivery.event)).await)?;
    // The same lease, but another attempt.
    let second = claim(&handle, (1, 1), now, 9).await?;
    let failed = end(&first[0], 500, decision(DeliveryStatus::Exhausted, now));
    same("the first attempt", handle.deliveries.record(vec![failed], now).await?, 0)?;
    handle.deliveries.release(crate::webhooks::delivery_claims(&first)).await?;
    let delivered = end(&second[0], 200, decision(DeliveryStatus::Delivered, now));
    same("the second attempt", handle.deliveries.record(vec![delivered], now).await?, 1)?;
    same("the status", log(&handle, 1).await?[0].delivery.status, DeliveryStatus::Delivered)
}

async fn last_attempts(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 1).await?;
    let now = noon() + TimeDelta::days(1);
    for number in 1..=5 {
        let claims = claim(&handle, (1, number), now, 9).await?;
        let failed = end(&claims[0], 500, decision(DeliveryStatus::Failed, now));
        handle.deliveries.record(vec![failed], now).await?;
    }
    for (max, expected) in [(0, vec![]), (2, vec![4, 5]), (5, vec![1, 2, 3, 4, 5]), (9, vec![1, 2, 3, 4, 5])] {
        let filter = crate::webhooks::everything(max);
        let found = handle.deliveries.log(id(1), filter, PageRequest::default()).await?.rows;
        let numbers: Vec<_> = found[0].attempts.iter().map(|attempt| attempt.number).collect();
        same(&format!("at most {max}"), numbers, expected)?;
    }
    Ok(())
}

async fn more_than_one_portion(handle: Handle) -> CheckResult {
    /// More events than any store recovers in one transaction.
    const EVENTS: u64 = 501;
    seed_store(&handle).await?;
    // Because of this subscription, events are written.
    expect_new(handle.webhooks.create(create(Webhook { account: None, ..webhook(Who::Main, 9)? })).await)?;
    for number in 1..=EVENTS {
        pay(&handle, Who::Main, number.into()).await?;
    }
    subscribe(&handle, Who::Main, 1).await?;
    let since = noon() - TimeDelta::days(9);
    let once = || claimed(Who::Main, "k", "", Some(StoredResponse { status: 202, body: "501".into() }));
    let mut command = recovery(1, since);
    command.claim = Some(once()?);
    same("recovered", expect_new(handle.deliveries.recover(command).await)?, EVENTS)?;
    let mut again = recovery(1, since);
    again.claim = Some(once()?);
    same("the replay", replayed(handle.deliveries.recover(again).await)?.body, "501".to_owned())?;
    same("recovered again", expect_new(handle.deliveries.recover(recovery(1, since)).await)?, 0)?;
    same("the number of waiting deliveries", handle.deliveries.backlog().await?.total(), 2 * EVENTS)
}

async fn nothing_is_claimed_and_portions_are_removed(handle: Handle) -> CheckResult {
    seed_deliveries(&handle, 3).await?;
    let now = noon() + TimeDelta::days(1);
    let claims = claim(&handle, (1, 1), now, 1).await?;
    expect_new(handle.webhooks.delete(reach(Who::Main), id(1), now, None).await)?;
    same("due", due(&handle, now).await?.len(), 0)?;
    same("claimed", claim(&handle, (1, 2), now, 9).await?.len(), 0)?;
    let delivered = end(&claims[0], 200, decision(DeliveryStatus::Delivered, now));
    same("recorded", handle.deliveries.record(vec![delivered], now).await?, 0)?;
    same("the backlog", handle.deliveries.backlog().await?.total(), 0)?;
    absent("a redelivery", &handle.deliveries.redeliver(redelivery(1, claims[0].delivery.event)).await)?;
    absent("a recovery", &handle.deliveries.recover(recovery(1, noon())).await)?;
    pay(&handle, Who::Main, 4).await?;
    let old = noon() - TimeDelta::days(900);
    let mut removed = Vec::new();
    for _ in 0..3 {
        removed.push(handle.deliveries.delete_deliveries(old, 2).await?);
    }
    same("portions", removed, vec![2, 1, 0])?;
    same("the log", log(&handle, 1).await?.len(), 0)?;
    expect_new(handle.webhooks.create(create(webhook(Who::Main, 2)?)).await)?;
    same("subscriptions", handle.webhooks.all().await?.len(), 1)
}

async fn backlogs_count_what_waits_for_each_subscription(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let disabled = subscribe(&handle, Who::Main, 1).await?;
    for number in 2..=4 {
        subscribe(&handle, Who::Main, number).await?;
    }
    for number in 1..=3 {
        pay(&handle, Who::Main, number).await?;
    }
    let now = noon() + TimeDelta::days(1);
    for (webhook, statuses) in
        [(1, vec![DeliveryStatus::Failed, DeliveryStatus::Delivered]), (2, vec![DeliveryStatus::Exhausted; 3])]
    {
        let claims = claim(&handle, (webhook, webhook), now, 3).await?;
        let ends = claims.iter().zip(statuses);
        let ends = ends.map(|(claim, status)| end(claim, 500, decision(status, now))).collect();
        handle.deliveries.record(ends, now).await?;
    }
    expect_new(handle.webhooks.change(change(Who::Main, Webhook { state: disabled_by_client(), ..disabled })).await)?;
    expect_new(handle.webhooks.delete(reach(Who::Main), id(4), now, None).await)?;
    let expected =
        [(id(1), (2, 1)), (id(3), (3, 0))].map(|(id, (waiting, failed))| (id, WaitingDeliveries { waiting, failed }));
    let expected = BTreeMap::from(expected);
    same("what waits", &handle.deliveries.backlogs(None).await?, &expected)?;
    for number in 1..=5 {
        let mut own = expected.clone();
        own.retain(|webhook, _| *webhook == id(number));
        same("what waits for one", handle.deliveries.backlogs(Some(id(number))).await?, own)?;
    }
    Ok(())
}

async fn foreign_repeats(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = account_reach(Who::Main, Who::Main.account()?);
    let other = account_reach(Who::Main, Who::Other.account()?);
    let of_all = WebhookReach { has_accountless: true, ..mine.clone() };
    let accountless = Webhook { account: None, ..webhook(Who::Main, 2)? };
    for (key, made, own, other) in
        [("edit", webhook(Who::Main, 1)?, mine.clone(), other), ("edit-accountless", accountless, of_all, mine)]
    {
        expect_new(handle.webhooks.create(create(made.clone())).await)?;
        let stored = StoredResponse { status: 200, body: "secret".into() };
        let edit = |reach: WebhookReach| -> Result<_, Failure> {
            let claim = Some(claimed(Who::Main, key, "c", Some(stored.clone()))?);
            Ok(ChangeWebhookCommand { reach, claim, ..change(Who::Main, made.clone()) })
        };
        expect_new(handle.webhooks.change(edit(own.clone())?).await)?;
        absent("a repeat of another key", &handle.webhooks.change(edit(other.clone())?).await)?;
        same("the replay", replayed(handle.webhooks.change(edit(own.clone())?).await)?, stored.clone())?;
        expect_new(handle.webhooks.delete(own.clone(), made.id, noon(), None).await)?;
        absent("after the deletion", &handle.webhooks.change(edit(other)?).await)?;
        same("the replay after the deletion", replayed(handle.webhooks.change(edit(own)?).await)?, stored)?;
    }
    Ok(())
}

async fn resumptions_count_requests_for_deliveries_now(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    expect_new(handle.webhooks.create(create(Webhook { account: None, ..webhook(Who::Main, 2)? })).await)?;
    subscribe(&handle, Who::Other, 3).await?;
    pay(&handle, Who::Main, 1).await?;
    let event = log(&handle, 1).await?[0].delivery.event;
    expect_new(handle.deliveries.redeliver(redelivery(1, event)).await)?;
    expect_new(handle.deliveries.recover(recovery(1, noon())).await)?;
    let count = async |number| -> Result<_, Failure> {
        let all = handle.webhooks.all().await?;
        let found = expect_some("the subscription", all.into_iter().find(|webhook| webhook.id == id(number)))?;
        Ok(found.resumptions)
    };
    same("after two requests", (count(1).await?, count(2).await?), (2, 0))?;
    let decide =
        Arc::new(move |setting: &_| decide_clock(*setting, ClockChange::AdvanceBy(TimeDelta::seconds(1)), noon()));
    let account = Who::Main.account()?;
    expect_new(handle.timelines.set_clock(ClockCommand { account, decide, claim: None }).await)?;
    same("after a change of the clock", (count(1).await?, count(2).await?, count(3).await?), (3, 1, 0))
}

async fn retries_of_the_undone_time_are_due(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    subscribe(&handle, Who::Main, 1).await?;
    pay(&handle, Who::Main, 1).await?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let claims = claim(&handle, (1, 1), noon(), 9).await?;
    let later = noon() + TimeDelta::days(3);
    let failing = Some(FirstFailure { account: Who::Main.account()?, since: later, real_since: later });
    let status = DeliveryStatus::Failed;
    let decision = DeliveryDecision { status, due_at: Some(later), disable: None, failing };
    handle.deliveries.record(vec![end(&claims[0], 500, decision)], noon()).await?;
    same("before it is due", claim(&handle, (1, 2), later, 9).await?.len(), 0)?;
    let before = handle.webhooks.all().await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    same("the retry", keys(&claim(&handle, (1, 3), later, 9).await?), keys(&claims))?;
    let undone =
        before.into_iter().map(|webhook| Webhook { failing: None, resumptions: webhook.resumptions + 1, ..webhook });
    same("the subscription", handle.webhooks.all().await?, undone.collect::<Vec<_>>())
}
