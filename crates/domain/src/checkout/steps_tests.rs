//! Tests of the rules that apply steps to sessions.

use super::*;
use crate::checkout::{MerchantPaymentStatus, PayerOutcome, SessionPurpose, ShippingRate};
use crate::ledger::{JournalKind, Pool, Posting};
use crate::merchant::CheckoutType;
use crate::test_support::{
    SessionScenario, a_bank_choice, a_budget, a_checkout, a_payee, a_session, a_settlement_account, a_shipping,
    a_shipping_rate, a_top_up, collecting_shipping, minor, money, noon,
};
use chrono::TimeDelta;

use EventKind::{
    MerchantCheckoutSessionAbandoned, MerchantCheckoutSessionCancelled, MerchantCheckoutSessionCompleted,
    MerchantCheckoutSessionExpired, MerchantPaymentFailed, MerchantPaymentReconciled,
};
use MerchantPaymentStatus::{Cancelled, Completed, Failed, Pending};

fn scenario() -> SessionScenario {
    SessionScenario::of(a_session("12.50 GBP"))
}

fn at(minutes: i64) -> DateTime<Utc> {
    noon() + TimeDelta::minutes(minutes)
}

/// The payer decides at the bank about a payment. The bank reports after some minutes.
fn at_bank(scenario: &mut SessionScenario, payment: MerchantPaymentId, outcome: PayerOutcome, minutes: i64) {
    let decision = scenario.decision(outcome, minutes);
    scenario.apply(&SessionAction::AtBank(payment, decision)).unwrap();
}

fn shipped(amount: &str) -> Shipping {
    Shipping { rate: Some(a_shipping_rate(amount)), ..a_shipping() }
}

#[test]
fn a_payer_pays_step_by_step() {
    let mut scenario = scenario().reconciled();
    scenario.wait(1);
    scenario.apply(&SessionAction::Begin).unwrap();
    let begun = SessionState::Open { has_begun: true };
    assert_eq!((scenario.session().state, scenario.session().updated_at), (begun, at(1)));
    scenario.wait(1);
    let payment = scenario.choose_bank().unwrap();
    assert_eq!((scenario.status(), scenario.payments[0].state.initiated_at()), (SessionStatus::Open, Some(at(2))));
    at_bank(&mut scenario, payment, PayerOutcome::Approve, 0);
    let session = scenario.session();
    let order = session.state.order();
    assert_eq!(session.state, SessionState::Completed { payment, order, completed_at: at(2) });
    assert_eq!((order.is_some(), session.updated_at, session.due_at()), (true, at(2), None));
    assert_eq!(scenario.payments[0].state.completed_at(), Some(at(2)));
    let events = [(MerchantCheckoutSessionCompleted, at(2)), (MerchantPaymentReconciled, at(2))];
    assert_eq!(scenario.event_log(), events);
}

#[test]
fn a_completed_payment_goes_to_the_settlement_account() {
    let mut scenario = scenario();
    scenario.pay(PayerOutcome::Approve, 0).unwrap();
    let [journal] = &scenario.journal[..] else { panic!("{:?}", scenario.journal) };
    assert_eq!((journal.kind, journal.cause), (JournalKind::MerchantPayment, scenario.payments[0].id.0));
    let postings = [
        Posting { pool: Pool::PayerBanks, amount: minor("-12.50 GBP") },
        Posting { pool: Pool::MerchantSettled(a_settlement_account(1).id.0), amount: minor("12.50 GBP") },
    ];
    assert_eq!(journal.postings(), postings);
    assert_eq!(scenario.event_log(), [(MerchantCheckoutSessionCompleted, noon())]);
}

#[test]
fn a_payee_is_paid_without_an_order() {
    let purpose = SessionPurpose::Payee { checkout: a_checkout().id, payee: a_payee(1).id };
    let mut scenario = SessionScenario::of(CheckoutSession { purpose, ..a_session("12.50 GBP") });
    scenario.pay(PayerOutcome::Approve, 0).unwrap();
    assert_eq!((scenario.status(), scenario.session().state.order()), (SessionStatus::Completed, None));
    assert_eq!(scenario.journal[0].kind, JournalKind::MerchantPayment);
    assert_eq!(scenario.session().purpose.checkout_type(), CheckoutType::TopUp);
}

