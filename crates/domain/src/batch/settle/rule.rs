//! The rule that applies a bank's reports.

use super::booking::Books;
use super::{Reported, SettleDecision, SettleRefusal, SettleSituation};
use crate::batch::{
    BatchTransition, Payment, PaymentBatch, PaymentOutcome, PaymentReport, PaymentState, PaymentStatus, StartedTerms,
};
use crate::event::{BatchResult, EventKind};
use crate::ledger::JournalKind;
use crate::stamp::Stamp;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Applies the bank's reports in order. A repeated or late report, or a report about another batch, changes nothing.
///
/// ```
/// use florin_domain::batch::{PaymentOutcome, PaymentReport, PaymentStatus, Reported, decide_settle};
/// use florin_domain::test_support::{BatchScenario, a_budget, a_payment};
///
/// let mut scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// scenario.upload([a_payment("60.00 GBP")]).unwrap();
/// scenario.confirm().unwrap();
/// scenario.start().unwrap();
/// scenario.start_payments(1);
/// let report = PaymentReport { outcome: PaymentOutcome::Completed, ask_again_at: None };
/// let reports = [Reported { payment: scenario.payments[0].id, report }];
/// let situation = scenario.settle_situation(&reports);
/// let settled = decide_settle(&situation, &reports, &scenario.stamp()).unwrap();
/// assert_eq!(settled.payments[0].status(), PaymentStatus::Completed);
/// ```
pub fn decide_settle(
    situation: &SettleSituation,
    reports: &[Reported],
    stamp: &Stamp<'_>,
) -> Result<SettleDecision, SettleRefusal> {
    let mut payments: BTreeMap<_, Payment> =
        situation.payments.iter().map(|payment| (payment.id, payment.clone())).collect();
    let mut changed = BTreeSet::new();
    let mut books = Books::open(situation, stamp);
    let mut decision = SettleDecision::default();
    for Reported { payment: id, report } in reports {
        let Some(payment) = payments.get_mut(id).filter(|payment| payment.batch == situation.batch.id) else {
            continue;
        };
        let (state, bookings) = apply(payment.state, *report, stamp.now);
        if let Some(terms) = state.terms() {
            for kind in bookings {
                decision.events.extend(books.write(payment, terms, *kind)?);
            }
        }
        if state == payment.state {
            continue;
        }
        changed.insert(*id);
        payment.state = state;
        if !bookings.is_empty() {
            payment.updated_at = stamp.now;
        }
        if matches!(state, PaymentState::Returned { .. }) {
            decision.events.push(payment.event(EventKind::PaymentReturned, stamp.now));
        }
    }
    finish(situation, &payments, &mut decision, stamp);
    decision.payments = payments.into_values().filter(|payment| changed.contains(&payment.id)).collect();
    books.close(&mut decision);
    Ok(decision)
}

/// Applies a report to a payment. Returns the new state and the kinds of journal transactions to write.
fn apply(state: PaymentState, report: PaymentReport, now: DateTime<Utc>) -> (PaymentState, &'static [JournalKind]) {
    use PaymentState::{Completed, Failed, Returned, Started};
    let again_at = report.ask_again_at;
    match (state, report.outcome) {
        (Started { sent, .. }, PaymentOutcome::Pending) => {
            (Started { sent, ask_at: again_at.unwrap_or_else(|| next_ask(sent, now)) }, &[])
        }
        // A bank that cannot be reached counts as pending. The payment stays paid, and is queried again because it may
        // be returned.
        (Completed { sent, .. }, PaymentOutcome::Pending) => {
            (Completed { sent, ask_at: again_at.or_else(|| Some(next_ask(sent, now))) }, &[])
        }
        (Started { sent, .. }, PaymentOutcome::Completed) => {
            (Completed { sent, ask_at: again_at }, &[JournalKind::Payment])
        }
        (Started { sent, .. }, PaymentOutcome::Failed(reason)) => {
            (Failed { sent, reason }, &[JournalKind::PaymentRelease])
        }
        // The payment was paid and returned between two queries.
        (Started { sent, .. }, PaymentOutcome::Returned(reason)) => {
            (Returned { sent, reason }, &[JournalKind::Payment, JournalKind::PaymentReturn])
        }
        (Completed { sent, .. }, PaymentOutcome::Returned(reason)) => {
            (Returned { sent, reason }, &[JournalKind::PaymentReturn])
        }
        // A paid payment stays paid until it is returned. The bank is queried again only if the bank names a time.
        (Completed { sent, .. }, PaymentOutcome::Completed | PaymentOutcome::Failed(_)) => {
            (Completed { sent, ask_at: again_at }, &[])
        }
        (unchanged, _) => (unchanged, &[]),
    }
}

/// Returns the time of the next query for a pending payment. The interval is the time since the payment was started, at
/// least one second and at most one hour.
fn next_ask(sent: StartedTerms, now: DateTime<Utc>) -> DateTime<Utc> {
    now + (now - sent.started_at).clamp(TimeDelta::seconds(1), TimeDelta::hours(1))
}

/// Ends the batch when its last payment is final.
fn finish(
    situation: &SettleSituation,
    payments: &BTreeMap<crate::ids::PaymentId, Payment>,
    decision: &mut SettleDecision,
    stamp: &Stamp<'_>,
) {
    let batch = &situation.batch;
    let is_open = |payment: &&Payment| !payment.status().is_final();
    let ended = situation.payments.iter().filter(is_open).count() - payments.values().filter(is_open).count();
    let open = situation.open.saturating_sub(ended as u64);
    if open > 0 {
        return;
    }
    // The stored count, minus the reported payments in their old state, plus the reported payments in their new state.
    let in_status = |counted: u64, status| {
        let was = situation.payments.iter().filter(|payment| payment.status() == status).count() as u64;
        counted.saturating_sub(was) + payments.values().filter(|payment| payment.status() == status).count() as u64
    };
    let succeeded = in_status(situation.completed, PaymentStatus::Completed);
    let any_succeeded = succeeded + in_status(situation.returned, PaymentStatus::Returned) > 0;
    if let Ok(state) = batch.state.after(BatchTransition::Finish { any_succeeded }) {
        let batch = PaymentBatch { state, updated_at: stamp.now, ..batch.clone() };
        let all: u64 = batch.orders.iter().map(|order| order.payments).sum();
        let result = BatchResult { succeeded, failed: all.saturating_sub(succeeded) };
        decision.events.push(batch.event(EventKind::PaymentBatchCompleted, None, Some(result)));
        decision.batch = Some(batch);
    }
}
