//! Tests of the settings of an account: how long holds last, and which clearings are refused.

use super::testing::{advice, clearing, extended, incremental, reversal, scenario_with};
use super::{CardRefusal, Extras, FirstKind, FirstMessage, FollowUp};
use crate::card::{HoldLife, HoldLifeRule, MccRange, MessageKind, OverClearing};
use crate::ids::TransactionToken;
use crate::money::Minor;
use crate::test_support::{CardScenario, decimal, first_message, money, quotes};
use chrono::TimeDelta;
use proptest::prelude::*;

fn message_at(mcc: &str, kind: FirstKind, amount: &str) -> FirstMessage {
    let mut message = first_message(kind, amount);
    message.acceptor.mcc = mcc.to_owned();
    message
}

/// Creates a scenario with the setting NETWORK, and an authorization at a merchant of this category.
fn authorized(mcc: &str, amount: &str) -> (CardScenario, TransactionToken) {
    let mut scenario = scenario_with(100_000);
    scenario.guards.settings.over_clearing = OverClearing::Network;
    let token = scenario.send(&message_at(mcc, FirstKind::Purchase, amount)).unwrap().transaction.token;
    (scenario, token)
}

fn forced(amount: &str) -> FollowUp {
    FollowUp::ForcedClearing { amount: decimal(amount) }
}

fn exceeds(max: &str) -> CardRefusal {
    CardRefusal::ExceedsMargin { max: money(max) }
}

#[test]
fn the_life_of_a_hold_follows_from_its_first_message() {
    let mut scenario = scenario_with(100_000);
    let rule = |mcc, message, hours| HoldLifeRule { mcc, message, life: TimeDelta::hours(hours) };
    let hotels = MccRange::parse("7011").unwrap();
    scenario.guards.settings.hold_life = HoldLife {
        default: TimeDelta::hours(1),
        rules: vec![
            rule(Some(hotels), None, 2),
            rule(None, Some(MessageKind::AtmAuthorization), 3),
            rule(None, Some(MessageKind::CashbackAuthorization), 4),
        ],
    };
    let cash = Extras { cash_back: Some(decimal("1")), ..Extras::default() };
    let sent = [
        (message_at("5812", FirstKind::Purchase, "10"), 1),
        (message_at("7011", FirstKind::Purchase, "10"), 2),
        (message_at("6011", FirstKind::Atm, "10"), 3),
        (extended(FirstKind::Purchase, "10", cash), 4),
    ];
    for (message, hours) in sent {
        let decision = scenario.send(&message).unwrap();
        let due = scenario.now + TimeDelta::hours(hours);
        assert_eq!(decision.chain.unwrap().due_at(), Some(due), "{message:?}");
    }
}

#[test]
fn a_hold_keeps_its_life_when_the_setting_changes() {
    let mut scenario = scenario_with(100_000);
    let due = scenario.now + TimeDelta::days(7);
    let token = scenario.authorize("10").token;
    scenario.guards.settings.hold_life.default = TimeDelta::hours(1);
    scenario.wait(TimeDelta::days(1));
    for message in [incremental("5"), advice("12"), clearing("2", false), reversal(Some("1"))] {
        assert_eq!(scenario.follow(token, &message).unwrap().chain.unwrap().due_at(), Some(due), "{message:?}");
        assert_eq!(scenario.expire(token), None);
    }
    scenario.wait(TimeDelta::days(6) - TimeDelta::microseconds(1));
    assert_eq!(scenario.expire(token), None);
    scenario.wait(TimeDelta::microseconds(1));
    assert_eq!(scenario.expire(token).unwrap().chain.unwrap().due_at(), None);
}

#[test]
fn a_message_that_holds_nothing_never_expires() {
    let mut scenario = scenario_with(100_000);
    for kind in [FirstKind::Debit, FirstKind::Refund, FirstKind::ForcePost] {
        assert_eq!(scenario.send(&first_message(kind, "10")).unwrap().chain.unwrap().expires_at, None);
    }
}

#[test]
fn a_clearing_may_exceed_the_hold_by_the_margin_of_its_category() {
    for (mcc, authorised, max) in
        [("5812", "50", "60"), ("7011", "300", "345"), ("5542", "1", "100"), ("5411", "9", "9")]
    {
        let (mut scenario, token) = authorized(mcc, authorised);
        let above = format!("{max}.01");
        assert_eq!(scenario.follow(token, &clearing(&above, true)), Err(exceeds(&format!("{max}.00 GBP"))), "{mcc}");
        assert!(scenario.follow(token, &clearing(max, true)).is_ok(), "{mcc}");
        scenario.guards.settings.over_clearing = OverClearing::Accept;
        let token = scenario.send(&message_at(mcc, FirstKind::Purchase, authorised)).unwrap().transaction.token;
        assert!(scenario.follow(token, &clearing(&above, true)).is_ok(), "{mcc}");
    }
}

