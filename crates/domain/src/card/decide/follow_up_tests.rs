//! Tests of follow-ups.

use crate::card::decide::FirstKind;
use crate::card::decide::testing::{advice, clearing, incremental, reversal, row, scenario_with};
use crate::card::decide::{CardRefusal, FollowUp};
use crate::card::{LimitWindow, MessageKind, TransactionState};
use crate::fault::FlawCode;
use crate::money::Minor;
use crate::test_support::{a_limit, decimal, first_message};
use chrono::TimeDelta;

#[test]
fn balances_change_as_in_the_contracts_table() {
    for (message, expected) in [
        (advice("8"), ["authorization.advice", "PENDING", "250.00", "242.00", "-8.00"]),
        (clearing("10", true), ["authorization.clearing", "COMPLETION", "240.00", "240.00", "-10.00"]),
        (reversal(None), ["authorization.reversal", "CLEARED", "250.00", "250.00", "10.00"]),
        (reversal(Some("4")), ["authorization.reversal", "PENDING", "250.00", "244.00", "4.00"]),
    ] {
        let mut scenario = scenario_with(25_000);
        let token = scenario.authorize("10").token;
        assert_eq!(row(&scenario.follow(token, &message).unwrap()), expected);
    }
    let mut scenario = scenario_with(25_000);
    let token = scenario.send(&first_message(FirstKind::Atm, "10")).unwrap().transaction.token;
    let cleared = scenario.follow(token, &FollowUp::AtmClearing { amount: decimal("10"), fee: None }).unwrap();
    assert_eq!(row(&cleared), ["authorization.clearing.atm.withdrawal", "COMPLETION", "240.00", "240.00", "-10.00"]);
    let mut scenario = scenario_with(25_000);
    let token = scenario.send(&first_message(FirstKind::Refund, "10")).unwrap().transaction.token;
    let cleared = scenario.follow(token, &FollowUp::RefundClearing { amount: decimal("10") }).unwrap();
    assert_eq!(row(&cleared), ["refund.authorization.clearing", "COMPLETION", "260.00", "260.00", "10.00"]);
}

#[test]
fn a_hold_expires_after_seven_days_unless_it_ended_before() {
    let mut scenario = scenario_with(25_000);
    let token = scenario.authorize("10").token;
    let cleared = scenario.authorize("5").token;
    scenario.follow(cleared, &clearing("5", true)).unwrap();
    scenario.wait(TimeDelta::days(7) - TimeDelta::microseconds(1));
    assert_eq!(scenario.expire(token), None);
    scenario.wait(TimeDelta::microseconds(1));
    assert_eq!(scenario.expire(cleared), None);
    let expired = scenario.expire(token).unwrap();
    assert_eq!(row(&expired), ["authorization.reversal.issuerexpiration", "CLEARED", "245.00", "245.00", "10.00"]);
    assert_eq!(scenario.expire(token), None);
    assert_eq!(scenario.state_of(token), TransactionState::NothingCleared);
    assert_eq!(scenario.follow(token, &clearing("10", true)), Err(CardRefusal::Expired));
}

#[test]
fn an_advice_replaces_the_hold_or_is_declined() {
    let mut scenario = scenario_with(2_000);
    let token = scenario.authorize("10").token;
    let higher = scenario.follow(token, &advice("20")).unwrap();
    assert_eq!(row(&higher), ["authorization.advice", "PENDING", "20.00", "0.00", "-20.00"]);
    let declined = scenario.follow(higher.transaction.token, &advice("20.01")).unwrap();
    assert_eq!(row(&declined), ["authorization.advice", "DECLINED", "20.00", "0.00", "0.00"]);
    let refused = scenario.follow(declined.transaction.token, &reversal(None));
    let (found, state) = (MessageKind::Advice, TransactionState::Declined);
    assert_eq!(refused, Err(CardRefusal::WrongKind { found, state }));
    scenario.follow(token, &clearing("1", false)).unwrap();
    assert_eq!(scenario.follow(token, &advice("5")), Err(CardRefusal::AlreadyCleared));
}