#[test]
fn a_top_up_credits_its_budget() {
    let mut scenario = SessionScenario::of(a_top_up("12.50 GBP")).crediting(a_budget().with("100.00 GBP"));
    scenario.pay(PayerOutcome::Pending, 5).unwrap();
    scenario.wait(7);
    scenario.apply(&SessionAction::Due).unwrap();
    assert_eq!((scenario.status(), scenario.session().state.order()), (SessionStatus::Completed, None));
    let credit = scenario.situation.budget.as_ref().unwrap();
    let balances = credit.budget.in_currency(money("1.00 GBP").currency).unwrap();
    assert_eq!((balances.available(), credit.number), (minor("112.50 GBP"), 2));
    let journal = &scenario.journal[0];
    assert_eq!((journal.kind, journal.at, journal.number), (JournalKind::TopUp, at(5), Some(1)));
    assert_eq!(journal.postings()[0], Posting { pool: Pool::InboundPayments, amount: minor("-12.50 GBP") });
    assert_eq!(scenario.event_log(), [(EventKind::BoxCredited, at(5))]);
}

#[test]
fn a_top_up_of_a_budget_without_the_currency_is_refused() {
    let mut scenario = SessionScenario::of(a_top_up("12.50 GBP")).crediting(a_budget().with("100.00 EUR"));
    assert_eq!(scenario.pay(PayerOutcome::Approve, 0), Err(SessionRefusal::NoBudget));
    assert_eq!(scenario.payments, []);
}

#[test]
fn a_top_up_that_ends_has_no_event_of_a_session() {
    let mut scenario = SessionScenario::of(a_top_up("12.50 GBP"));
    scenario.apply(&SessionAction::MerchantCancels).unwrap();
    assert_eq!((scenario.status(), scenario.event_log()), (SessionStatus::Cancelled, Vec::new()));
}

#[test]
fn a_failed_payment_of_a_top_up_has_its_event() {
    let mut scenario = SessionScenario::of(a_top_up("12.50 GBP")).crediting(a_budget().with("1.00 GBP"));
    scenario.pay(PayerOutcome::Reject, 0).unwrap();
    assert_eq!(scenario.event_log(), [(MerchantPaymentFailed, noon())]);
    assert_eq!(scenario.events[0].checkout(), None);
}

#[test]
fn a_payer_who_rejects_or_leaves_can_choose_again() {
    let mut scenario = scenario();
    scenario.pay(PayerOutcome::Reject, 0).unwrap();
    scenario.pay(PayerOutcome::Leave, 0).unwrap();
    assert_eq!((scenario.status(), scenario.payment_statuses()), (SessionStatus::Open, vec![Failed, Cancelled]));
    assert_eq!(scenario.payments[0].state.failure(), Some(PaymentFailure::RejectedByBank));
    assert_eq!(scenario.payments[1].state.failure(), None);
    assert_eq!(scenario.event_log(), [(MerchantPaymentFailed, noon())]);
    scenario.pay(PayerOutcome::Approve, 0).unwrap();
    assert_eq!(scenario.payment_statuses(), [Failed, Cancelled, Completed]);
}

#[test]
fn choosing_again_cancels_the_previous_payment() {
    let mut scenario = scenario();
    let first = scenario.choose_bank().unwrap();
    let second = scenario.choose_bank().unwrap();
    assert_eq!(scenario.payment_statuses(), [Cancelled, Pending]);
    for outcome in [PayerOutcome::Approve, PayerOutcome::Reject, PayerOutcome::Leave] {
        at_bank(&mut scenario, first, outcome, 0);
        assert_eq!(scenario.payment_statuses(), [Cancelled, Pending]);
    }
    at_bank(&mut scenario, second, PayerOutcome::Pending, 5);
    assert_eq!(scenario.status(), SessionStatus::Processing);
    // The second approval comes too late: the bank already has the payment.
    at_bank(&mut scenario, second, PayerOutcome::Approve, 0);
    assert_eq!(scenario.session().state, SessionState::Processing { due_at: at(5) });
}

