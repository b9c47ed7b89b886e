//! Tests of the rules between the card's expiry and its limits: those about the cardholder, the data that a message
//! presents, and controls.

use super::testing::extended;
use super::{Extras, FirstKind, FirstMessage};
use crate::card::{
    Card, CardLimit, CardNumber, Cardholder, Controls, DecisionCode, DecisionReply, EndpointDecision, EntryMode,
    Guards, LimitWindow, Match, PinDigest, PointOfSale, Response, SecurityCode, ThreeDSecure, TransactionState,
    Verdict, WalletToken, WalletTokenState,
};
use crate::people::PersonStatus;
use crate::test_support::{CardScenario, a_budget, a_card, a_limit};
use proptest::prelude::*;

const APPROVE: Verdict = Verdict::Reply(DecisionReply::Approve);
const DUPLICATE: Verdict = Verdict::Reply(DecisionReply::Decline(DecisionCode::DuplicateEntry));
const PIN: PinDigest = PinDigest::new([1; 32]);

/// The rules in the order of the contract, with the response of each.
const RULES: [(&str, Response); 10] = [
    ("cardholder_active", Response::CardholderNotActive),
    ("pin", Response::IncorrectPin),
    ("security_code", Response::IncorrectSecurityCode),
    ("wallet_token", Response::CardNotActive),
    ("three_d_secure", Response::SuspectedFraud),
    ("controls", Response::EntryModeNotAllowed),
    ("transaction_limit", Response::UsageLimitReached),
    ("spending_limit", Response::UsageLimitReached),
    ("decision", Response::DecisionDuplicate),
    ("available_balance", Response::NotSufficientFunds),
];

fn cardholder(card: &Card, is_correct: bool) -> Cardholder {
    let correct = CardNumber::of(card.id).security_code;
    let code = if is_correct { correct } else { format!("{:03}", (correct.parse::<u32>().unwrap() + 1) % 1000) };
    Cardholder { security_code: Some(SecurityCode::parse(&code).unwrap()), ..Cardholder::default() }
}

/// Creates a card and a message that fail these rules, given by their indexes in [`RULES`].
fn failing(wrong: &[usize]) -> (CardScenario, FirstMessage) {
    let fails = |place: usize| wrong.contains(&place);
    let limit = |window, place| a_limit(window, if fails(place) { "1.00 GBP" } else { "50.00 GBP" });
    let mut scenario = CardScenario::of(a_card(), a_budget().with(if fails(9) { "1.00 GBP" } else { "250.00 GBP" }))
        .limited_to(limit(LimitWindow::Day, 7))
        .limited_to(limit(LimitWindow::Transaction, 6));
    let allowed = if fails(5) { EntryMode::Chip } else { EntryMode::Keyed };
    scenario.guards = Guards {
        card: Controls { allowed_entry_modes: Some(vec![allowed]), ..Controls::default() },
        budget: Controls::default(),
        holder: Some(if fails(0) { PersonStatus::Inactive } else { PersonStatus::Active }),
        pin: Some(PIN),
        ..Guards::default()
    };
    let state = if fails(3) { WalletTokenState::Suspended } else { WalletTokenState::Active };
    let extras = Extras {
        pos: Some(PointOfSale { entry_mode: Some(EntryMode::Keyed), ..PointOfSale::default() }),
        pin: Some(if fails(1) { PinDigest::new([2; 32]) } else { PIN }),
        cardholder: Some(cardholder(&scenario.card, !fails(2))),
        wallet_token: Some(WalletToken { token: "a".into(), state }),
        three_d_secure: Some(if fails(4) { ThreeDSecure::NotAuthenticated } else { ThreeDSecure::Authenticated }),
        decision: EndpointDecision::Decided(if fails(8) { DUPLICATE } else { APPROVE }),
        ..Extras::default()
    };
    (scenario, extended(FirstKind::Purchase, "10", extras))
}

