//! A database that refuses work, and the answers that callers receive.

use crate::support::{Fixture, MINE, authorization, authorize, budget, id, settings, stamp};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use florin_domain::ids::CheckoutSessionId;
use florin_domain::money::Minor;
use florin_ports::{CardLedger, CheckoutSessions, Seeding, StoreError, WriteError};
use florin_store_contract::StoreSettings;
use florin_store_diesel::Store;

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_database_is_unavailable_until_it_is_unlocked() {
    let fixture = Fixture::seeded().await;
    let path = fixture.directory.path().join("florin.db");
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let answer = fixture.store.first_message(authorization(MINE, stamp(1), "10")).await;
    assert!(matches!(answer, Err(WriteError::Store(StoreError::Unavailable(_)))), "{answer:?}");
    // Reads continue meanwhile.
    assert_eq!(fixture.balances(MINE).await.available(), Minor(9_500));
    other.batch_execute("ROLLBACK").unwrap();
    authorize(&fixture.store, 1, "10").await;
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_value_that_cannot_be_read_is_corrupt() {
    let fixture = Fixture::seeded().await;
    fixture.sql(
        "PRAGMA ignore_check_constraints = ON; UPDATE cards SET state = 'LOST'; \
        UPDATE payment_orders SET id = 'no uuid'",
    );
    assert!(matches!(fixture.store.cards(&id(MINE)).await, Err(StoreError::Corrupt(_))));
    assert!(matches!(fixture.store.batches(&id(MINE)).await, Err(StoreError::Corrupt(_))));
    let answer = fixture.store.first_message(authorization(MINE, stamp(1), "10")).await;
    assert!(matches!(answer, Err(WriteError::Store(StoreError::Corrupt(_)))), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_whose_columns_contradict_its_status_is_corrupt() {
    let fixture = Fixture::seeded().await;
    let budget = budget(MINE).0;
    fixture.sql(&format!(
        "INSERT INTO checkout_sessions (account_id, id, purpose, status, has_begun, budget_id, idempotency_key, \
        currency, amount_minor, token_hash, payment_reference, expires_at, created_at, updated_at) \
        SELECT account_id, budget_id, 'BUDGET', 'EXPIRED', FALSE, budget_id, 'key', currency, 1, \
        (SELECT hash FROM api_keys LIMIT 1), 'RQ22222222', 0, 0, 0 FROM balances WHERE budget_id = '{budget}'"
    ));
    let found = async || CheckoutSessions::find(&fixture.store, &id(MINE), CheckoutSessionId(budget)).await;
    assert!(matches!(found().await, Ok(Some(_))));
    fixture.sql("UPDATE checkout_sessions SET has_begun = TRUE");
    let answer = found().await;
    assert!(matches!(answer, Err(StoreError::Corrupt(_))), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_reader_serves_concurrent_reads() {
    let fixture = Fixture::seeded().await;
    let store = Store::open(&StoreSettings { readers: Some(1), ..settings(&fixture.directory) }).unwrap();
    let reads: Vec<_> = (0..200)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.cards(&id(MINE)).await })
        })
        .collect();
    for read in reads {
        assert_eq!(read.await.unwrap().unwrap().len(), 1);
    }
}
