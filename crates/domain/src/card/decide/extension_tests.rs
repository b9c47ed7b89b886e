//! Tests of the extensions (contract 5.7), and of explanations.

use super::testing::{advice, clearing, extended, incremental, reversal, row, scenario_with};
use super::{CardDecision, CardRefusal, Extras, FollowUp};
use crate::card::decide::FirstKind;
use crate::card::{CardLimit, CardState, ChainEnd, DeclineExplanation, LimitWindow, Response, Rule, TransactionState};
use crate::money::Minor;
use crate::test_support::{CardScenario, a_limit, decimal, first_message, quotes};
use chrono::{NaiveDate, TimeDelta};

fn limit(window: LimitWindow, amount: i64, max_uses: Option<u32>) -> CardLimit {
    CardLimit { amount: Minor(amount), max_uses, ..a_limit(window, "0 GBP") }
}

fn names(declined: &DeclineExplanation) -> Vec<(&'static str, bool)> {
    declined.rules().map(|(rule, passed)| (rule.name(), passed)).collect()
}

fn in_usd() -> Extras {
    Extras { quotes: Some(quotes("USD", "0.787037037")), ..Extras::default() }
}

fn amounts(decision: &CardDecision) -> (i64, i64, i64) {
    let record = &decision.transaction;
    (record.amount.0, record.requested.0, record.conversion.map_or(0, |conversion| conversion.amount.0))
}

#[test]
fn an_explanation_lists_the_evaluated_rules_with_their_inputs() {
    let mut scenario = scenario_with(10_000);
    scenario.limits = vec![limit(LimitWindow::Lifetime, 9_000, None), limit(LimitWindow::Day, 5_000, Some(1))];
    scenario.authorize("10");
    let declined = scenario.send(&first_message(FirstKind::Purchase, "20")).unwrap().declined.unwrap();
    let card_rules =
        ["card_activated", "card_in_use", "card_not_suspended", "card_not_expired"].map(|name| (name, true));
    assert_eq!(names(&declined), [&card_rules[..], &[("spending_limit", false)]].concat());
    let Rule::SpendingLimit(seen) = &declined.failed else { panic!("{declined:?}") };
    assert_eq!((seen.window, seen.amount, seen.spent), (LimitWindow::Day, Minor(5_000), Minor(1_000)));
    assert_eq!((seen.max_uses, seen.uses, seen.requested), (Some(1), 1, Minor(2_000)));
    assert_eq!(seen.window_start, scenario.now.date_naive());
    scenario.limits.clear();
    let declined = scenario.send(&first_message(FirstKind::Atm, "90.01")).unwrap().declined.unwrap();
    assert_eq!(declined.failed, Rule::AvailableBalance { available: Minor(9_000), requested: Minor(9_001) });
    scenario.card.state = CardState::Unactivated;
    let declined = scenario.send(&first_message(FirstKind::Refund, "1")).unwrap().declined.unwrap();
    assert_eq!(names(&declined), [("card_activated", false)]);
    assert_eq!(
        scenario.send(&first_message(FirstKind::Refund, "1")).unwrap().transaction.response,
        Response::CardNotActive
    );
}

#[test]
fn an_advice_that_is_declined_is_explained_by_the_difference() {
    let mut scenario = scenario_with(2_000);
    let token = scenario.authorize("10").token;
    let declined = scenario.follow(token, &advice("20.01")).unwrap().declined.unwrap();
    let failed = Rule::AvailableBalance { available: Minor(1_000), requested: Minor(1_001) };
    assert_eq!(declined, DeclineExplanation { passed: vec![], failed });
    assert_eq!(scenario.follow(token, &advice("20")).unwrap().declined, None);
}

#[test]
fn an_increment_adds_to_the_hold() {
    let mut scenario = scenario_with(25_000);
    let token = scenario.authorize("10").token;
    let more = scenario.follow(token, &incremental("2.50")).unwrap();
    assert_eq!(row(&more), ["authorization.incremental", "PENDING", "250.00", "237.50", "-2.50"]);
    assert_eq!(amounts(&more), (250, 250, 0));
    let cleared = scenario.follow(more.transaction.token, &clearing("12.50", true)).unwrap();
    assert_eq!(row(&cleared), ["authorization.clearing", "COMPLETION", "237.50", "237.50", "-12.50"]);
    assert_eq!(scenario.follow(token, &incremental("1")), Err(CardRefusal::AlreadyCleared));
    let partly_cleared = scenario.authorize("10").token;
    scenario.follow(partly_cleared, &clearing("1", false)).unwrap();
    assert_eq!(scenario.follow(partly_cleared, &incremental("1")), Err(CardRefusal::AlreadyCleared));
}

