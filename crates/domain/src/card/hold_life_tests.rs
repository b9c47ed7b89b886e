//! Tests of the life of holds.

use super::*;
use proptest::prelude::*;

fn rule(mcc: Option<&str>, message: Option<MessageKind>, hours: i64) -> HoldLifeRule {
    HoldLifeRule { mcc: mcc.map(|text| MccRange::parse(text).unwrap()), message, life: TimeDelta::hours(hours) }
}

fn hours(rules: Vec<HoldLifeRule>, message: MessageKind, mcc: &str) -> i64 {
    HoldLife { default: TimeDelta::hours(1), rules }.of(message, mcc).num_hours()
}

#[test]
fn the_most_specific_rule_wins() {
    let (buy, atm) = (MessageKind::Authorization, MessageKind::AtmAuthorization);
    let rules = vec![
        rule(None, None, 2),
        rule(None, Some(buy), 3),
        rule(Some("3000-3999"), None, 4),
        rule(Some("3000-3999"), Some(buy), 5),
        rule(Some("3500-3599"), None, 6),
        rule(Some("3501"), None, 7),
    ];
    let life = |message, mcc| hours(rules.clone(), message, mcc);
    assert_eq!((life(atm, "5812"), life(buy, "5812")), (2, 3));
    assert_eq!((life(atm, "3000"), life(buy, "3000")), (4, 5));
    assert_eq!((life(atm, "3500"), life(buy, "3500")), (6, 6));
    assert_eq!((life(atm, "3501"), life(buy, "3501")), (7, 7));
    assert_eq!(hours(rules[1..].to_vec(), atm, "5812"), 1);
    assert_eq!(hours(rules[2..].to_vec(), buy, "????"), 1);
    let two = vec![rule(Some("1000-2000"), None, 2), rule(Some("1500-2500"), None, 3)];
    assert_eq!(hours(two, buy, "1700"), 2);
}

#[test]
fn lives_are_bounded() {
    assert_eq!(HoldLife::parse("PT1S"), Ok(HoldLife::MIN));
    assert_eq!(HoldLife::parse("P365D"), Ok(HoldLife::MAX));
    for text in ["P365DT1S", "PT0S", "P1Y", "7", ""] {
        assert!(HoldLife::parse(text).is_err(), "{text}");
    }
}

#[test]
fn two_rules_for_the_same_messages_are_refused() {
    let rules = vec![rule(Some("3000"), None, 1), rule(Some("3000-3000"), None, 2), rule(None, None, 3)];
    let faults = HoldLife::checked(HoldLife::DEFAULT, rules).unwrap_err();
    let paths: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["body.rules[1]"]);
    let different = vec![rule(Some("3000"), None, 1), rule(Some("3000"), Some(MessageKind::Authorization), 1)];
    assert!(HoldLife::checked(HoldLife::DEFAULT, different).is_ok());
}

fn a_range() -> impl Strategy<Value = Option<MccRange>> {
    let range = (0_u16..30, 0_u16..30)
        .prop_map(|(one, two)| MccRange::parse(&format!("{:04}-{:04}", one.min(two), one.max(two))).unwrap());
    prop::option::of(range)
}

proptest! {
    /// The winning rule has the narrowest range of categories. Among equally wide ranges, a rule for a message wins.
    #[test]
    fn no_rule_is_more_specific_than_the_winning_one(
        scopes in prop::collection::vec(
            (a_range(), prop::option::of(prop::sample::select(&HoldLife::MESSAGES))),
            0..12,
        ),
        code in 0_u16..30,
        message in prop::sample::select(&HoldLife::MESSAGES),
    ) {
        // Each rule has its own life, so the life identifies the rule.
        let rules: Vec<_> = (0_i64..)
            .zip(&scopes)
            .map(|(number, (mcc, message))| {
                let life = TimeDelta::hours(number);
                HoldLifeRule { mcc: *mcc, message: *message, life }
            })
            .collect();
        let life = HoldLife { default: TimeDelta::days(300), rules: rules.clone() }.of(message, &format!("{code:04}"));
        let applying: Vec<_> = rules
            .iter()
            .filter(|rule| rule.mcc.is_none_or(|mcc| mcc.includes(code)))
            .filter(|rule| rule.message.is_none_or(|kind| kind == message))
            .collect();
        let Some(winner) = applying.iter().find(|rule| rule.life == life) else {
            prop_assert!(applying.is_empty() && life == TimeDelta::days(300));
            return Ok(());
        };
        let codes = |rule: &HoldLifeRule| {
            rule.mcc.map_or(10_000, |mcc| (0..10_000).filter(|code| mcc.includes(*code)).count())
        };
        for other in &applying {
            prop_assert!(codes(winner) <= codes(other));
            if codes(winner) == codes(other) {
                prop_assert!(winner.message.is_some() || other.message.is_none());
            }
        }
    }
}
