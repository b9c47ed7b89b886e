//! Tests of the rules about refunds.

use super::*;
use crate::checkout::{BankReport, PayerOutcome, PaymentFailure, PaymentOverview, SessionPurpose};
use crate::ledger::Posting;
use crate::merchant::CheckoutType;
use crate::test_support::{
    CountingIds, a_completed_session, a_merchant_payment_state, a_payee, a_refund_of, a_refund_request,
    a_settlement_account, a_top_up, minor, money, noon,
};

/// A completed payment of an amount, with the sum of its refunds.
fn situation(amount: &str, refunded_or_pending: &str) -> CreateRefundSituation {
    let (session, payment) = a_completed_session(amount);
    CreateRefundSituation {
        payment,
        session,
        refunded_or_pending: minor(refunded_or_pending),
        source: RefundSource::Ready,
    }
}

fn refusal(situation: &CreateRefundSituation, amount: &str) -> RefundRefusal {
    decide_create_refund(situation, &a_refund_request(amount)).unwrap_err()
}

fn awaiting() -> MerchantPayment {
    a_refund_of(&a_completed_session("12.50 GBP").1, "5.00 GBP")
}

/// Decides an action on a refund, some minutes after noon.
fn decide(refund: &MerchantPayment, action: RefundAction, minutes: i64) -> Result<RefundChange, RefundRefusal> {
    let ids = CountingIds::starting_at(100);
    let stamp = Stamp { now: noon() + TimeDelta::minutes(minutes), ids: ids.source() };
    decide_refund(
        &RefundSituation { refund: refund.clone(), session: situation("12.50 GBP", "0.00 GBP").session },
        action,
        &stamp,
    )
}

/// The merchant's approval at noon. The bank reports some minutes later.
fn approve(outcome: PayerOutcome, minutes: i64) -> RefundAction {
    let report = outcome.report(noon(), TimeDelta::minutes(minutes)).unwrap();
    RefundAction::AtBank(PayerDecision::Approve(BankAnswer::Report(report)))
}

#[test]
fn a_refund_awaits_its_authorisation() {
    let created = decide_create_refund(&situation("12.50 GBP", "0.00 GBP"), &a_refund_request("5.00 GBP")).unwrap();
    assert_eq!(created, awaiting());
    assert_eq!(created.refund_status(), RefundStatus::AwaitingAuthorisation);
    assert_eq!(created.refund_due_at(), Some(noon() + TimeDelta::minutes(20)));
    assert_eq!((created.kind(), created.counts_against_payment()), (MerchantPaymentKind::Refund, true));
}

#[test]
fn the_order_is_final_for_refunds_and_completed_payments() {
    let (_, payment) = a_completed_session("12.50 GBP");
    for status in MerchantPaymentStatus::ALL {
        let state = a_merchant_payment_state(status);
        let with_status = |payment: &MerchantPayment| MerchantPayment { state, ..payment.clone() };
        let is_final = [with_status(&payment), with_status(&awaiting())].map(|payment| payment.has_final_order());
        assert_eq!(is_final, [status == MerchantPaymentStatus::Completed, true], "{status:?}");
    }
}

#[test]
fn refunds_never_exceed_the_payment_or_the_maximum() {
    let partly_refunded = situation("12.50 GBP", "7.00 GBP");
    assert!(decide_create_refund(&partly_refunded, &a_refund_request("5.50 GBP")).is_ok());
    assert_eq!(refusal(&partly_refunded, "5.51 GBP"), RefundRefusal::AboveRemainder(money("5.50 GBP")));
    assert_eq!(
        refusal(&situation("12.50 GBP", "12.50 GBP"), "0.01 GBP"),
        RefundRefusal::AboveRemainder(money("0.00 GBP"))
    );
    let large = situation("5000.00 GBP", "0.00 GBP");
    assert!(decide_create_refund(&large, &a_refund_request("1000.00 GBP")).is_ok());
    assert_eq!(refusal(&large, "1000.01 GBP"), RefundRefusal::AboveMaximum(money("1000.00 GBP")));
    assert_eq!(refusal(&large, "1.00 EUR"), RefundRefusal::OtherCurrency);
}

