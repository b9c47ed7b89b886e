//! Checks of events: each is written with its cause, exactly as decided, and only if the command takes effect.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim as claimed, clearing, credit, expiry, follow_up, purchase, token};
use crate::event_renderer::PlainRenderer;
use crate::expect::{absent, expect_new, expect_some, refused, replayed, same, store_failed};
use crate::factory::Handle;
use crate::management::{card_id, change_state, issue, replacement, transfer};
use crate::payments::{
    NewPayments, add_confirmed_batch, after, batch_id, cancel, claim_one, confirm, create, empty, record, start,
    start_payments, upload,
};
use crate::seed_data::{Who, gbp, noon, seed_store};
use chrono::TimeDelta;
use florin_domain::batch::{CancelSituation, ConfirmSituation, FailureReason, FundingBudgets, PaymentOutcome};
use florin_domain::card::CardState;
use florin_domain::event::{Event, EventFilter, EventKind, StoredEvent};
use florin_domain::page::PageRequest;
use florin_ports::{EventReach, FirstMessageCommand, Mode};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

checks! {
    "events.are_stored_with_their_cause_and_only_then" => with_their_cause,
    "events.keep_every_member" => every_member,
    "events.of_cards_and_money_are_numbered_per_object" => events_of_cards_and_money_are_numbered_per_object,
    "events.a_batch_is_ready_once" => ready_once,
    "events.times_are_in_whole_seconds" => whole_seconds,
}

const ALL: PageRequest = PageRequest { limit: 10_000, offset: 0 };

/// Returns the reach of a key for one account.
pub(super) fn reach(who: Who) -> Result<EventReach, Failure> {
    Ok(EventReach { client: who.client(), accounts: Some([who.account()?].into()) })
}

/// Returns my events, oldest first.
pub(super) async fn stored(handle: &Handle) -> Result<Vec<StoredEvent>, Failure> {
    let mut found = handle.events.list(reach(Who::Main)?, EventFilter::default(), ALL).await?.rows;
    found.reverse();
    Ok(found)
}

/// Counts the events of each kind.
pub(super) async fn kinds(handle: &Handle) -> Result<BTreeMap<EventKind, usize>, Failure> {
    let mut kinds = BTreeMap::new();
    for event in stored(handle).await? {
        *kinds.entry(event.kind).or_default() += 1;
    }
    Ok(kinds)
}

/// Checks that the events of each object are numbered from 1 without gaps, in order.
pub(super) fn without_gaps(events: &[StoredEvent]) -> CheckResult {
    let mut last = BTreeMap::new();
    for event in events {
        let sequence: &mut u64 = last.entry((event.account.clone(), event.object)).or_default();
        same("the next sequence of an object", event.sequence, *sequence + 1)?;
        *sequence = event.sequence;
    }
    Ok(())
}

async fn with_their_cause(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut expected: BTreeMap<EventKind, usize> = BTreeMap::new();
    let mut happened = |kinds: &[(EventKind, usize)]| {
        for (kind, times) in kinds {
            *expected.entry(*kind).or_default() += times;
        }
        expected.clone()
    };
    expect_new(
        handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, Some(NewPayments::of(1, 4)))?).await,
    )?;
    same("after the creation", kinds(&handle).await?, happened(&[(EventKind::PaymentBatchCreated, 1)]))?;
    // Refused, absent, failed or repeated commands write no events.
    store_failed(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, None)?).await)?;
    absent("a cancellation", &handle.management.cancel(cancel(Who::Other, batch_id(1), 1)?).await)?;
    let command = || -> Result<_, Failure> {
        let mut command = confirm(Who::Main, batch_id(1), 10)?;
        command.claim = Some(claimed(Who::Main, "k", "{}")?);
        Ok(command)
    };
    expect_new(handle.batches.confirm(command()?).await)?;
    let after_confirm = happened(&[(EventKind::PaymentBatchOrderCreated, 2)]);
    same("after the confirmation", kinds(&handle).await?, after_confirm.clone())?;
    replayed(handle.batches.confirm(command()?).await)?;
    refused(handle.batches.confirm(confirm(Who::Main, batch_id(1), 20)?).await)?;
    let dry = FirstMessageCommand { mode: Mode::DryRun, ..purchase(Who::Main, 500, "1")? };
    handle.cards.first_message(dry).await?;
    absent("a purchase", &handle.cards.first_message(purchase(Who::Twin, 501, "1")?).await)?;
    same("after a repeat, refusals and a dry run", kinds(&handle).await?, after_confirm)?;
    let lease = claim_one(&handle, 1, after(80)).await?;
    handle.processing.start(start(&lease, 30)).await?;
    same("after the start", kinds(&handle).await?, happened(&[(EventKind::PaymentBatchProcessing, 1)]))?;
    let taken = handle.processing.start_payments(start_payments(&lease, 9, 40)).await?;
    same("after payments were taken", kinds(&handle).await?, happened(&[(EventKind::PaymentCreated, 4)]))?;
    let ids: Vec<_> = taken.iter().map(|payment| payment.id).collect();
    handle.processing.record(record(&lease, &ids, PaymentOutcome::Completed, None, 50)).await?;
    let paid = [(EventKind::BoxDebited, 4), (EventKind::PaymentBatchCompleted, 1)];
    same("after the end", kinds(&handle).await?, happened(&paid))?;
    let back = PaymentOutcome::Returned(FailureReason::AccountClosed);
    handle.processing.record(record(&lease, &ids[..1], back, None, 70)).await?;
    let returned = [(EventKind::BoxCredited, 1), (EventKind::PaymentReturned, 1)];
    same("after a return", kinds(&handle).await?, happened(&returned))?;
    let events = stored(&handle).await?;
    for id in ids {
        let is_about =
            |event: &&StoredEvent| event.kind == EventKind::PaymentCreated && event.body.contains(&id.to_string());
        same("events about a payment", events.iter().filter(is_about).count(), 1)?;
    }
    without_gaps(&events)
}

