//! Checks of events: each is written with its cause, exactly as decided, and only if the command takes effect.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::claim as claimed;
use crate::expect::{absent, expect_new, refused, replayed, same, store_failed, there};
use crate::factory::Handle;
use crate::payments::{Fill, after, batch_id, cancel, confirm, confirmed, create, empty, leased, record, start, take};
use crate::world::{Who, noon, seeded};
use florin_domain::batch::{CancelSituation, ConfirmSituation, FailureReason, FundingBudgets, PaymentOutcome};
use florin_domain::event::{Event, EventKind};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

checks! {
    "events.are_stored_with_their_cause_and_only_then" (Events) => with_their_cause,
    "events.keep_every_member" (Events) => every_member,
    "events.keep_microseconds" (Events) => microseconds,
}

async fn stored(handle: &Handle) -> Result<Vec<Event>, Failure> {
    let mut events = there("the log", handle.events.clone())?.events().await?;
    events.sort_by_key(|event| event.id);
    Ok(events)
}

/// Counts the events of each kind, all of them about the first batch.
async fn kinds(handle: &Handle) -> Result<BTreeMap<String, usize>, Failure> {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for event in stored(handle).await? {
        let about = (event.account, event.subject.batch);
        same("account and batch of an event", about, (Who::Mine.account()?, batch_id(1)))?;
        *kinds.entry(event.kind.as_str().into()).or_default() += 1;
    }
    Ok(kinds)
}

async fn with_their_cause(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    let mut happened = |kind: EventKind, times| {
        expected.insert(kind.as_str().into(), times);
        expected.clone()
    };
    expect_new(handle.management.create(create(Who::Mine, empty(Who::Mine, 1, noon())?, Some(Fill::of(1, 4)))?).await)?;
    same("after the creation", kinds(&handle).await?, happened(EventKind::PaymentBatchCreated, 1))?;
    // Refused, absent, failed or repeated commands write no events.
    store_failed(handle.management.create(create(Who::Mine, empty(Who::Mine, 1, noon())?, None)?).await)?;
    absent("a cancellation", &handle.management.cancel(cancel(Who::Other, batch_id(1), 1)?).await)?;
    let command = || -> Result<_, Failure> {
        let mut command = confirm(Who::Mine, batch_id(1), 10)?;
        command.claim = Some(claimed(Who::Mine, "k", "{}")?);
        Ok(command)
    };
    expect_new(handle.batches.confirm(command()?).await)?;
    let after_confirm = happened(EventKind::PaymentBatchOrderCreated, 2);
    same("after the confirmation", kinds(&handle).await?, after_confirm.clone())?;
    replayed(handle.batches.confirm(command()?).await)?;
    refused(handle.batches.confirm(confirm(Who::Mine, batch_id(1), 20)?).await)?;
    same("after a repeat and a refusal", kinds(&handle).await?, after_confirm)?;
    let lease = leased(&handle, 1, after(80)).await?;
    handle.processing.start(start(&lease, 30)).await?;
    same("after the start", kinds(&handle).await?, happened(EventKind::PaymentBatchProcessing, 1))?;
    let taken = handle.processing.take(take(&lease, 9, 40)).await?;
    same("after payments were taken", kinds(&handle).await?, happened(EventKind::PaymentCreated, 4))?;
    let ids: Vec<_> = taken.iter().map(|payment| payment.id).collect();
    handle.processing.record(record(&lease, &ids, PaymentOutcome::Completed, None, 50)).await?;
    same("after the end", kinds(&handle).await?, happened(EventKind::PaymentBatchCompleted, 1))?;
    let back = PaymentOutcome::Returned(FailureReason::AccountClosed);
    handle.processing.record(record(&lease, &ids[..1], back, None, 70)).await?;
    same("after a return", kinds(&handle).await?, happened(EventKind::PaymentReturned, 1))?;
    let of_payments = stored(&handle).await?.into_iter().filter(|event| event.kind == EventKind::PaymentCreated);
    let mut found: Vec<_> = of_payments.filter_map(|event| event.subject.payment).collect();
    found.sort_unstable();
    same("the payments that they are about", found, ids)
}