#[test]
fn a_bank_that_fails_leaves_the_session_open_until_it_expires() {
    for (outcome, failure) in [
        (PayerOutcome::FailLater, PaymentFailure::RejectedByBank),
        (PayerOutcome::TimeOut, PaymentFailure::TimedOut),
        (PayerOutcome::TechnicalError, PaymentFailure::TechnicalError),
    ] {
        for (minutes, status) in [(19, SessionStatus::Open), (20, SessionStatus::Abandoned)] {
            let mut scenario = scenario();
            scenario.pay(outcome, minutes).unwrap();
            scenario.wait(minutes);
            scenario.apply(&SessionAction::Due).unwrap();
            assert_eq!((scenario.status(), scenario.session().updated_at), (status, at(minutes)));
            assert_eq!((scenario.payments[0].status(), scenario.payments[0].state.failure()), (Failed, Some(failure)));
            let is_open = status == SessionStatus::Open;
            assert_eq!(scenario.session().due_at(), is_open.then_some(at(20)));
            let mut events = vec![(MerchantPaymentFailed, at(minutes))];
            events.extend((!is_open).then_some((MerchantCheckoutSessionAbandoned, at(minutes))));
            assert_eq!(scenario.event_log(), events);
        }
    }
}

#[test]
fn what_is_due_is_applied_in_order_with_the_times_at_which_it_was_due() {
    let mut scenario = scenario();
    scenario.pay(PayerOutcome::FailLater, 10).unwrap();
    scenario.wait(60);
    scenario.apply(&SessionAction::Due).unwrap();
    assert_eq!((scenario.status(), scenario.session().updated_at), (SessionStatus::Abandoned, at(20)));
    assert_eq!(scenario.event_log(), [(MerchantPaymentFailed, at(10)), (MerchantCheckoutSessionAbandoned, at(20))]);
}

#[test]
fn a_processing_session_does_not_expire() {
    let mut scenario = scenario();
    scenario.pay(PayerOutcome::Pending, 60).unwrap();
    scenario.wait(30);
    scenario.apply(&SessionAction::Due).unwrap();
    assert_eq!(scenario.status(), SessionStatus::Processing);
    scenario.wait(60);
    scenario.apply(&SessionAction::Due).unwrap();
    assert_eq!(scenario.session().state.completed_at(), Some(at(60)));
}

#[test]
fn an_action_at_the_expiry_is_too_late() {
    for (begun, status, event) in [
        (false, SessionStatus::Expired, MerchantCheckoutSessionExpired),
        (true, SessionStatus::Abandoned, MerchantCheckoutSessionAbandoned),
    ] {
        let mut scenario = scenario();
        if begun {
            scenario.choose_bank().unwrap();
        }
        scenario.wait(19);
        scenario.apply(&SessionAction::Due).unwrap();
        assert_eq!(scenario.status(), SessionStatus::Open);
        scenario.wait(1);
        for action in [SessionAction::ChooseBank(a_bank_choice()), SessionAction::MerchantCancels] {
            assert_eq!(scenario.apply(&action), Err(SessionRefusal::NotOpen(status)));
        }
        assert_eq!(scenario.pay(PayerOutcome::Approve, 0), Err(SessionRefusal::NotOpen(status)));
        if let Some(pending) = scenario.situation.pending.clone() {
            at_bank(&mut scenario, pending.id, PayerOutcome::Approve, 0);
            assert_eq!(scenario.payment_statuses(), [Cancelled]);
        }
        scenario.apply(&SessionAction::Due).unwrap();
        assert_eq!((scenario.status(), scenario.event_log()), (status, vec![(event, at(20))]));
    }
}

