//! Tests of first messages.

use crate::card::decide::CardRefusal;
use crate::card::decide::testing::{World, row};
use crate::card::{CardState, ChainEnd, ChainKind, Response, SpendingLimit, SpendingWindow};
use crate::money::Minor;
use chrono::{NaiveDate, TimeDelta};

#[test]
fn the_balance_table() {
    for (kind, expected) in [
        (ChainKind::Purchase, ["authorization", "PENDING", "250.00", "240.00", "-10.00"]),
        (ChainKind::Atm, ["authorization.atm.withdrawal", "PENDING", "250.00", "240.00", "-10.00"]),
        (ChainKind::Refund, ["refund.authorization", "PENDING", "250.00", "250.00", "10.00"]),
    ] {
        assert_eq!(row(&World::with(25_000).first(kind, "10.00").unwrap()), expected);
    }
    let declined = World::with(25_000).first(ChainKind::Purchase, "250.01").unwrap();
    assert_eq!(row(&declined), ["authorization", "DECLINED", "250.00", "250.00", "0.00"]);
    assert_eq!(declined.transaction.amount, Minor(25_001));
}

#[test]
fn an_account_check_is_over_at_once() {
    let check = World::with(0).first(ChainKind::Purchase, "0").unwrap();
    assert_eq!(row(&check), ["authorization", "COMPLETION", "0.00", "0.00", "0.00"]);
    assert_eq!(check.transaction.response, Response::AccountVerified);
    assert_eq!(check.chain.unwrap().end, Some(ChainEnd::Cleared));
    assert_eq!(check.journal, None);
    for kind in [ChainKind::Atm, ChainKind::Refund] {
        assert!(matches!(World::with(0).first(kind, "0"), Err(CardRefusal::Amount(_))), "{kind:?}");
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
            let mut world = World::with(1000);
            world.card.state = state;
            if expired {
                world.card.expires_on = NaiveDate::from_ymd_opt(2026, 8, 31).unwrap();
            }
            world.first(kind, amount).unwrap().transaction.response
        };
        assert_eq!(respond(ChainKind::Purchase, "1"), authorization, "{state:?}");
        assert_eq!(respond(ChainKind::Atm, "1"), authorization, "{state:?}");
        assert_eq!(respond(ChainKind::Purchase, "0"), check, "{state:?}");
        assert_eq!(respond(ChainKind::Refund, "1"), refund, "{state:?}");
    }
}

#[test]
fn a_spending_limit_comes_before_the_balance_and_does_not_stop_refunds() {
    let mut world = World::with(10_000);
    world.limits = vec![SpendingLimit {
        window: SpendingWindow::Day,
        amount: Minor(5_000),
        most_uses: None,
        window_start: NaiveDate::default(),
        spent: Minor(0),
        uses: 0,
    }];
    let respond = |world: &mut World, kind, amount| world.first(kind, amount).unwrap().transaction.response;
    assert_eq!(respond(&mut world, ChainKind::Purchase, "30"), Response::Approved);
    assert_eq!(respond(&mut world, ChainKind::Atm, "20"), Response::Approved);
    assert_eq!(respond(&mut world, ChainKind::Purchase, "1000"), Response::UsageLimitReached);
    assert_eq!(respond(&mut world, ChainKind::Refund, "1000"), Response::Approved);
    assert_eq!(respond(&mut world, ChainKind::Purchase, "0"), Response::AccountVerified);
    world.wait(TimeDelta::days(1));
    assert_eq!(respond(&mut world, ChainKind::Purchase, "50"), Response::Approved);
}
