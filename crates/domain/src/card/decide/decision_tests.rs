//! Tests of the account's decision endpoint: when it is asked, and the effects of its verdict.

use super::testing::{extended, incremental, row, scenario_with};
use super::{CardDecision, CardRefusal, Extras, FirstKind, FirstMessage, decide_follow_up_with_endpoint};
use crate::card::{
    CardState, DecisionCode, DecisionQuestion, DecisionReply, EndpointDecision, Fallback, LimitWindow, NoDecision,
    Response, Rule, TransactionState, Verdict,
};
use crate::money::{Currency, Minor, Quotes, Rate};
use crate::test_support::{CardScenario, a_budget, a_card, a_limit, minor, noon};
use crate::webhook::SendError;
use proptest::prelude::*;

const TIMEOUT: NoDecision = NoDecision::Send(SendError::Timeout);

fn approve_partially(text: &str) -> Verdict {
    let currency = Currency::parse(text.split(' ').nth(1).unwrap()).unwrap();
    Verdict::Reply(DecisionReply::Partial(minor(text).of(currency)))
}

const fn fallback(fallback: Fallback) -> Verdict {
    Verdict::Fallback { fallback, reason: TIMEOUT }
}

const APPROVE: Verdict = Verdict::Reply(DecisionReply::Approve);
const FRAUD: Verdict = Verdict::Reply(DecisionReply::Decline(DecisionCode::SuspectedFraud));

fn with_verdict(kind: FirstKind, amount: &str, verdict: Verdict) -> FirstMessage {
    with_decision(kind, amount, EndpointDecision::Decided(verdict))
}

fn with_decision(kind: FirstKind, amount: &str, decision: EndpointDecision) -> FirstMessage {
    extended(kind, amount, Extras { decision, ..Extras::default() })
}

fn allowing_partial(amount: &str, verdict: Verdict) -> FirstMessage {
    let message = with_verdict(FirstKind::Purchase, amount, verdict);
    FirstMessage { extras: Extras { partial_approval: true, ..message.extras }, ..message }
}

fn question(result: Result<CardDecision, CardRefusal>) -> DecisionQuestion {
    let Err(CardRefusal::EndpointNotAsked(question)) = result else { panic!("no question: {result:?}") };
    *question
}

#[test]
fn only_messages_that_take_funds_are_asked_about() {
    for kind in FirstKind::ALL {
        let amount = if kind == FirstKind::Inquiry { "0" } else { "10" };
        let mut scenario = scenario_with(25_000);
        let asks = matches!(kind, FirstKind::Purchase | FirstKind::Atm | FirstKind::Debit);
        let result = scenario.send(&with_decision(kind, amount, EndpointDecision::Due));
        assert_eq!(matches!(result, Err(CardRefusal::EndpointNotAsked(_))), asks, "{kind:?}: {result:?}");
        // A verdict has no effect on other kinds of messages.
        let declined = scenario_with(25_000).send(&with_verdict(kind, amount, FRAUD)).unwrap();
        assert_eq!(declined.declined.is_some(), asks, "{kind:?}");
    }
    let check = scenario_with(25_000).send(&with_decision(FirstKind::Purchase, "0", EndpointDecision::Due)).unwrap();
    assert_eq!(check.transaction.response, Response::AccountVerified);
    assert_eq!(check.transaction.details.decision, None);
}

#[test]
fn a_question_has_the_message_with_the_balances_before_it() {
    let mut scenario = scenario_with(25_000);
    let extras = Extras { partial_approval: true, decision: EndpointDecision::Due, ..Extras::default() };
    let asked = question(scenario.send(&extended(FirstKind::Purchase, "10", extras)));
    assert_eq!((asked.amount.to_string().as_str(), asked.allows_partial), ("10.00", true));
    let message = &asked.message;
    assert_eq!(
        (message.kind.as_str(), message.state, message.impacted),
        ("authorization", TransactionState::Pending, Minor(0))
    );
    assert_eq!((message.ledger_balance, message.available_balance), (Minor(25_000), Minor(25_000)));
    assert!(scenario.records.is_empty(), "nothing is stored");
    let debit = question(scenario.send(&with_decision(FirstKind::Debit, "10", EndpointDecision::Due)));
    assert_eq!((debit.message.state, debit.allows_partial), (TransactionState::Completed, false));
    for (text, is_allowed) in [("0.01 GBP", true), ("10.00 GBP", true), ("10.01 GBP", false), ("0.00 GBP", false)] {
        assert_eq!(asked.allows_amount(minor(text)), is_allowed, "{text}");
    }
}