/// The events of all decisions so far.
type Decided = Arc<Mutex<Vec<Event>>>;

fn remember(decided: &Decided, events: &[Event]) {
    decided.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(events);
}

/// Wraps the rule of a command so that its events are recorded.
macro_rules! remembering {
    ($command:ident, $decided:ident, |$decision:ident: $situation:ty| $events:expr) => {{
        let (rule, decided) = (Arc::clone(&$command.decide), Arc::clone(&$decided));
        $command.decide = Arc::new(move |situation: &$situation| {
            let $decision = rule(situation);
            remember(&decided, $events);
            $decision
        });
        $command
    }};
}

async fn every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let decided = Decided::default();
    let mut command = create(Who::Main, empty(Who::Main, 1, after(7))?, Some(NewPayments::of(1, 3)))?;
    let command = remembering!(command, decided, |decision: FundingBudgets| {
        decision.as_ref().map_or(&[][..], |decision| &decision.events)
    });
    expect_new(handle.management.create(command).await)?;
    let mut command = confirm(Who::Main, batch_id(1), 1_000)?;
    let command = remembering!(command, decided, |decision: ConfirmSituation| {
        decision.result.as_ref().map_or(&[][..], |confirmation| &confirmation.events)
    });
    expect_new(handle.batches.confirm(command).await)?;
    let lease = claim_one(&handle, 1, after(80)).await?;
    let mut command = start(&lease, 2_000);
    let command = remembering!(command, decided, |decision: florin_domain::batch::PaymentBatch| {
        decision.as_ref().map_or(&[][..], |decision| &decision.events)
    });
    handle.processing.start(command).await?;
    let mut command = start_payments(&lease, 9, 3_000);
    let command =
        remembering!(command, decided, |decision: florin_domain::batch::StartPaymentsSituation| &decision.events);
    let taken: Vec<_> = handle.processing.start_payments(command).await?.iter().map(|payment| payment.id).collect();
    for (outcome, ids) in
        [(PaymentOutcome::Completed, 4_000), (PaymentOutcome::Returned(FailureReason::AccountClosed), 5_000)]
    {
        let mut command = record(&lease, &taken, outcome, None, ids);
        let command = remembering!(command, decided, |decision: florin_domain::batch::SettleSituation| {
            decision.as_ref().map_or(&[][..], |decision| &decision.events)
        });
        handle.processing.record(command).await?;
    }
    let known = stored(&handle).await?.len();
    add_confirmed_batch(&handle, Who::Main, 2, 2).await?;
    let of_second = stored(&handle).await?.len() - known;
    let mut command = cancel(Who::Main, batch_id(2), 6_000)?;
    let command = remembering!(command, decided, |decision: CancelSituation| {
        decision.as_ref().map_or(&[][..], |decision| &decision.events)
    });
    expect_new(handle.management.cancel(command).await)?;
    let decided = decided.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut events = stored(&handle).await?;
    events.drain(known..known + of_second);
    same("the number of events", events.len(), decided.len())?;
    for (stored, decided) in events.iter().zip(&decided) {
        let expected = (decided.kind, &decided.account, decided.object().id(), decided.at);
        same("an event", (stored.kind, &stored.account, stored.object, stored.occurred_at), expected)?;
        same("its body", &stored.body, &PlainRenderer::text(decided, stored.sequence))?;
        same("when it was written", stored.recorded_at, PlainRenderer::now())?;
    }
    let mut of_batches = EventKind::ALL.iter().filter(|kind| kind.as_str().starts_with("Payment"));
    let all = of_batches.all(|kind| decided.iter().any(|event| event.kind == *kind));
    same("whether every kind occurred", all, true)
}

