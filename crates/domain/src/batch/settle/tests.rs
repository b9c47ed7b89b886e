//! Tests of the rule that applies the bank's reports.

use super::*;
use crate::batch::testing::{CLIENT, MAIN, NOW, abroad, created, currency, ids_from, pounds};
use crate::batch::{
    ConfirmSituation, FailureReason, PaymentBatchStatus, PaymentOutcome, PaymentStatus, decide_confirm, decide_start,
    decide_start_payments,
};
use crate::event::EventKind;
use crate::ledger::{Balances, JournalKind};
use crate::money::Minor;
use crate::stamp::Stamp;
use chrono::{DateTime, TimeDelta, Utc};

use PaymentOutcome::{Completed, Failed, Pending, Returned};

/// A started batch with a payment of 10.00, and a payment of 20.00 with a fee of 5.00. Both payments are started.
fn started() -> SettleSituation {
    let ids = ids_from(5000);
    let stamp = Stamp { now: NOW, ids: &ids };
    let validated = created(Some(vec![pounds("10.00"), abroad("20.00")]));
    let funds = Balances::new(Minor(10_000), Minor(0), Minor(0)).unwrap();
    let situation = ConfirmSituation {
        batch: validated.batch,
        session: None,
        enrolment: None,
        mfa_required: false,
        balances: [((MAIN, currency("GBP")), funds)].into(),
    };
    let confirmed = decide_confirm(&situation, None, CLIENT, &stamp).result.unwrap();
    let batch = decide_start(&confirmed.batch, &stamp).unwrap().batch;
    let mut payments = validated.payments;
    for payment in &mut payments {
        confirmed.payments.apply(payment, confirmed.batch.updated_at);
    }
    let payments = decide_start_payments(&batch, &payments, NOW + TimeDelta::seconds(30), &stamp).payments;
    SettleSituation {
        batch,
        payments,
        open: 2,
        completed: 0,
        returned: 0,
        balances: confirmed.balances,
        budget_names: [(MAIN, "Main".to_owned())].into(),
        number: 7,
    }
}

fn settle(situation: &SettleSituation, reports: &[(usize, PaymentOutcome)], now: DateTime<Utc>) -> SettleDecision {
    let report = |outcome| PaymentReport { outcome, ask_again_at: None };
    let reported =
        |&(place, outcome): &(usize, _)| Reported { payment: situation.payments[place].id, report: report(outcome) };
    let reports: Vec<_> = reports.iter().map(reported).collect();
    decide_settle(situation, &reports, &Stamp { now, ids: &ids_from(9000) }).unwrap()
}

/// Returns the situation after a decision, with all its payments.
fn after(situation: &SettleSituation, decision: &SettleDecision) -> SettleSituation {
    let mut next = situation.clone();
    for changed in &decision.payments {
        *next.payments.iter_mut().find(|payment| payment.id == changed.id).unwrap() = changed.clone();
    }
    next.batch = decision.batch.clone().unwrap_or(next.batch);
    next.balances.extend(decision.balances.clone());
    next.open = next.payments.iter().filter(|payment| !payment.status().is_final()).count() as u64;
    let in_status = |status| next.payments.iter().filter(|payment| payment.status() == status).count() as u64;
    (next.completed, next.returned) = (in_status(PaymentStatus::Completed), in_status(PaymentStatus::Returned));
    next.number = decision.numbers.values().max().map_or(next.number, |last| last + 1);
    next
}

fn pounds_of(situation: &SettleSituation) -> (i64, i64) {
    let balances = situation.balances[&(MAIN, currency("GBP"))];
    (balances.available().0, balances.reserved().0)
}

#[test]
fn the_batch_ends_with_its_last_payment() {
    let start = started();
    assert_eq!(pounds_of(&start), (6_500, 3_500));
    let first = settle(&start, &[(1, Completed)], NOW);
    assert_eq!(first.batch, None);
    let halfway = after(&start, &first);
    assert_eq!(pounds_of(&halfway), (6_500, 1_000));
    let last = settle(&halfway, &[(0, Failed(FailureReason::NameMismatch))], NOW);
    assert_eq!(last.batch.as_ref().unwrap().status(), PaymentBatchStatus::Completed);
    assert_eq!(last.payments[0].state.failure(), Some(FailureReason::NameMismatch));
    assert_eq!(last.events.iter().map(|event| event.kind).collect::<Vec<_>>(), [EventKind::PaymentBatchCompleted]);
    assert_eq!(pounds_of(&after(&halfway, &last)), (7_500, 0));
}