#[test]
fn an_increment_is_checked_by_all_rules_except_the_number_of_uses() {
    let mut scenario = scenario_with(2_000);
    scenario.limits = vec![limit(LimitWindow::Day, 1_500, Some(1))];
    let token = scenario.authorize("10").token;
    let more = scenario.follow(token, &incremental("5")).unwrap();
    assert_eq!((scenario.limits[0].spent, scenario.limits[0].uses), (Minor(1_500), 1));
    let respond = |scenario: &mut CardScenario, text: &str| {
        scenario.follow(token, &incremental(text)).unwrap().transaction.response
    };
    assert_eq!(respond(&mut scenario, "0.01"), Response::UsageLimitReached);
    scenario.follow(more.transaction.token, &reversal(Some("5"))).unwrap();
    assert_eq!(scenario.limits[0].spent, Minor(1_000));
    scenario.limits.clear();
    assert_eq!(respond(&mut scenario, "10.01"), Response::NotSufficientFunds);
    scenario.card.state = CardState::Suspended;
    assert_eq!(respond(&mut scenario, "1"), Response::CardSuspended);
    scenario.wait(TimeDelta::days(6));
    scenario.card.expires_on = NaiveDate::from_ymd_opt(2026, 9, 1).unwrap();
    scenario.card.state = CardState::Active;
    assert_eq!(respond(&mut scenario, "1"), Response::CardExpired);
    assert_eq!(scenario.state_of(token), TransactionState::Pending);
    // The life of the hold is counted from the first message.
    scenario.wait(TimeDelta::days(1));
    assert_eq!(scenario.expire(token).unwrap().transaction.amount, Minor(1_000));
}

#[test]
fn a_partial_approval_approves_the_available_amount() {
    let partial = Extras { partial_approval: true, ..Extras::default() };
    let mut scenario = scenario_with(700);
    let partial_approval = scenario.send(&extended(FirstKind::Purchase, "10", partial.clone())).unwrap();
    assert_eq!(row(&partial_approval), ["authorization", "PENDING", "7.00", "0.00", "-7.00"]);
    assert_eq!(
        (partial_approval.transaction.response, amounts(&partial_approval)),
        (Response::PartiallyApproved, (700, 1_000, 0))
    );
    let none = scenario.send(&extended(FirstKind::Purchase, "10", partial.clone())).unwrap();
    assert_eq!(none.transaction.response, Response::NotSufficientFunds);
    let reversed = scenario.follow(partial_approval.transaction.token, &reversal(None)).unwrap().transaction;
    assert_eq!((reversed.amount, reversed.requested), (Minor(700), Minor(700)));
    let full = scenario.send(&extended(FirstKind::Purchase, "7", partial.clone())).unwrap();
    assert_eq!(full.transaction.response, Response::Approved);
    let mut scenario = scenario_with(700);
    assert_eq!(scenario.send(&extended(FirstKind::Atm, "10", partial.clone())).unwrap().chain, None);
    scenario.limits = vec![limit(LimitWindow::Day, 500, None)];
    let limited = scenario.send(&extended(FirstKind::Purchase, "10", partial)).unwrap();
    assert_eq!(limited.transaction.response, Response::UsageLimitReached);
}

#[test]
fn a_partial_approval_in_another_currency_stays_within_the_available_balance() {
    let mut scenario = scenario_with(700);
    let extras = Extras { partial_approval: true, ..in_usd() };
    let partial_approval = scenario.send(&extended(FirstKind::Purchase, "10", extras)).unwrap();
    assert_eq!(amounts(&partial_approval), (700, 787, 890));
    assert_eq!(scenario.balances.available(), Minor(0));
}