/// The bank answers later and is asked again. The session follows its answers, with the times that the bank reports.
#[test]
fn a_bank_is_asked_until_it_has_a_result() {
    let mut scenario = scenario();
    let payment = scenario.choose_bank().unwrap();
    let says = |answer, minutes| SessionAction::BankSays(payment, PayerDecision::Approve(answer), at(minutes));
    // The payer approved in time, although the bank reports it after `expiresAt`.
    scenario.wait(24);
    scenario.apply(&says(BankAnswer::AskAgain(at(25)), 19)).unwrap();
    let session = scenario.session();
    assert_eq!((session.state, session.updated_at), (SessionState::Processing { due_at: at(25) }, at(19)));
    scenario.wait(6);
    scenario.apply(&SessionAction::Due).unwrap();
    assert_eq!(scenario.session().state, SessionState::Processing { due_at: at(25) });
    let other = SessionAction::BankSays(MerchantPaymentId(uuid::Uuid::nil()), PayerDecision::Reject, at(30));
    scenario.apply(&other).unwrap();
    scenario.apply(&says(BankAnswer::AskAgain(at(40)), 30)).unwrap();
    assert_eq!(scenario.session().state, SessionState::Processing { due_at: at(40) });
    assert_eq!(scenario.session().updated_at, at(19), "the time of the last change stays");
    let mut withdrawn = scenario.clone();
    withdrawn.apply(&SessionAction::BankSays(payment, PayerDecision::Leave, at(30))).unwrap();
    assert_eq!((withdrawn.status(), withdrawn.payment_statuses()), (SessionStatus::Abandoned, vec![Failed]));
    scenario.wait(10);
    let report = BankReport { at: at(39), result: BankReportResult::Confirmed };
    scenario.apply(&says(BankAnswer::Report(report), 39)).unwrap();
    assert_eq!(scenario.session().state.completed_at(), Some(at(39)));
    assert_eq!(scenario.payment_statuses(), [Completed]);
    scenario.apply(&SessionAction::BankSays(payment, PayerDecision::Reject, at(40))).unwrap();
    assert_eq!(scenario.payment_statuses(), [Completed]);
}

#[test]
fn an_approval_after_the_expiry_does_nothing() {
    let mut scenario = scenario();
    let payment = scenario.choose_bank().unwrap();
    scenario.wait(21);
    let report = BankAnswer::Report(BankReport { at: at(20), result: BankReportResult::Confirmed });
    scenario.apply(&SessionAction::BankSays(payment, PayerDecision::Approve(report), at(20))).unwrap();
    assert_eq!((scenario.status(), scenario.payment_statuses()), (SessionStatus::Abandoned, vec![Cancelled]));
}

#[test]
fn a_cancellation_ends_an_open_session_only() {
    for action in [SessionAction::MerchantCancels, SessionAction::PayerCancels] {
        let mut open = scenario();
        let payment = open.choose_bank().unwrap();
        open.apply(&action).unwrap();
        assert_eq!((open.status(), open.payment_statuses()), (SessionStatus::Cancelled, vec![Cancelled]));
        at_bank(&mut open, payment, PayerOutcome::Approve, 0);
        assert_eq!((open.status(), open.payment_statuses()), (SessionStatus::Cancelled, vec![Cancelled]));
        assert_eq!(open.event_log(), [(MerchantCheckoutSessionCancelled, noon())]);

        let mut processing = scenario();
        processing.pay(PayerOutcome::Pending, 5).unwrap();
        let expected = match action {
            SessionAction::MerchantCancels => Err(SessionRefusal::NotOpen(SessionStatus::Processing)),
            _ => Ok(()),
        };
        assert_eq!(processing.apply(&action), expected);
        assert_eq!(processing.status(), SessionStatus::Processing);
    }
}