#[test]
fn several_clearings_share_one_margin() {
    let (mut scenario, token) = authorized("5812", "50");
    scenario.follow(token, &clearing("40", false)).unwrap();
    assert_eq!(scenario.follow(token, &clearing("20.01", true)), Err(exceeds("20.00 GBP")));
    assert!(scenario.follow(token, &clearing("20", true)).is_ok());
}

#[test]
fn the_margin_applies_to_the_currently_authorised_amount() {
    let (mut scenario, token) = authorized("5812", "50");
    scenario.follow(token, &incremental("50")).unwrap();
    scenario.follow(token, &reversal(Some("20"))).unwrap();
    assert_eq!(scenario.follow(token, &clearing("96.01", true)), Err(exceeds("96.00 GBP")));
    assert!(scenario.follow(token, &clearing("96", true)).is_ok());
}

#[test]
fn forced_clearings_are_never_refused_and_use_no_margin() {
    let (mut scenario, token) = authorized("5812", "50");
    scenario.follow(token, &forced("500")).unwrap();
    assert_eq!(scenario.follow(token, &clearing("60.01", true)), Err(exceeds("60.00 GBP")));
    assert!(scenario.follow(token, &clearing("60", true)).is_ok());
    assert!(scenario.follow(token, &forced("500")).is_ok());
}

#[test]
fn the_margin_is_in_the_merchants_currency() {
    let mut scenario = scenario_with(100_000);
    scenario.guards.settings.over_clearing = OverClearing::Network;
    let in_dollars = Extras { quotes: Some(quotes("USD", "0.787037037")), ..Extras::default() };
    let mut message = extended(FirstKind::Purchase, "1", in_dollars);
    message.acceptor.mcc = "5541".to_owned();
    let token = scenario.send(&message).unwrap().transaction.token;
    assert_eq!(scenario.follow(token, &clearing("100.01", true)), Err(exceeds("100.00 USD")));
    assert!(scenario.follow(token, &clearing("100", true)).is_ok());
}

#[test]
fn the_fee_of_an_atm_counts_towards_the_margin() {
    let mut scenario = scenario_with(100_000);
    scenario.guards.settings.over_clearing = OverClearing::Network;
    let token = scenario.withdraw("100").token;
    let with_fee = |amount: &str| FollowUp::AtmClearing { amount: decimal(amount), fee: Some(decimal("2.50")) };
    assert_eq!(scenario.follow(token, &with_fee("97.51")), Err(exceeds("97.50 GBP")));
    assert!(scenario.follow(token, &with_fee("97.50")).is_ok());
}

fn step() -> impl Strategy<Value = FollowUp> {
    let amount = || (1_u32..200).prop_map(|minor| decimal(&format!("{}.{:02}", minor / 100, minor % 100)));
    prop_oneof![
        3 => (amount(), any::<bool>()).prop_map(|(amount, is_final)| FollowUp::Clearing { amount, is_final }),
        1 => amount().prop_map(|amount| FollowUp::Incremental { amount, decline: None }),
        1 => amount().prop_map(|amount| FollowUp::Advice { amount }),
        1 => amount().prop_map(|amount| FollowUp::Reversal { amount: Some(amount) }),
        1 => amount().prop_map(|amount| FollowUp::ForcedClearing { amount }),
    ]
}

proptest! {
    /// In any sequence of messages, the amount that clearings take from the hold stays within the margin of the
    /// authorised amount.
    #[test]
    fn clearings_never_exceed_the_margin(steps in prop::collection::vec(step(), 1..12), tips in any::<bool>()) {
        let (mut scenario, token) = authorized(if tips { "5812" } else { "5411" }, "1");
        for message in steps {
            let before = scenario.chains[0].clone();
            let under_hold = before.cleared.0 - before.forced.0;
            let authorised = before.held().0 + under_hold;
            let max = if tips { authorised * 120 / 100 } else { authorised };
            let sent = match &message {
                FollowUp::Clearing { amount, .. } => Some(amount.to_minor(scenario.card.currency).unwrap().0),
                _ => None,
            };
            let refused = match scenario.follow(token, &message) {
                Err(CardRefusal::ExceedsMargin { max }) => Some(max.minor),
                _ => None,
            };
            let is_too_much = before.end().is_none() && sent.is_some_and(|sent| under_hold + sent > max);
            prop_assert_eq!(refused, is_too_much.then_some(Minor(max - under_hold)));
            let after = &scenario.chains[0];
            if sent.is_some() {
                prop_assert!(after.cleared.0 - after.forced.0 <= max.max(under_hold));
            }
        }
    }
}