#[test]
fn rules_before_the_decision_decline_without_a_question() {
    let limited = || scenario_with(25_000).limited_to(a_limit(LimitWindow::Day, "5.00 GBP"));
    let mut suspended = scenario_with(25_000);
    suspended.card.state = CardState::Suspended;
    for (mut scenario, response) in [(limited(), Response::UsageLimitReached), (suspended, Response::CardSuspended)] {
        for endpoint_decision in
            [EndpointDecision::Due, EndpointDecision::Decided(APPROVE), EndpointDecision::Decided(FRAUD)]
        {
            let decided = scenario.send(&with_decision(FirstKind::Purchase, "10", endpoint_decision)).unwrap();
            assert_eq!(decided.transaction.response, response, "local rules decide first");
            let names: Vec<_> = decided.declined.as_ref().unwrap().rules().map(|(rule, _)| rule.name()).collect();
            assert!(!names.contains(&"decision"), "{names:?}");
        }
    }
    let extras = Extras { decline: Some(Response::CardLost), decision: EndpointDecision::Due, ..Extras::default() };
    let forced = scenario_with(25_000).send(&extended(FirstKind::Purchase, "10", extras)).unwrap();
    assert_eq!(forced.transaction.response, Response::CardLost);
}

#[test]
fn the_endpoint_is_asked_even_if_the_funds_are_insufficient() {
    let mut scenario = scenario_with(500);
    question(scenario.send(&with_decision(FirstKind::Purchase, "10", EndpointDecision::Due)));
    let declined = scenario.send(&with_verdict(FirstKind::Purchase, "10", FRAUD)).unwrap();
    assert_eq!(declined.transaction.response, Response::SuspectedFraud);
    let short = scenario.send(&with_verdict(FirstKind::Purchase, "10", APPROVE)).unwrap();
    assert_eq!(short.transaction.response, Response::NotSufficientFunds, "an approval does not replace missing funds");
    let explained = short.declined.unwrap();
    assert!(matches!(explained.passed.last(), Some(Rule::Decision(seen)) if seen.verdict == APPROVE), "{explained:?}");
}

#[test]
fn every_verdict_is_recorded() {
    for (verdict, response) in [
        (APPROVE, Response::Approved),
        (fallback(Fallback::Approve), Response::Approved),
        (fallback(Fallback::Decline), Response::DecisionNotPermitted),
        (FRAUD, Response::SuspectedFraud),
        (approve_partially("4.00 GBP"), Response::DecisionNotPermitted),
    ] {
        for kind in [FirstKind::Purchase, FirstKind::Atm, FirstKind::Debit] {
            let mut scenario = scenario_with(25_000);
            let decided = scenario.send(&with_verdict(kind, "10", verdict)).unwrap();
            assert_eq!(decided.transaction.response, response, "{verdict:?}");
            assert_eq!(decided.transaction.details.decision.unwrap().verdict, verdict);
            if let Some(declined) = &decided.declined {
                assert_eq!(declined.failed.name(), "decision");
                assert_eq!(scenario.balances.available(), Minor(25_000));
            }
        }
    }
    for code in DecisionCode::ALL {
        let verdict = Verdict::Reply(DecisionReply::Decline(code));
        let decided = scenario_with(25_000).send(&with_verdict(FirstKind::Atm, "10", verdict)).unwrap();
        assert_eq!(decided.transaction.response.code(), code.code());
    }
}

#[test]
fn a_partial_amount_is_held_if_the_message_allows_partial_approval() {
    let mut scenario = scenario_with(25_000).limited_to(a_limit(LimitWindow::Day, "100.00 GBP"));
    let held = scenario.send(&allowing_partial("10", approve_partially("4.00 GBP"))).unwrap();
    assert_eq!(row(&held), ["authorization", "PENDING", "250.00", "246.00", "-4.00"]);
    assert_eq!((held.transaction.response, held.transaction.requested), (Response::PartiallyApproved, Minor(1_000)));
    assert_eq!(scenario.limits[0].spent, Minor(400), "the limit counts what is held");
    // The available balance can be less than the partial amount.
    let mut scenario = scenario_with(300);
    let held = scenario.send(&allowing_partial("10", approve_partially("4.00 GBP"))).unwrap();
    assert_eq!((held.transaction.amount, held.transaction.response), (Minor(300), Response::PartiallyApproved));
    // A partial amount that equals the full amount is a full approval.
    let full = scenario_with(25_000).send(&allowing_partial("10", approve_partially("10.00 GBP"))).unwrap();
    assert_eq!((full.transaction.amount, full.transaction.response), (Minor(1_000), Response::Approved));
    // The funds cover the partial amount, but not the full amount.
    let covered = scenario_with(400).send(&allowing_partial("10", approve_partially("4.00 GBP"))).unwrap();
    assert_eq!((covered.transaction.amount, covered.transaction.response), (Minor(400), Response::PartiallyApproved));
}