#[test]
fn the_page_asks_for_an_address_and_a_rate() {
    let mut scenario = SessionScenario::of(collecting_shipping(a_session("12.50 GBP"), true));
    assert_eq!(scenario.choose_bank(), Err(SessionRefusal::ShippingRequired));
    let rate = |amount| SessionAction::Rate(a_shipping_rate(amount));
    assert_eq!(scenario.apply(&rate("2.50 GBP")), Err(SessionRefusal::ShippingRequired));
    scenario.apply(&SessionAction::Ship(a_shipping())).unwrap();
    assert_eq!(scenario.choose_bank(), Err(SessionRefusal::RateRequired));
    scenario.apply(&rate("2.50 GBP")).unwrap();
    assert_eq!(scenario.session().amount, money("15.00 GBP"));
    scenario.apply(&rate("0.00 GBP")).unwrap();
    assert_eq!(scenario.session().amount, money("12.50 GBP"));
    let expensive = SessionAction::Rate(ShippingRate { amount: i64::MAX, ..a_shipping_rate("0.00 GBP") });
    assert_eq!(scenario.apply(&expensive), Err(SessionRefusal::AboveMaximum));
    assert_eq!(scenario.apply(&rate("999987.51 GBP")), Err(SessionRefusal::AboveMaximum));
    scenario.apply(&rate("1.00 GBP")).unwrap();
    scenario.pay(PayerOutcome::Approve, 0).unwrap();
    assert_eq!(scenario.payments[0].amount, money("13.50 GBP"));
}

#[test]
fn a_payment_in_progress_never_has_another_amount_than_the_session() {
    let mut scenario = SessionScenario::of(collecting_shipping(a_session("12.50 GBP"), true));
    scenario.apply(&SessionAction::Ship(a_shipping())).unwrap();
    scenario.apply(&SessionAction::Rate(a_shipping_rate("1.00 GBP"))).unwrap();
    let payment = scenario.choose_bank().unwrap();
    scenario.apply(&SessionAction::Rate(a_shipping_rate("2.00 GBP"))).unwrap();
    assert_eq!(scenario.payment_statuses(), [Cancelled]);
    at_bank(&mut scenario, payment, PayerOutcome::Approve, 0);
    assert_eq!((scenario.status(), scenario.session().amount), (SessionStatus::Open, money("14.50 GBP")));
}

#[test]
fn a_new_address_keeps_the_merchants_rate_and_drops_the_one_that_the_payer_chose() {
    let new_address = Shipping { city: "Leeds".into(), ..shipped("9.00 GBP") };
    for (dynamic, kept, amount) in [(false, Some(a_shipping_rate("1.50 GBP")), "12.50 GBP"), (true, None, "11.00 GBP")]
    {
        let session = CheckoutSession { shipping: Some(shipped("1.50 GBP")), ..a_session("12.50 GBP") };
        let mut scenario = SessionScenario::of(collecting_shipping(session, dynamic));
        scenario.apply(&SessionAction::Ship(new_address.clone())).unwrap();
        let expected = Shipping { rate: kept, ..new_address.clone() };
        assert_eq!((scenario.session().shipping.clone(), scenario.session().amount), (Some(expected), money(amount)));
    }
}

#[test]
fn a_payer_without_a_browser_sends_what_the_page_would_ask_for() {
    let pay = |scenario: &mut SessionScenario, shipping: Option<Shipping>| {
        let decision = scenario.decision(PayerOutcome::Approve, 0);
        scenario.apply(&SessionAction::Pay { bank: a_bank_choice(), shipping, decision })
    };
    let mut collecting = SessionScenario::of(collecting_shipping(a_session("12.50 GBP"), false));
    assert_eq!(pay(&mut collecting, None), Err(SessionRefusal::ShippingRequired));
    pay(&mut collecting, Some(shipped("1.50 GBP"))).unwrap();
    assert_eq!(collecting.payments[0].amount, money("14.00 GBP"));
    let mut with_rates = SessionScenario::of(collecting_shipping(a_session("12.50 GBP"), true));
    assert_eq!(pay(&mut with_rates, Some(a_shipping())), Err(SessionRefusal::RateRequired));
    let refused = pay(&mut scenario(), Some(a_shipping()));
    assert_eq!(refused, Err(SessionRefusal::ShippingNotCollected));
    let known = CheckoutSession { shipping: Some(a_shipping()), ..a_session("12.50 GBP") };
    let mut known = SessionScenario::of(collecting_shipping(known, false));
    assert_eq!(pay(&mut known, Some(a_shipping())), Err(SessionRefusal::ShippingNotCollected));
    pay(&mut known, None).unwrap();
}