#[test]
fn a_refund_authorization_can_be_reversed() {
    let mut scenario = scenario_with(25_000);
    let token = scenario.send(&first_message(FirstKind::Refund, "10")).unwrap().transaction.token;
    let reversed = scenario.follow(token, &FollowUp::RefundReversal).unwrap();
    assert_eq!(row(&reversed), ["refund.authorization.reversal", "CLEARED", "250.00", "250.00", "-10.00"]);
    assert_eq!((reversed.journal, reversed.chain.unwrap().end()), (None, Some(ChainEnd::Reversed)));
    assert_eq!(scenario.state_of(token), TransactionState::NothingCleared);
    let refund_clearing = FollowUp::RefundClearing { amount: decimal("10") };
    assert_eq!(scenario.follow(token, &refund_clearing), Err(CardRefusal::AlreadyReversed));
    assert_eq!(scenario.follow(token, &FollowUp::RefundReversal), Err(CardRefusal::AlreadyReversed));
    let named = scenario.follow(reversed.transaction.token, &refund_clearing);
    assert!(matches!(named, Err(CardRefusal::WrongKind { .. })));
}

#[test]
fn the_acquirer_fee_is_added_to_the_amount() {
    let mut scenario = scenario_with(25_000);
    scenario.limits = vec![limit(LimitWindow::Day, 20_000, None)];
    let extras = Extras { acquirer_fee: Some(decimal("2.50")), ..Extras::default() };
    let held = scenario.send(&extended(FirstKind::Atm, "100", extras.clone())).unwrap();
    assert_eq!(row(&held), ["authorization.atm.withdrawal", "PENDING", "250.00", "147.50", "-102.50"]);
    assert_eq!((held.transaction.amount, held.transaction.acquirer_fee), (Minor(10_000), Minor(250)));
    assert_eq!(scenario.limits[0].spent, Minor(10_250));
    let cleared = FollowUp::AtmClearing { amount: decimal("100"), fee: Some(decimal("2")) };
    let cleared = scenario.follow(held.transaction.token, &cleared).unwrap();
    assert_eq!(row(&cleared), ["authorization.clearing.atm.withdrawal", "COMPLETION", "148.00", "148.00", "-102.00"]);
    assert_eq!((cleared.transaction.amount, cleared.transaction.acquirer_fee), (Minor(10_000), Minor(200)));
    assert_eq!(scenario.limits[0].spent, Minor(10_200));
    // A purchase has no acquirer fee.
    assert_eq!(scenario.send(&extended(FirstKind::Purchase, "1", extras)).unwrap().transaction.acquirer_fee, Minor(0));
    let too_precise = Extras { acquirer_fee: Some(decimal("0.001")), ..Extras::default() };
    assert!(matches!(scenario.send(&extended(FirstKind::Atm, "1", too_precise)), Err(CardRefusal::Fee(_))));
}

#[test]
fn partial_clearings_in_another_currency_add_up_to_the_converted_total() {
    let mut scenario = scenario_with(25_000);
    let held = scenario.send(&extended(FirstKind::Purchase, "10", in_usd())).unwrap();
    assert_eq!(row(&held), ["authorization", "PENDING", "250.00", "242.13", "-7.87"]);
    assert_eq!(amounts(&held), (787, 787, 1_000));
    let token = held.transaction.token;
    // The exact thirds are 2.6208, 2.6208 and 2.6287 pounds; rounded separately they would be 2.62, 2.62 and 2.63.
    let posted = ["3.33", "3.33", "3.34"].map(|text| {
        let cleared = scenario.follow(token, &clearing(text, false)).unwrap();
        (cleared.transaction.amount.0, scenario.balances.held().0)
    });
    assert_eq!(posted, [(262, 525), (262, 263), (263, 0)]);
    assert_eq!((scenario.balances.ledger(), scenario.balances.available()), (Minor(24_213), Minor(24_213)));
    assert_eq!(scenario.state_of(token), TransactionState::Completed);
    let halves = Extras { quotes: Some(quotes("EUR", "0.5")), ..Extras::default() };
    let token = scenario.send(&extended(FirstKind::Purchase, "0.05", halves)).unwrap().transaction.token;
    // Together, 5 cents are 2.5 pence, which round to 2. Converted separately, each cent would round to zero.
    let posted: Vec<_> = (0..5)
        .map_while(|_| scenario.follow(token, &clearing("0.01", false)).ok())
        .map(|cleared| cleared.transaction.amount.0)
        .collect();
    assert_eq!(posted.iter().sum::<i64>(), 2, "{posted:?}");
    assert_eq!(scenario.balances.held(), Minor(0));
}

