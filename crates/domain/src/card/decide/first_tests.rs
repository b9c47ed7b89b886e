//! Tests of first messages.

use crate::card::decide::CardRefusal;
use crate::card::decide::FirstKind;
use crate::card::decide::testing::{row, scenario_with};
use crate::card::{CardState, ChainEnd, LimitWindow, Response};
use crate::money::Minor;
use crate::test_support::{CardScenario, a_limit, first_message};
use chrono::{NaiveDate, TimeDelta};

#[test]
fn balances_change_as_in_the_contracts_table() {
    for (kind, expected) in [
        (FirstKind::Purchase, ["authorization", "PENDING", "250.00", "240.00", "-10.00"]),
        (FirstKind::Atm, ["authorization.atm.withdrawal", "PENDING", "250.00", "240.00", "-10.00"]),
        (FirstKind::Refund, ["refund.authorization", "PENDING", "250.00", "250.00", "10.00"]),
    ] {
        assert_eq!(row(&scenario_with(25_000).send(&first_message(kind, "10.00")).unwrap()), expected);
    }
    let declined = scenario_with(25_000).send(&first_message(FirstKind::Purchase, "250.01")).unwrap();
    assert_eq!(row(&declined), ["authorization", "DECLINED", "250.00", "250.00", "0.00"]);
    assert_eq!(declined.transaction.amount, Minor(25_001));
}

#[test]
fn an_account_check_ends_immediately() {
    let check = scenario_with(0).send(&first_message(FirstKind::Purchase, "0")).unwrap();
    assert_eq!(row(&check), ["authorization", "COMPLETION", "0.00", "0.00", "0.00"]);
    assert_eq!(check.transaction.response, Response::AccountVerified);
    assert_eq!(check.chain.unwrap().end(), Some(ChainEnd::Cleared));
    assert_eq!(check.journal, None);
    for kind in [FirstKind::Atm, FirstKind::Refund] {
        assert!(matches!(scenario_with(0).send(&first_message(kind, "0")), Err(CardRefusal::Amount(_))), "{kind:?}");
    }
}

#[test]
fn the_rules_decide_in_order() {
    use Response::{AccountVerified, Approved, CardExpired, CardNotActive, CardSuspended};
    let cases = [
        (CardState::Unactivated, false, [CardNotActive, CardNotActive, CardNotActive]),
        (CardState::Replaced, false, [CardNotActive, CardNotActive, Approved]),
        (CardState::Terminated, true, [CardNotActive, CardNotActive, Approved]),
        (CardState::Suspended, true, [CardSuspended, CardSuspended, Approved]),
        (CardState::Active, true, [CardExpired, CardExpired, Approved]),
        (CardState::Active, false, [Approved, AccountVerified, Approved]),
    ];
    for (state, expired, [authorization, check, refund]) in cases {
        let respond = |kind, amount| {
            let mut scenario = scenario_with(1000);
            scenario.card.state = state;
            if expired {
                scenario.card.expires_on = NaiveDate::from_ymd_opt(2026, 8, 31).unwrap();
            }
            scenario.send(&first_message(kind, amount)).unwrap().transaction.response
        };
        assert_eq!(respond(FirstKind::Purchase, "1"), authorization, "{state:?}");
        assert_eq!(respond(FirstKind::Atm, "1"), authorization, "{state:?}");
        assert_eq!(respond(FirstKind::Purchase, "0"), check, "{state:?}");
        assert_eq!(respond(FirstKind::Refund, "1"), refund, "{state:?}");
    }
}

#[test]
fn spending_limits_are_checked_before_the_balance_and_do_not_apply_to_refunds() {
    let mut scenario = scenario_with(10_000);
    scenario.limits = vec![a_limit(LimitWindow::Day, "50.00 GBP")];
    let respond = |scenario: &mut CardScenario, kind, amount| {
        scenario.send(&first_message(kind, amount)).unwrap().transaction.response
    };
    assert_eq!(respond(&mut scenario, FirstKind::Purchase, "30"), Response::Approved);
    assert_eq!(respond(&mut scenario, FirstKind::Atm, "20"), Response::Approved);
    assert_eq!(respond(&mut scenario, FirstKind::Purchase, "1000"), Response::UsageLimitReached);
    assert_eq!(respond(&mut scenario, FirstKind::Refund, "1000"), Response::Approved);
    assert_eq!(respond(&mut scenario, FirstKind::Purchase, "0"), Response::AccountVerified);
    scenario.wait(TimeDelta::days(1));
    assert_eq!(respond(&mut scenario, FirstKind::Purchase, "50"), Response::Approved);
}