#[test]
fn the_first_rule_of_the_contract_that_fails_decides() {
    for first in 0..RULES.len() {
        let wrong: Vec<_> = (first..RULES.len()).collect();
        let (mut scenario, message) = failing(&wrong);
        let decision = scenario.send(&message).unwrap();
        let declined = decision.declined.unwrap();
        assert_eq!((declined.failed.name(), decision.transaction.response), RULES[first]);
        let passed: Vec<_> = declined.passed.iter().skip(4).map(crate::card::Rule::name).collect();
        let expected: Vec<_> = RULES[..first].iter().map(|(name, _)| *name).collect();
        assert_eq!(passed, expected, "after the four rules about the state of the card");
    }
    let (mut scenario, message) = failing(&[]);
    assert_eq!(scenario.send(&message).unwrap().transaction.response, Response::Approved);
}

#[test]
fn account_checks_skip_limits_and_balance_and_refunds_skip_all_rules() {
    let all: Vec<_> = (0..RULES.len()).collect();
    let of_kind = |kind, amount: &str, wrong: &[usize]| {
        let (mut scenario, message) = failing(wrong);
        let message = FirstMessage { amount: crate::test_support::decimal(amount), kind, ..message };
        scenario.send(&message).unwrap().transaction
    };
    assert_eq!(of_kind(FirstKind::Purchase, "0", &all).response, Response::CardholderNotActive);
    assert_eq!(of_kind(FirstKind::Purchase, "0", &[6, 7, 8, 9]).response, Response::AccountVerified);
    assert_eq!(of_kind(FirstKind::Purchase, "0", &[2]).response, Response::IncorrectSecurityCode);
    assert_eq!(of_kind(FirstKind::Inquiry, "0", &[1, 9]).response, Response::IncorrectPin);
    for kind in [FirstKind::Refund, FirstKind::UnlinkedRefund, FirstKind::ForcePost, FirstKind::FeeCharge] {
        assert_eq!(of_kind(kind, "10", &all).response, Response::Approved, "{kind:?}");
    }
}

#[test]
fn rules_are_skipped_if_the_message_lacks_their_values() {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("1.00 GBP"));
    let declined = scenario.send(&extended(FirstKind::Purchase, "2", Extras::default())).unwrap().declined.unwrap();
    let names: Vec<_> = declined.rules().map(|(rule, _)| rule.name()).collect();
    let expected = ["card_activated", "card_in_use", "card_not_suspended", "card_not_expired", "available_balance"];
    assert_eq!(names, expected);
}

#[test]
fn a_pin_is_incorrect_if_the_card_has_none() {
    let (mut scenario, message) = failing(&[]);
    scenario.guards.pin = None;
    assert_eq!(scenario.send(&message).unwrap().transaction.response, Response::IncorrectPin);
}

#[test]
fn what_was_sent_and_verified_is_recorded() {
    let (mut scenario, message) = failing(&[2]);
    let record = scenario.send(&message).unwrap().transaction;
    let details = &record.details;
    assert_eq!(record.state, TransactionState::Declined);
    assert_eq!((details.pos, &details.wallet_token), (message.extras.pos, &message.extras.wallet_token));
    assert_eq!(details.three_d_secure, message.extras.three_d_secure);
    let verified = details.verification.unwrap();
    let results = (verified.address_line1, verified.postal_code, verified.security_code);
    assert_eq!(results, (Match::NotChecked, Match::NotChecked, Match::NoMatch));
}

proptest! {
    /// The first failing rule in the order of the contract gives the response, and a decline changes nothing.
    #[test]
    fn a_message_is_declined_by_its_first_failing_rule(
        wrong in proptest::collection::btree_set(0..RULES.len(), 0..5),
    ) {
        let wrong: Vec<_> = wrong.into_iter().collect();
        let (mut scenario, message) = failing(&wrong);
        let before: (CardLimit, _) = (scenario.limits[0].clone(), scenario.balances);
        let decision = scenario.send(&message).unwrap();
        let expected = wrong.first().map_or(Response::Approved, |first| RULES[*first].1);
        prop_assert_eq!(decision.transaction.response, expected);
        if !wrong.is_empty() {
            prop_assert_eq!((scenario.limits[0].clone(), scenario.balances), before);
        }
    }
}
