//! Tests of controls.

use super::*;
use crate::card::decide::{Extras, FirstKind, FirstMessage};
use crate::card::{Guards, PointOfSale, Rule};
use crate::fault::FlawCode;
use crate::test_support::{CardScenario, a_budget, a_card, first_message};
use proptest::prelude::*;

fn mccs(texts: &[&str]) -> Vec<MccRange> {
    texts.iter().map(|text| MccRange::parse(text).unwrap()).collect()
}

fn countries(codes: &[&str]) -> Vec<ControlledCountry> {
    codes.iter().map(|code| ControlledCountry::parse(code).unwrap()).collect()
}

fn merchants(ids: &[&str]) -> Vec<Text<1, 36>> {
    ids.iter().map(|id| Text::parse(*id).unwrap()).collect()
}

fn guarded(card: Controls, budget: Controls) -> CardScenario {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("250.00 GBP"));
    scenario.guards = Guards { card, budget, ..Guards::default() };
    scenario
}

/// A purchase with a merchant category, country, merchant id and entry mode.
fn purchase(mcc: &str, country: &str, mid: &str, entry_mode: Option<EntryMode>) -> FirstMessage {
    let mut message = first_message(FirstKind::Purchase, "10");
    message.acceptor.mcc = mcc.to_owned();
    message.acceptor.country_code = country.to_owned();
    message.acceptor.mid = Acceptor::padded_mid(mid);
    let pos = entry_mode.map(|mode| PointOfSale { entry_mode: Some(mode), ..PointOfSale::default() });
    FirstMessage { extras: Extras { pos, ..Extras::default() }, ..message }
}

/// Sends a message. Returns the response code, and the control that declined the message.
fn outcome(card: &Controls, budget: &Controls, message: &FirstMessage) -> (&'static str, Option<ControlCheck>) {
    let decision = guarded(card.clone(), budget.clone()).send(message).unwrap();
    let seen = decision.declined.map(|declined| match declined.failed {
        Rule::Controls(seen) => seen,
        other => panic!("{other:?}"),
    });
    (decision.transaction.response.code(), seen)
}

#[test]
fn every_control_declines_under_its_name() {
    let chip = Some(vec![EntryMode::Chip]);
    let message = purchase("5812", "gbr", "42", Some(EntryMode::Keyed));
    let none = Controls::default();
    for (controls, control, code, value) in [
        (Controls { blocked_mccs: Some(mccs(&["5811-5813"])), ..none.clone() }, Control::BlockedMccs, "1821", "5812"),
        (
            Controls { allowed_mccs: Some(mccs(&["5811", "5813"])), ..none.clone() },
            Control::AllowedMccs,
            "1821",
            "5812",
        ),
        (
            Controls { blocked_merchants: Some(merchants(&["42"])), ..none.clone() },
            Control::BlockedMerchants,
            "1821",
            "000000000000042",
        ),
        (
            Controls { allowed_merchants: Some(merchants(&["43", "M-1"])), ..none.clone() },
            Control::AllowedMerchants,
            "1821",
            "000000000000042",
        ),
        (
            Controls { blocked_countries: Some(countries(&["GBR"])), ..none.clone() },
            Control::BlockedCountries,
            "1864",
            "gbr",
        ),
        (
            Controls { allowed_countries: Some(countries(&["FRA"])), ..none.clone() },
            Control::AllowedCountries,
            "1864",
            "gbr",
        ),
        (Controls { allowed_entry_modes: chip, ..none.clone() }, Control::AllowedEntryModes, "1831", "KEYED"),
    ] {
        let seen = |owner| ControlCheck { control, owner, value: Some(value.to_owned()), allows: false };
        assert_eq!(outcome(&controls, &none, &message), (code, Some(seen(ControlOwner::Card))));
        assert_eq!(outcome(&none, &controls, &message), (code, Some(seen(ControlOwner::Budget))));
        // The card's control is named first.
        assert_eq!(outcome(&controls, &controls, &message), (code, Some(seen(ControlOwner::Card))));
    }
}

#[test]
fn a_message_that_all_controls_allow_is_approved() {
    let controls = Controls {
        allowed_mccs: Some(mccs(&["5811-5813", "0742"])),
        blocked_mccs: Some(mccs(&["5814-9999"])),
        allowed_countries: Some(countries(&["FRA", "GBR"])),
        blocked_countries: Some(countries(&["USA"])),
        allowed_merchants: Some(merchants(&["000000000000042", "M-1"])),
        blocked_merchants: Some(merchants(&["41"])),
        allowed_entry_modes: Some(vec![EntryMode::Chip, EntryMode::Contactless]),
    };
    for (mcc, country, mid) in [("5812", "GBR", "42"), ("0742", "fra", "M-1")] {
        let message = purchase(mcc, country, mid, Some(EntryMode::Contactless));
        assert_eq!(outcome(&controls, &controls, &message), ("0000", None));
    }
    let without_entry_mode = purchase("5812", "GBR", "42", None);
    let (code, seen) = outcome(&controls, &Controls::default(), &without_entry_mode);
    assert_eq!((code, seen.unwrap().value), ("1831", None), "an unknown entry mode is not allowed");
}

#[test]
fn an_empty_list_of_allowed_values_allows_nothing() {
    let message = purchase("5812", "GBR", "42", Some(EntryMode::Chip));
    let nothing = Controls { allowed_countries: Some(vec![]), ..Controls::default() };
    assert_eq!(outcome(&nothing, &Controls::default(), &message).0, "1864");
    let blocked = Controls { blocked_countries: Some(vec![]), ..Controls::default() };
    assert_eq!(outcome(&blocked, &Controls::default(), &message).0, "0000");
}