#[test]
fn a_partial_amount_in_another_currency_is_converted_and_never_rounds_to_zero() {
    let yen = Currency::parse("JPY").unwrap();
    let rate = Rate::parse("0.004").unwrap();
    let quotes = Quotes { from: yen, rates: vec![(Currency::parse("GBP").unwrap(), rate)] };
    let message = |verdict| {
        let message = allowing_partial("1000", verdict);
        FirstMessage { extras: Extras { quotes: Some(quotes.clone()), ..message.extras }, ..message }
    };
    let held = scenario_with(25_000).send(&message(approve_partially("500 JPY"))).unwrap();
    assert_eq!((held.transaction.amount, held.transaction.response), (Minor(200), Response::PartiallyApproved));
    assert_eq!(held.transaction.conversion.unwrap().amount, Minor(500));
    let nothing = scenario_with(25_000).send(&message(approve_partially("1 JPY"))).unwrap();
    assert_eq!(nothing.transaction.response, Response::DecisionNotPermitted);
}

#[test]
fn an_increment_is_approved_in_full_or_declined() {
    let mut scenario = scenario_with(25_000);
    let token = scenario.authorize("10").token;
    let increment = |scenario: &CardScenario, endpoint_decision| {
        let situation = scenario.situation(token);
        decide_follow_up_with_endpoint(&situation, token, &incremental("5"), endpoint_decision, &scenario.stamp())
    };
    let asked = question(increment(&scenario, EndpointDecision::Due));
    assert_eq!((asked.message.kind.as_str(), asked.message.preceding), ("authorization.incremental", Some(token)));
    assert_eq!((asked.amount.to_string().as_str(), asked.allows_partial), ("5.00", false));
    assert_eq!(asked.message.chain, token);
    let more = increment(&scenario, EndpointDecision::Decided(APPROVE)).unwrap();
    assert_eq!(row(&more), ["authorization.incremental", "PENDING", "250.00", "235.00", "-5.00"]);
    assert_eq!(more.transaction.details.decision.unwrap().verdict, APPROVE);
    for verdict in [FRAUD, approve_partially("1.00 GBP"), fallback(Fallback::Decline)] {
        let declined = increment(&scenario, EndpointDecision::Decided(verdict)).unwrap();
        assert_eq!(declined.declined.unwrap().failed.name(), "decision");
        assert_eq!(declined.transaction.details.decision.unwrap().verdict, verdict);
    }
    // Other follow-ups are not asked about.
    let advice = super::testing::advice("20");
    let situation = scenario.situation(token);
    let decided =
        decide_follow_up_with_endpoint(&situation, token, &advice, EndpointDecision::Due, &scenario.stamp()).unwrap();
    assert_eq!(decided.transaction.response, Response::Approved);
    assert!(scenario.reverse(token).is_ok());
}

fn verdicts() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(APPROVE),
        proptest::sample::select(&DecisionCode::ALL[..]).prop_map(|code| Verdict::Reply(DecisionReply::Decline(code))),
        (1..2_000_i64).prop_map(|amount| {
            let gbp = Currency::parse("GBP").unwrap();
            Verdict::Reply(DecisionReply::Partial(Minor(amount).of(gbp)))
        }),
        (proptest::sample::select(&Fallback::ALL[..]), proptest::sample::select(&NoDecision::ALL[..]))
            .prop_map(|(fallback, reason)| Verdict::Fallback { fallback, reason }),
    ]
}

proptest! {
    /// A message with a verdict never takes more money than the same message without one.
    #[test]
    fn a_verdict_never_allows_more_than_the_rules(
        verdict in verdicts(),
        available in 0..3_000_i64,
        limit in 1..30_i64,
        allows_partial: bool,
    ) {
        let limited =
            |scenario: CardScenario| scenario.limited_to(a_limit(LimitWindow::Day, &format!("{limit}.00 GBP")));
        let mut with = limited(scenario_with(available));
        let mut without = limited(scenario_with(available));
        let message = allowing_partial("10", verdict);
        let message = FirstMessage { extras: Extras { partial_approval: allows_partial, ..message.extras }, ..message };
        let extras = Extras { decision: EndpointDecision::Off, ..message.extras.clone() };
        let plain = FirstMessage { extras, ..message.clone() };
        let (with, without) = (with.send(&message).unwrap(), without.send(&plain).unwrap());
        prop_assert!(with.transaction.impacted >= without.transaction.impacted, "{:?}", (with, without));
    }
}

#[test]
fn the_same_verdict_gives_the_same_decision() {
    // The time is an input: the rules do not read a clock.
    let decide = || {
        let mut scenario = CardScenario::of(a_card(), a_budget().with("250.00 GBP"));
        scenario.now = noon();
        scenario.send(&with_verdict(FirstKind::Purchase, "10", APPROVE)).unwrap()
    };
    assert_eq!(decide(), decide());
}