#[test]
fn clearings_below_and_above_the_hold() {
    let mut scenario = scenario_with(2_000);
    let token = scenario.authorize("10").token;
    let partial = scenario.follow(token, &clearing("4", false)).unwrap();
    assert_eq!(row(&partial), ["authorization.clearing", "COMPLETION", "16.00", "10.00", "-4.00"]);
    assert_eq!(scenario.state_of(token), TransactionState::Pending);
    let rest = scenario.follow(token, &clearing("5", true)).unwrap();
    assert_eq!(row(&rest), ["authorization.clearing", "COMPLETION", "11.00", "11.00", "-5.00"]);
    assert_eq!(scenario.state_of(token), TransactionState::Completed);
    let tipped = scenario.authorize("10").token;
    let above = scenario.follow(tipped, &clearing("15", false)).unwrap();
    assert_eq!(row(&above), ["authorization.clearing", "COMPLETION", "-4.00", "-4.00", "-15.00"]);
    assert_eq!(scenario.follow(tipped, &clearing("1", true)), Err(CardRefusal::AlreadyCleared));
    assert_eq!(
        scenario.send(&first_message(FirstKind::Purchase, "0.01")).unwrap().transaction.state,
        TransactionState::Declined
    );
}

#[test]
fn partial_reversals_add_up_to_the_hold() {
    let mut scenario = scenario_with(2_000);
    let token = scenario.authorize("10").token;
    let partial = scenario.follow(token, &reversal(Some("4"))).unwrap().transaction;
    assert_eq!((partial.amount, partial.requested, partial.impacted), (Minor(400), Minor(1000), Minor(400)));
    let held = Minor(600).of(scenario.card.currency);
    assert_eq!(scenario.follow(partial.token, &reversal(Some("6.01"))), Err(CardRefusal::ExceedsHold { held }));
    let last = scenario.follow(partial.token, &reversal(Some("6"))).unwrap().transaction;
    assert_eq!(last.state, TransactionState::NothingCleared);
    assert_eq!(scenario.state_of(token), TransactionState::NothingCleared);
    assert_eq!(scenario.follow(token, &reversal(None)), Err(CardRefusal::AlreadyReversed));
    let (found, state) = (MessageKind::Reversal, TransactionState::NothingCleared);
    assert_eq!(scenario.follow(last.token, &reversal(None)), Err(CardRefusal::WrongKind { found, state }));
}

#[test]
fn a_reversal_after_a_partial_clearing_releases_the_rest() {
    let mut scenario = scenario_with(2_000);
    let token = scenario.authorize("10").token;
    scenario.follow(token, &clearing("4", false)).unwrap();
    let reversed = scenario.follow(token, &reversal(None)).unwrap();
    assert_eq!(row(&reversed), ["authorization.reversal", "CLEARED", "16.00", "16.00", "6.00"]);
    assert_eq!(scenario.state_of(token), TransactionState::Completed);
    assert_eq!(scenario.follow(token, &clearing("1", true)), Err(CardRefusal::AlreadyReversed));
}

#[test]
fn follow_ups_must_match_the_kind_of_the_chain() {
    let atm_clearing = FollowUp::AtmClearing { amount: decimal("1"), fee: None };
    let refund_clearing = FollowUp::RefundClearing { amount: decimal("1") };
    let all = [
        advice("1"),
        clearing("1", true),
        atm_clearing,
        reversal(None),
        refund_clearing,
        incremental("1"),
        FollowUp::RefundReversal,
        FollowUp::ForcedClearing { amount: decimal("1") },
        FollowUp::Expiration,
        FollowUp::DebitReversal { amount: None },
        FollowUp::RefundReturn { amount: None },
    ];
    let nothing = [false; 11];
    for (kind, allowed) in [
        (FirstKind::Purchase, [true, true, false, true, false, true, false, true, true, false, false]),
        (FirstKind::Atm, [false, false, true, true, false, false, false, false, true, false, false]),
        (FirstKind::Refund, [false, false, false, false, true, false, true, false, false, false, false]),
        (FirstKind::ForcePost, nothing),
        (FirstKind::Debit, [false, false, false, false, false, false, false, false, false, true, false]),
        (FirstKind::Inquiry, nothing),
        (FirstKind::UnlinkedRefund, [false, false, false, false, true, false, true, false, false, false, true]),
        (FirstKind::FeeCharge, nothing),
        (FirstKind::FeeCredit, nothing),
    ] {
        for (message, allowed) in all.iter().zip(allowed) {
            let mut scenario = scenario_with(2_000);
            let token = scenario.send(&first_message(kind, "10")).unwrap().transaction.token;
            let refused = matches!(scenario.follow(token, message), Err(CardRefusal::WrongKind { .. }));
            assert_eq!(refused, !allowed, "{kind:?} {message:?}");
        }
    }
}