#[test]
fn a_batch_without_any_successful_payment_fails() {
    let failed = Failed(FailureReason::AccountClosed);
    let start = started();
    let decision = settle(&start, &[(0, failed), (1, failed)], NOW);
    assert_eq!(pounds_of(&after(&start, &decision)), (10_000, 0), "the fees are available again, too");
    assert_eq!(decision.batch.unwrap().status(), PaymentBatchStatus::Failed);
    assert!(decision.journal.iter().all(|entry| entry.kind == JournalKind::PaymentRelease));
}

#[test]
fn a_return_restores_the_amount_but_not_the_fee() {
    let start = started();
    let returned = Returned(FailureReason::AccountClosed);
    let paid = after(&start, &settle(&start, &[(0, Completed), (1, Completed)], NOW));
    assert_eq!((pounds_of(&paid), paid.batch.status()), ((6_500, 0), PaymentBatchStatus::Completed));
    let decision = settle(&paid, &[(1, returned)], NOW);
    let kinds: Vec<_> = decision.events.iter().map(|event| event.kind).collect();
    assert_eq!((decision.batch.clone(), kinds), (None, vec![EventKind::BoxCredited, EventKind::PaymentReturned]));
    let after_return = after(&paid, &decision);
    assert_eq!((pounds_of(&after_return), after_return.payments[1].status()), ((8_500, 0), PaymentStatus::Returned));
    // The result is the same if there was no query between payment and return.
    let at_once = after(&start, &settle(&start, &[(0, Completed), (1, returned)], NOW));
    assert_eq!((pounds_of(&at_once), at_once.batch.status()), ((8_500, 0), PaymentBatchStatus::Completed));
}

#[test]
fn payments_and_returns_take_consecutive_numbers() {
    let start = started();
    let returned = Returned(FailureReason::AccountClosed);
    let numbers = |decision: &SettleDecision| decision.journal.iter().map(|entry| entry.number).collect::<Vec<_>>();
    let decision = settle(&start, &[(0, Completed), (1, returned)], NOW);
    assert_eq!(numbers(&decision), [Some(7), Some(8), Some(9)]);
    let failed = Failed(FailureReason::AccountClosed);
    let decision = settle(&start, &[(0, failed), (1, Completed)], NOW);
    assert_eq!(numbers(&decision), [None, Some(7)], "a release takes no number");
}

#[test]
fn repeated_or_late_reports_change_nothing() {
    let start = started();
    let ended = after(&start, &settle(&start, &[(0, Completed), (1, Failed(FailureReason::Compliance))], NOW));
    for late in [Pending, Completed, Failed(FailureReason::AccountClosed)] {
        let decision = settle(&ended, &[(1, late)], NOW);
        assert_eq!(decision, SettleDecision::default(), "{late:?}");
    }
    for late in [Completed, Failed(FailureReason::AccountClosed)] {
        assert_eq!(settle(&ended, &[(0, late), (0, late)], NOW), SettleDecision::default(), "{late:?}");
    }
    let twice = settle(&start, &[(0, Completed), (0, Completed)], NOW);
    assert_eq!(twice.journal.len(), 1);
    let returned = Returned(FailureReason::AccountClosed);
    let after_return = after(&ended, &settle(&ended, &[(0, returned)], NOW));
    assert_eq!(settle(&after_return, &[(0, returned), (0, Completed)], NOW), SettleDecision::default());
}

#[test]
fn a_pending_payment_is_queried_less_and_less_often() {
    let start = started();
    for (passed, pause) in [(0, 1), (10, 10), (7_200, 3_600)] {
        let now = NOW + TimeDelta::seconds(passed);
        let decision = settle(&start, &[(0, Pending)], now);
        assert_eq!(decision.payments[0].state.ask_at(), Some(now + TimeDelta::seconds(pause)));
        assert_eq!((decision.payments[0].status(), decision.journal.len()), (PaymentStatus::Started, 0));
    }
}