async fn events_of_cards_and_money_are_numbered_per_object(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for number in 1..4 {
        expect_new(handle.credits.credit(credit(Who::Main, number, "5", gbp()?)?).await)?;
    }
    let ends = (Who::Main.budget(), Who::Main.second_budget());
    expect_new(handle.transfers.transfer(transfer(Who::Main, 10, ends, "1.00")?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 20, "3")?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 21, "9999")?).await)?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(20), 22, clearing("1", false)?)?).await)?;
    let long_after = noon() + TimeDelta::days(8);
    same("an expiry", handle.cards.expire(expiry(Who::Main, token(20), 23, long_after)?).await?, true)?;
    same("an expiry", handle.cards.expire(expiry(Who::Main, token(20), 24, long_after)?).await?, false)?;
    expect_new(handle.card_management.create(issue(Who::Main, 30, Who::Main.budget(), true)?).await)?;
    let card = card_id(30);
    for to in [CardState::Suspended, CardState::Active] {
        expect_new(handle.card_management.change(change_state(Who::Main, card, to, "a reason")?).await)?;
    }
    expect_new(handle.card_management.replace(replacement(Who::Main, card, 31)?).await)?;
    let events = stored(&handle).await?;
    without_gaps(&events)?;
    let found: Vec<_> = events.iter().map(|event| (event.kind, event.object, event.sequence)).collect();
    let (one, two) = (ends.0.0, ends.1.0);
    let expected = [
        (EventKind::BoxCredited, one, 1),
        (EventKind::BoxCredited, one, 2),
        (EventKind::BoxCredited, one, 3),
        (EventKind::BoxDebited, one, 4),
        (EventKind::BoxCredited, two, 1),
        (EventKind::CardTransaction, token(20).0, 1),
        (EventKind::CardTransaction, token(21).0, 1),
        (EventKind::CardTransaction, token(20).0, 2),
        (EventKind::CardTransaction, token(20).0, 3),
        (EventKind::CardStateUpdated, card.0, 1),
        (EventKind::CardStateUpdated, card.0, 2),
        (EventKind::CardStateUpdated, card.0, 3),
        (EventKind::CardStateUpdated, card.0, 4),
        (EventKind::CardStateUpdated, card_id(31).0, 1),
    ];
    same("kinds, objects and sequences", found, expected.to_vec())?;
    let history = expect_some("the chain", handle.chains.history(&Who::Main.account()?, token(20)).await?)?;
    for (event, message) in events[5..].iter().filter(|event| event.object == token(20).0).zip(&history.messages) {
        // The chain shows the current state of the first message; its event shows the state at that time.
        if message.transaction.token != token(20) {
            let body = PlainRenderer::text(&message.transaction.event(), event.sequence);
            same("the body of a message", &event.body, &body)?;
        }
    }
    Ok(())
}

async fn ready_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, None)?).await)?;
    same("events of a draft", kinds(&handle).await?, BTreeMap::new())?;
    for (first, faults) in [(10, &[][..]), (20, &[0][..]), (30, &[][..])] {
        let new_payments = NewPayments::of(first, 2).with_faults(faults);
        expect_new(handle.management.upload(upload(Who::Main, batch_id(1), new_payments)?).await)?;
    }
    same("events of a ready batch", kinds(&handle).await?, [(EventKind::PaymentBatchCreated, 1)].into())?;
    expect_new(handle.batches.confirm(confirm(Who::Main, batch_id(1), 10)?).await)?;
    let events = stored(&handle).await?;
    same("the events", events.len(), 3)?;
    without_gaps(&events)
}

async fn whole_seconds(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let at = after(1) + TimeDelta::microseconds(123_456);
    expect_new(
        handle.management.create(create(Who::Main, empty(Who::Main, 1, at)?, Some(NewPayments::of(1, 1)))?).await,
    )?;
    let mut new_payments = NewPayments::of(10, 1);
    new_payments.at = at;
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 2, at)?, Some(new_payments))?).await)?;
    let times: Vec<_> = stored(&handle).await?.iter().map(|event| event.occurred_at).collect();
    same("the times of the events", times, vec![noon(), after(1)])
}
