//! Concurrent commands.

use crate::support::{Answered, Fixture, MINE, OTHER, authorization, fresh, stamp};
use florin_domain::card::TransactionState;
use florin_domain::money::Minor;
use florin_ports::CardLedger;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_100_authorizations_of_10_on_95_exactly_9_are_approved() {
    let fixture = Fixture::seeded().await;
    let mut tasks: JoinSet<Answered> = JoinSet::new();
    for number in 0..100 {
        let store = fixture.store.clone();
        tasks.spawn(async move { store.first_message(authorization(MINE, stamp(number), "10")).await });
    }
    let states: Vec<_> = tasks.join_all().await.into_iter().map(|answer| fresh(answer).state).collect();
    let count = |expected| states.iter().filter(|state| **state == expected).count();
    assert_eq!((count(TransactionState::Pending), count(TransactionState::Declined)), (9, 91));
    let balances = fixture.balances(MINE).await;
    assert_eq!((balances.available(), balances.held()), (Minor(500), Minor(9_000)));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn budgets_do_not_disturb_each_other_and_readers_do_not_wait() {
    let fixture = Fixture::seeded().await;
    let mut tasks: JoinSet<Answered> = JoinSet::new();
    for number in 0..60 {
        let store = fixture.store.clone();
        let account = if number % 2 == 0 { MINE } else { OTHER };
        tasks.spawn(async move { store.first_message(authorization(account, stamp(number), "1")).await });
    }
    while let Some(answer) = tasks.join_next().await {
        fresh(answer.unwrap());
        // An answer is sent after the commit, so a later read sees the change.
        assert!(fixture.balances(MINE).await.held().0 + fixture.balances(OTHER).await.held().0 > 0);
    }
    assert_eq!(fixture.balances(MINE).await.held(), Minor(3_000));
    assert_eq!(fixture.balances(OTHER).await.held(), Minor(3_000));
    fixture.check_books().await;
}