#[test]
fn the_rate_of_the_first_message_applies_to_its_chain() {
    let mut scenario = scenario_with(25_000);
    let token = scenario.send(&extended(FirstKind::Purchase, "10", in_usd())).unwrap().transaction.token;
    assert_eq!(amounts(&scenario.follow(token, &advice("8")).unwrap()), (630, 630, 800));
    assert_eq!(amounts(&scenario.follow(token, &incremental("2")).unwrap()), (157, 157, 200));
    assert_eq!(amounts(&scenario.follow(token, &reversal(Some("4"))).unwrap()), (315, 787, 400));
    let held = Minor(600).of(quotes("USD", "1").from);
    assert_eq!(scenario.follow(token, &reversal(Some("6.01"))), Err(CardRefusal::ExceedsHold { held }));
    scenario.wait(TimeDelta::days(7));
    let expired = scenario.expire(token).unwrap();
    assert_eq!(amounts(&expired), (472, 787, 600));
    assert_eq!(scenario.balances.available(), Minor(25_000));
    let refund = scenario.send(&extended(FirstKind::Refund, "10", in_usd())).unwrap().transaction.token;
    let authorised = Minor(1_000).of(quotes("USD", "1").from);
    let too_much = FollowUp::RefundClearing { amount: decimal("10.01") };
    assert_eq!(scenario.follow(refund, &too_much), Err(CardRefusal::ExceedsAuthorization { authorised }));
    scenario.follow(refund, &FollowUp::RefundClearing { amount: decimal("10") }).unwrap();
    assert_eq!(scenario.balances.ledger(), Minor(25_787));
}

#[test]
fn foreign_amounts_use_the_decimals_of_their_currency_and_must_not_round_to_zero() {
    let mut scenario = scenario_with(25_000);
    let yen = Extras { quotes: Some(quotes("JPY", "0.0052")), ..Extras::default() };
    assert!(matches!(scenario.send(&extended(FirstKind::Purchase, "100.5", yen.clone())), Err(CardRefusal::Amount(_))));
    let token = scenario.send(&extended(FirstKind::Purchase, "100", yen)).unwrap().transaction.token;
    assert_eq!(scenario.balances.held(), Minor(52));
    assert!(matches!(scenario.follow(token, &clearing("1.5", true)), Err(CardRefusal::Amount(_))));
    let tiny_rate = Extras { quotes: Some(quotes("JPY", "0.00005")), ..Extras::default() };
    assert!(matches!(scenario.send(&extended(FirstKind::Purchase, "100", tiny_rate)), Err(CardRefusal::Amount(_))));
    let without_rates =
        Extras { quotes: Some(crate::money::Quotes { rates: vec![], ..quotes("USD", "1") }), ..Extras::default() };
    assert!(matches!(scenario.send(&extended(FirstKind::Purchase, "1", without_rates)), Err(CardRefusal::Currency(_))));
    // The card's own currency needs no conversion.
    let own = Extras { quotes: Some(quotes("GBP", "2")), ..Extras::default() };
    assert_eq!(scenario.send(&extended(FirstKind::Purchase, "1", own)).unwrap().transaction.conversion, None);
}

#[test]
fn a_decline_can_be_forced() {
    for (decline, kind) in
        Response::DECLINES.into_iter().zip([FirstKind::Purchase, FirstKind::Atm, FirstKind::Refund].into_iter().cycle())
    {
        let mut scenario = scenario_with(25_000);
        let forced = Extras { decline: Some(decline), partial_approval: true, ..Extras::default() };
        let declined = scenario.send(&extended(kind, "10", forced)).unwrap();
        assert_eq!((declined.transaction.state, declined.transaction.response), (TransactionState::Declined, decline));
        assert_eq!(names(&declined.declined.unwrap()), [("forced", false)]);
        let token = scenario.authorize("1").token;
        let more = FollowUp::Incremental { amount: decimal("1"), decline: Some(decline) };
        assert_eq!(scenario.follow(token, &more).unwrap().transaction.response, decline);
        assert_eq!(scenario.balances.held(), Minor(100));
    }
}
