//! Prepared data is stored completely or not at all.

use crate::support::{Fixture, MINE, OTHER, active_card, funding, gbp, id, seed_data};
use florin_domain::ids::CardId;
use florin_domain::ledger::Balances;
use florin_domain::money::{Currency, Minor};
use florin_ports::{Registry, Seeding, StoreError};
use uuid::Uuid;

#[tokio::test(flavor = "multi_thread")]
async fn seeded_data_is_read_back_unchanged() {
    let fixture = Fixture::empty();
    let mut seeded = seed_data(9_500);
    let seed = &mut seeded.accounts[0];
    // Ids of version 7 grow, so the order of ids is the order of creation.
    let mut second = seed.cards[0].clone();
    second.card.id = CardId(Uuid::max());
    seed.cards.push(second);
    let jpy = Currency::parse("JPY").unwrap();
    seed.budgets[0].budget.balances.push((jpy, Balances::default()));
    fixture.store.seed(seeded.clone()).await.unwrap();
    for seed in seeded.accounts {
        let account = seed.account.id;
        let mut budgets: Vec<_> = seed.budgets.into_iter().map(|seed| seed.budget).collect();
        budgets.push(seed.parent.budget);
        budgets.sort_by_key(|budget| budget.id);
        assert_eq!(fixture.store.budgets(&account).await.unwrap(), budgets);
        let cards: Vec<_> = seed.cards.into_iter().map(|seed| seed.card).collect();
        assert_eq!(fixture.store.cards(&account).await.unwrap(), cards);
        assert_eq!(fixture.store.batches(&account).await.unwrap(), seed.batches);
    }
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn data_is_seeded_once() {
    let fixture = Fixture::seeded().await;
    let again = fixture.store.seed(seed_data(9_500)).await;
    assert!(matches!(again, Err(StoreError::Duplicate(_))), "{again:?}");
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_seeding_stores_nothing() {
    let fixture = Fixture::empty();
    let mut broken = seed_data(9_500);
    // The card of the last account spends from the budget of the first.
    broken.accounts[1].cards[0].card = florin_domain::card::Card { account: id(OTHER), ..active_card(MINE) };
    let error = fixture.store.seed(broken).await.unwrap_err();
    assert!(matches!(error, StoreError::NotFound(_)), "{error:?}");
    assert!(fixture.store.is_fresh().await.unwrap());
    assert_eq!(fixture.store.keys(None).await, Ok(vec![]));
    fixture.store.seed(seed_data(9_500)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn balances_must_be_the_sums_of_the_journal() {
    let fixture = Fixture::empty();
    let mut more = seed_data(9_500);
    more.accounts[0].budgets[0].journal.push(funding(MINE, 1, 1));
    let mut missing = seed_data(9_500);
    missing.accounts[1].budgets[0].journal.clear();
    let mut elsewhere = seed_data(9_500);
    elsewhere.accounts[0].budgets[0].budget.balances.clear();
    let mut held = seed_data(9_500);
    held.accounts[0].budgets[0].budget.balances[0] =
        (gbp(), Balances::new(Minor(9_400), Minor(100), Minor(0)).unwrap());
    for data in [more, missing, elsewhere, held] {
        let error = fixture.store.seed(data).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}");
    }
    assert!(fixture.store.is_fresh().await.unwrap());
}