#[test]
fn controls_decline_in_the_order_of_the_contract_whoever_owns_them() {
    let message = purchase("5812", "GBR", "42", Some(EntryMode::Keyed));
    let card = Controls { allowed_entry_modes: Some(vec![EntryMode::Chip]), ..Controls::default() };
    let budget = Controls { blocked_countries: Some(countries(&["GBR"])), ..Controls::default() };
    assert_eq!(outcome(&card, &budget, &message).0, "1864");
    assert_eq!(outcome(&budget, &card, &message).0, "1864");
}

#[test]
fn refunds_and_settled_messages_are_not_checked_against_controls() {
    let nothing = Controls { allowed_mccs: Some(vec![]), ..Controls::default() };
    for kind in FirstKind::ALL {
        let amount = if kind == FirstKind::Inquiry { "0" } else { "1" };
        let decision = guarded(nothing.clone(), Controls::default()).send(&first_message(kind, amount)).unwrap();
        let checked = matches!(kind, FirstKind::Purchase | FirstKind::Atm | FirstKind::Debit | FirstKind::Inquiry);
        assert_eq!(decision.transaction.response.code() == "1821", checked, "{kind:?}");
    }
    let check = first_message(FirstKind::Purchase, "0");
    assert_eq!(guarded(nothing, Controls::default()).send(&check).unwrap().transaction.response.code(), "1821");
}

#[test]
fn an_increment_is_checked_like_its_first_message() {
    use crate::card::decide::FollowUp;
    use crate::test_support::decimal;

    let mut scenario = guarded(Controls::default(), Controls::default());
    let token = scenario.send(&purchase("5812", "GBR", "42", Some(EntryMode::Chip))).unwrap().transaction.token;
    scenario.guards.card = Controls { allowed_entry_modes: Some(vec![EntryMode::Chip]), ..Controls::default() };
    let more = FollowUp::Incremental { amount: decimal("1"), decline: None };
    assert_eq!(scenario.follow(token, &more).unwrap().transaction.response.code(), "0000");
    scenario.guards.budget = Controls { blocked_mccs: Some(mccs(&["5812"])), ..Controls::default() };
    assert_eq!(scenario.follow(token, &more).unwrap().transaction.response.code(), "1821");
}

#[test]
fn malformed_entries_are_refused() {
    for (wrong, code) in [
        ("", FlawCode::InvalidFormat),
        ("581", FlawCode::InvalidFormat),
        ("58123", FlawCode::InvalidFormat),
        ("5812-", FlawCode::InvalidFormat),
        ("5812-5813-5814", FlawCode::InvalidFormat),
        ("٥٨١٢", FlawCode::InvalidFormat),
        ("5813-5812", FlawCode::OutOfRange),
    ] {
        assert_eq!(MccRange::parse(wrong).unwrap_err().code, code, "{wrong}");
    }
    for wrong in ["", "GB", "gbr", "XXX", "826"] {
        assert_eq!(ControlledCountry::parse(wrong).unwrap_err().code, FlawCode::InvalidValue, "{wrong}");
    }
    assert!(
        ControlledCountry::of_form("YUG").is_ok() && ControlledCountry::parse("YUG").is_err(),
        "the code was withdrawn"
    );
    assert!(ControlledCountry::of_form("yug").is_err());
    assert_eq!(MccRange::parse("0742-0763").unwrap().to_string(), "0742-0763");
    assert_eq!(MccRange::parse("0742-0742").unwrap().to_string(), "0742");
}

fn code() -> impl Strategy<Value = u16> {
    0_u16..10_000
}

fn range() -> impl Strategy<Value = MccRange> {
    (code(), code()).prop_map(|(one, other)| MccRange { first: one.min(other), last: one.max(other) })
}

proptest! {
    #[test]
    fn a_range_is_read_as_it_is_shown(range in range()) {
        prop_assert_eq!(MccRange::parse(&range.to_string()), Ok(range));
    }

    #[test]
    fn a_category_passes_if_no_list_blocks_it_and_all_allowed_lists_contain_it(
        mcc in code(),
        lists in proptest::array::uniform4(proptest::option::of(proptest::collection::vec(range(), 0..4))),
    ) {
        let [card_allowed, card_blocked, budget_allowed, budget_blocked] = lists;
        let has = |list: &Option<Vec<MccRange>>, none| {
            list.as_ref().map_or(none, |ranges| ranges.iter().any(|range| (range.first..=range.last).contains(&mcc)))
        };
        let expected = has(&card_allowed, true) && has(&budget_allowed, true)
            && !has(&card_blocked, false) && !has(&budget_blocked, false);
        let controls = |allowed_mccs, blocked_mccs| Controls { allowed_mccs, blocked_mccs, ..Controls::default() };
        let message = purchase(&format!("{mcc:04}"), "GBR", "1", None);
        let card = controls(card_allowed, card_blocked);
        let (code, seen) = outcome(&card, &controls(budget_allowed, budget_blocked), &message);
        prop_assert_eq!(code == "0000", expected);
        prop_assert_eq!(code == "1821", !expected);
        let shown = format!("{mcc:04}");
        prop_assert!(seen.is_none_or(|seen| seen.value == Some(shown)));
    }
}

#[test]
fn every_country_has_a_code() {
    assert!(ControlledCountry::CODES.iter().all(|code| ControlledCountry::parse(code).is_ok()));
    let letters = || 'A'..='Z';
    let all = letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| String::from_iter([a, b, c]))));
    assert_eq!(all.filter(|code| ControlledCountry::parse(code).is_ok()).count(), ControlledCountry::CODES.len());
}