#[test]
fn only_a_completed_payment_of_a_shopping_session_is_refundable() {
    let base = situation("12.50 GBP", "0.00 GBP");
    let refund_of_refund = MerchantPayment { state: base.payment.state, ..a_refund_of(&base.payment, "5.00 GBP") };
    let to_payee = SessionPurpose::Payee { checkout: base.session.purpose.checkout().unwrap(), payee: a_payee(1).id };
    let mut wrong = vec![
        CreateRefundSituation { payment: refund_of_refund, ..base.clone() },
        CreateRefundSituation {
            session: CheckoutSession { purpose: a_top_up("12.50 GBP").purpose, ..base.session.clone() },
            ..base.clone()
        },
        CreateRefundSituation {
            session: CheckoutSession { purpose: to_payee, ..base.session.clone() },
            ..base.clone()
        },
    ];
    for status in MerchantPaymentStatus::ALL.into_iter().filter(|status| *status != MerchantPaymentStatus::Completed) {
        let payment = MerchantPayment { state: a_merchant_payment_state(status), ..base.payment.clone() };
        wrong.push(CreateRefundSituation { payment, ..base.clone() });
    }
    for situation in wrong {
        assert_eq!(refusal(&situation, "1.00 GBP"), RefundRefusal::NotRefundable, "{situation:?}");
    }
}

#[test]
fn the_bank_of_the_settlement_account_must_pay_refunds() {
    assert_eq!(RefundSource::of_bank(Some(true)), RefundSource::Ready);
    for (source, expected) in [
        (RefundSource::Deleted, RefundRefusal::SettlementAccountDeleted),
        (RefundSource::of_bank(None), RefundRefusal::NoBank),
        (RefundSource::of_bank(Some(false)), RefundRefusal::BankWithoutRefunds),
    ] {
        let situation = CreateRefundSituation { source, ..situation("12.50 GBP", "0.00 GBP") };
        assert_eq!(refusal(&situation, "1.00 GBP"), expected);
    }
}

#[test]
fn a_confirmed_refund_moves_the_money_back() {
    let change = decide(&awaiting(), approve(PayerOutcome::Approve, 0), 0).unwrap();
    assert_eq!(change.refund.refund_status(), RefundStatus::Completed);
    assert_eq!(change.refund.state, MerchantPaymentState::Completed { initiated_at: noon(), completed_at: noon() });
    let journal = change.journal.unwrap();
    assert_eq!((journal.kind, journal.cause, journal.at), (JournalKind::MerchantRefund, change.refund.id.0, noon()));
    let postings = [
        Posting { pool: Pool::MerchantSettled(a_settlement_account(1).id.0), amount: minor("-5.00 GBP") },
        Posting { pool: Pool::PayerBanks, amount: minor("5.00 GBP") },
    ];
    assert_eq!(journal.postings(), postings);
    let kinds: Vec<_> = change.events.iter().map(|event| (event.kind, event.at)).collect();
    assert_eq!(kinds, [(EventKind::MerchantRefundCompleted, noon())]);
}

#[test]
fn a_delayed_result_has_the_time_at_which_the_bank_reports_it() {
    let due = noon() + TimeDelta::minutes(30);
    for (outcome, status, failure) in [
        (PayerOutcome::Pending, RefundStatus::Completed, None),
        (PayerOutcome::FailLater, RefundStatus::Failed, Some(PaymentFailure::RejectedByBank)),
        (PayerOutcome::TimeOut, RefundStatus::Failed, Some(PaymentFailure::TimedOut)),
        (PayerOutcome::TechnicalError, RefundStatus::Failed, Some(PaymentFailure::TechnicalError)),
    ] {
        let pending = decide(&awaiting(), approve(outcome, 30), 0).unwrap().refund;
        assert_eq!((pending.refund_status(), pending.refund_due_at()), (RefundStatus::Pending, Some(due)));
        let unchanged = RefundChange { refund: pending.clone(), journal: None, events: Vec::new() };
        assert_eq!(decide(&pending, RefundAction::Due, 29), Ok(unchanged));
        let change = decide(&pending, RefundAction::Due, 45).unwrap();
        assert_eq!((change.refund.refund_status(), change.refund.state.failure()), (status, failure));
        let is_paid = status == RefundStatus::Completed;
        assert_eq!(change.refund.state.completed_at(), is_paid.then_some(due));
        assert_eq!(change.journal.map(|journal| journal.at), is_paid.then_some(due));
        assert_eq!(
            change.events.iter().map(|event| event.at).collect::<Vec<_>>(),
            Vec::from_iter(is_paid.then_some(due))
        );
        assert_eq!((change.refund.counts_against_payment(), change.refund.refund_due_at()), (is_paid, None));
    }
}