#[test]
fn a_wrong_kind_is_reported_even_if_the_chain_has_ended() {
    let mut scenario = scenario_with(2_000);
    let token = scenario.authorize("10").token;
    let cleared = scenario.follow(token, &clearing("10", true)).unwrap().transaction;
    let refund_clearing = FollowUp::RefundClearing { amount: decimal("1") };
    assert!(matches!(scenario.follow(token, &refund_clearing), Err(CardRefusal::WrongKind { .. })));
    assert!(matches!(scenario.follow(cleared.token, &reversal(None)), Err(CardRefusal::WrongKind { .. })));
    let check = scenario.authorize("0").token;
    assert_eq!(scenario.follow(check, &reversal(None)), Err(CardRefusal::AlreadyCleared));
    let declined = scenario.authorize("1000").token;
    assert!(matches!(scenario.follow(declined, &reversal(None)), Err(CardRefusal::WrongKind { .. })));
    let Err(CardRefusal::Amount(flaw)) = scenario.follow(declined, &clearing("1.001", true)) else {
        panic!("too many decimals must be reported before the state of the chain")
    };
    assert_eq!(flaw.code, FlawCode::TooManyDecimals);
}

#[test]
fn a_refund_is_cleared_once_up_to_what_was_authorised() {
    let mut scenario = scenario_with(0);
    let token = scenario.send(&first_message(FirstKind::Refund, "10")).unwrap().transaction.token;
    let refund = |text| FollowUp::RefundClearing { amount: decimal(text) };
    let authorised = Minor(1000).of(scenario.card.currency);
    assert_eq!(scenario.follow(token, &refund("10.01")), Err(CardRefusal::ExceedsAuthorization { authorised }));
    assert_eq!(scenario.follow(token, &refund("7")).unwrap().transaction.available_balance, Minor(700));
    assert_eq!(scenario.follow(token, &refund("3")), Err(CardRefusal::AlreadyCleared));
}

#[test]
fn releases_and_refunds_reduce_the_usage_of_a_limit() {
    let mut scenario = scenario_with(20_000);
    scenario.limits = vec![a_limit(LimitWindow::Day, "100.00 GBP")];
    let token = scenario.authorize("50").token;
    scenario.follow(token, &clearing("20", true)).unwrap();
    assert_eq!(scenario.limits[0].spent, Minor(2_000));
    let token = scenario.authorize("30").token;
    scenario.follow(token, &advice("40")).unwrap();
    assert_eq!(scenario.limits[0].spent, Minor(6_000));
    scenario.follow(token, &reversal(None)).unwrap();
    assert_eq!(scenario.limits[0].spent, Minor(2_000));
    let refund = scenario.send(&first_message(FirstKind::Refund, "5")).unwrap().transaction.token;
    scenario.follow(refund, &FollowUp::RefundClearing { amount: decimal("5") }).unwrap();
    assert_eq!((scenario.limits[0].spent, scenario.limits[0].uses), (Minor(1_500), 2));
}

#[test]
fn an_advice_that_lowers_the_hold_needs_no_funds() {
    let mut scenario = scenario_with(1_000);
    let token = scenario.authorize("10").token;
    scenario.send(&first_message(FirstKind::ForcePost, "5")).unwrap();
    assert_eq!(scenario.balances.available(), Minor(-500));
    let lower = scenario.follow(token, &advice("8")).unwrap();
    assert_eq!((lower.transaction.state, lower.declined), (TransactionState::Pending, None));
    assert_eq!(scenario.balances.available(), Minor(-300));
}