/// Events of all decisions so far.
type Decided = Arc<Mutex<Vec<Event>>>;

fn remember(decided: &Decided, events: &[Event]) {
    decided.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(events);
}

/// Wraps the rule of a command so that its events are recorded.
macro_rules! remembering {
    ($command:ident, $decided:ident, |$situation:ident: $type:ty| $events:expr) => {{
        let (rule, decided) = (Arc::clone(&$command.decide), Arc::clone(&$decided));
        $command.decide = Arc::new(move |situation: &$type| {
            let $situation = rule(situation);
            remember(&decided, $events);
            $situation
        });
        $command
    }};
}

async fn every_member(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let decided = Decided::default();
    let mut command = create(Who::Mine, empty(Who::Mine, 1, after(7))?, Some(Fill::of(1, 3)))?;
    let command = remembering!(command, decided, |decision: FundingBudgets| {
        decision.as_ref().map_or(&[][..], |decision| &decision.events)
    });
    expect_new(handle.management.create(command).await)?;
    let mut command = confirm(Who::Mine, batch_id(1), 1_000)?;
    let command = remembering!(command, decided, |decision: ConfirmSituation| {
        decision.answer.as_ref().map_or(&[][..], |confirmation| &confirmation.events)
    });
    expect_new(handle.batches.confirm(command).await)?;
    let lease = leased(&handle, 1, after(80)).await?;
    let mut command = start(&lease, 2_000);
    let command = remembering!(command, decided, |decision: florin_domain::batch::PaymentBatch| {
        decision.as_ref().map_or(&[][..], |decision| &decision.events)
    });
    handle.processing.start(command).await?;
    let mut command = take(&lease, 9, 3_000);
    let command = remembering!(command, decided, |decision: florin_domain::batch::TakeSituation| &decision.events);
    let taken: Vec<_> = handle.processing.take(command).await?.iter().map(|payment| payment.id).collect();
    for (outcome, ids) in
        [(PaymentOutcome::Completed, 4_000), (PaymentOutcome::Returned(FailureReason::AccountClosed), 5_000)]
    {
        let mut command = record(&lease, &taken, outcome, None, ids);
        let command = remembering!(command, decided, |decision: florin_domain::batch::SettleSituation| {
            decision.as_ref().map_or(&[][..], |decision| &decision.events)
        });
        handle.processing.record(command).await?;
    }
    let before = stored(&handle).await?;
    confirmed(&handle, Who::Mine, 2, 2).await?;
    let known: Vec<_> = stored(&handle).await?.into_iter().filter(|event| !before.contains(event)).collect();
    remember(&decided, &known);
    let mut command = cancel(Who::Mine, batch_id(2), 6_000)?;
    let command = remembering!(command, decided, |decision: CancelSituation| {
        decision.as_ref().map_or(&[][..], |decision| &decision.events)
    });
    expect_new(handle.management.cancel(command).await)?;
    let mut expected = decided.lock().unwrap_or_else(PoisonError::into_inner).clone();
    expected.sort_by_key(|event| event.id);
    same(
        "kinds that occurred",
        EventKind::ALL.iter().all(|kind| expected.iter().any(|event| event.kind == *kind)),
        true,
    )?;
    same("the events", stored(&handle).await?, expected)
}

async fn microseconds(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let at = after(1) + chrono::TimeDelta::microseconds(123_456);
    expect_new(handle.management.create(create(Who::Mine, empty(Who::Mine, 1, at)?, None)?).await)?;
    let times: Vec<_> = stored(&handle).await?.iter().map(|event| event.at).collect();
    same("the time of the event", times, vec![at])
}