#[test]
fn a_refund_is_decided_once_and_in_time() {
    let refused =
        |refund: &MerchantPayment, minutes| decide(refund, approve(PayerOutcome::Approve, 0), minutes).unwrap_err();
    for decision in [PayerDecision::Reject, PayerDecision::Leave] {
        let cancelled = decide(&awaiting(), RefundAction::AtBank(decision), 19).unwrap();
        assert_eq!(cancelled.refund.refund_status(), RefundStatus::Cancelled);
        assert_eq!((cancelled.journal, cancelled.events), (None, Vec::new()));
        assert_eq!((cancelled.refund.counts_against_payment(), cancelled.refund.state.initiated_at()), (false, None));
        assert_eq!(refused(&cancelled.refund, 19), RefundRefusal::NotAwaiting(RefundStatus::Cancelled));
    }
    let pending = decide(&awaiting(), approve(PayerOutcome::Pending, 30), 0).unwrap().refund;
    assert_eq!(refused(&pending, 1), RefundRefusal::NotAwaiting(RefundStatus::Pending));
    assert_eq!(refused(&pending, 30), RefundRefusal::NotAwaiting(RefundStatus::Completed));
    assert!(decide(&awaiting(), approve(PayerOutcome::Pending, 30), 19).is_ok());
    assert_eq!(refused(&awaiting(), 20), RefundRefusal::NotAwaiting(RefundStatus::Cancelled));
    let late = decide(&awaiting(), RefundAction::Due, 20).unwrap();
    assert_eq!((late.refund.refund_status(), late.journal), (RefundStatus::Cancelled, None));
}

/// The bank answers later and is asked again. The refund follows its answers, with the times that the bank reports.
#[test]
fn a_bank_is_asked_until_it_has_a_result() {
    let at = |minutes| noon() + TimeDelta::minutes(minutes);
    let says = |answer, minutes| RefundAction::BankSays(PayerDecision::Approve(answer), at(minutes));
    let pending = decide(&awaiting(), says(BankAnswer::AskAgain(at(25)), 19), 24).unwrap().refund;
    assert_eq!((pending.refund_status(), pending.state.initiated_at()), (RefundStatus::Pending, Some(at(19))));
    assert_eq!(pending.refund_due_at(), Some(at(25)));
    let unchanged = decide(&pending, RefundAction::Due, 60).unwrap().refund;
    assert_eq!((unchanged.refund_status(), unchanged.refund_due_at()), (RefundStatus::Pending, Some(at(25))));
    let later = decide(&pending, says(BankAnswer::AskAgain(at(70)), 60), 60).unwrap().refund;
    assert_eq!(later.refund_due_at(), Some(at(70)));
    let report = BankAnswer::Report(BankReport { at: at(65), result: BankReportResult::Confirmed });
    let done = decide(&later, says(report, 65), 70).unwrap();
    assert_eq!(
        (done.refund.refund_status(), done.refund.state.completed_at()),
        (RefundStatus::Completed, Some(at(65)))
    );
    assert_eq!(done.journal.unwrap().at, at(65));
    let withdrawn = decide(&later, RefundAction::BankSays(PayerDecision::Reject, at(66)), 70).unwrap().refund;
    assert_eq!(
        (withdrawn.refund_status(), withdrawn.state.failure()),
        (RefundStatus::Failed, Some(PaymentFailure::RejectedByBank))
    );
    let late = decide(&awaiting(), says(report, 20), 24).unwrap();
    assert_eq!((late.refund.refund_status(), late.journal), (RefundStatus::Cancelled, None));
    let again = decide(&done.refund, says(BankAnswer::AskAgain(at(99)), 80), 80).unwrap();
    assert_eq!((again.refund, again.journal), (done.refund, None));
}

#[test]
fn a_report_beyond_the_last_time_is_never_due() {
    let report = PayerOutcome::Pending.report(noon(), TimeDelta::MAX).unwrap();
    assert_eq!(report, BankReport { at: DateTime::<Utc>::MAX_UTC, result: BankReportResult::Confirmed });
}

#[test]
fn a_payment_is_refundable_while_a_part_is_left() {
    let (session, payment) = a_completed_session("12.50 GBP");
    let overview_of = |payment: &MerchantPayment, refunded_or_pending, source| {
        PaymentOverview::of(payment.clone(), (&session).into(), minor(refunded_or_pending), source)
    };
    let overview = overview_of(&payment, "12.49 GBP", RefundSource::Ready);
    assert!(overview.is_refundable);
    assert_eq!((overview.checkout_type, overview.order), (CheckoutType::Shopping, session.state.order()));
    assert!(!overview_of(&payment, "12.50 GBP", RefundSource::Ready).is_refundable);
    assert!(!overview_of(&payment, "0.00 GBP", RefundSource::NoBank).is_refundable);
    assert!(!overview_of(&a_refund_of(&payment, "1.00 GBP"), "0.00 GBP", RefundSource::Ready).is_refundable);
    let failed = MerchantPayment { state: a_merchant_payment_state(MerchantPaymentStatus::Failed), ..payment.clone() };
    assert!(!overview_of(&failed, "0.00 GBP", RefundSource::Ready).is_refundable);
    let top_up = PaymentOverview::of(payment, (&a_top_up("12.50 GBP")).into(), Minor::ZERO, RefundSource::Ready);
    assert_eq!((top_up.is_refundable, top_up.checkout_type), (false, CheckoutType::TopUp));
}
