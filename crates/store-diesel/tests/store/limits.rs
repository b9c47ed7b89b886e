//! Amounts at the ends of the 64-bit range, and the limits of a card.

use crate::support::{Fixture, MINE, authorize, card, first_message, funding, id, noon, seed_data, stamp};
use chrono::NaiveDate;
use florin_domain::card::decide::{CardRefusal, ChainSituation, FirstKind, FirstSituation, decide_first};
use florin_domain::card::{CardLimit, CarriedUse, ChainState, LimitWindow, Response};
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_domain::test_support::a_limit;
use florin_ports::{CardLedger, FirstMessageCommand, FollowUpCommand, Mode, Seeding, WriteError};
use std::sync::{Arc, Mutex};

#[tokio::test(flavor = "multi_thread")]
async fn balances_reach_the_limits_of_64_bits() {
    for minor in [i64::MAX, i64::MIN + 1] {
        let fixture = Fixture::funded(minor).await;
        assert_eq!(fixture.balances(MINE).await.ledger(), Minor(minor));
        fixture.check_books().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sum_within_the_range_is_verified_though_its_terms_overflow() {
    let fixture = Fixture::empty();
    let mut data = seed_data(1);
    let seed = &mut data.accounts[0].budgets[0];
    seed.journal = (0..6).map(|number| funding(MINE, number, i64::MAX)).collect();
    seed.journal.extend((6..12).map(|number| funding(MINE, number, -i64::MAX)));
    seed.journal.push(funding(MINE, 12, -7));
    let balances = Balances::new(Minor(-7), Minor(0), Minor(0)).unwrap();
    seed.budget.balances[0].1 = balances;
    fixture.store.seed(data).await.unwrap();
    assert_eq!(fixture.balances(MINE).await, balances);
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_usage_of_a_limit_is_stored() {
    let fixture = Fixture::empty();
    let mut data = seed_data(9_500);
    let (spent, uses) = (Minor(1_999), u32::MAX - 7);
    let limit = CardLimit {
        max_uses: Some(u32::MAX),
        window_start: NaiveDate::from_ymd_opt(2026, 8, 1).unwrap(),
        spent,
        uses,
        carried: CarriedUse { spent, uses },
        ..a_limit(LimitWindow::Month, "20.00 GBP")
    };
    let carried = CarriedUse { spent: Minor(7), uses: 3 };
    let lifetime = CardLimit { uses, carried, turned_off: true, ..a_limit(LimitWindow::Lifetime, "20.00 GBP") };
    data.accounts[0].cards[0].limits = vec![limit.clone(), lifetime.clone()];
    fixture.store.seed(data).await.unwrap();
    let first = authorize(&fixture.store, 1, "10").await;
    assert_eq!(first.response, Response::Approved);
    assert_eq!(authorize(&fixture.store, 2, "10.01").await.response, Response::UsageLimitReached);

    let seen = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&seen);
    let decide = Arc::new(move |situation: &ChainSituation| {
        *keep.lock().unwrap() = Some(situation.limits.clone());
        Err(CardRefusal::Expired)
    });
    let command = FollowUpCommand { account: id(MINE), token: first.token, decide, mode: Mode::Commit, claim: None };
    assert_eq!(fixture.store.follow_up(command).await, Err(WriteError::Refused(CardRefusal::Expired)));
    let mut limits = seen.lock().unwrap().take().unwrap();
    limits.sort_by_key(|limit| limit.window);
    let spent = Minor(1_000);
    let limit = CardLimit { spent, uses: 1, ..limit.current(noon()) };
    assert_eq!(limits, [limit, CardLimit { spent, uses: u32::MAX - 6, ..lifetime }]);
}

/// The database rejects the result of a rule with a bug.
#[tokio::test(flavor = "multi_thread")]
async fn the_schema_rejects_what_no_rule_may_do() {
    let fixture = Fixture::seeded().await;
    let message = first_message(FirstKind::Purchase, "10");
    let decide = Arc::new(move |situation: &FirstSituation| {
        let mut decision = stamp(1).rule(|stamp| decide_first(situation, &message, stamp))?;
        decision.chain.as_mut().unwrap().state = ChainState::Open { held: Minor(-1) };
        Ok(decision)
    });
    let command = FirstMessageCommand { account: id(MINE), card: card(MINE), decide, mode: Mode::Commit, claim: None };
    let error = fixture.store.first_message(command).await.unwrap_err();
    assert!(matches!(error, WriteError::Store(florin_ports::StoreError::Corrupt(_))), "{error:?}");
    assert_eq!(fixture.balances(MINE).await.available(), Minor(9_500));
    authorize(&fixture.store, 1, "10").await;
    fixture.check_books().await;
}
