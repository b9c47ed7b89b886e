//! A database that refuses work, and the answers that callers receive.

use crate::support::{Home, MINE, authorization, authorize, id, settings, stamp};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use florin_domain::money::Minor;
use florin_ports::{CardLedger, Seeding, StoreError, WriteError};
use florin_store_contract::StoreSettings;
use florin_store_diesel::Store;

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_database_is_unavailable_until_it_is_unlocked() {
    let home = Home::seeded().await;
    let path = home.directory.path().join("florin.db");
    let mut other = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let answer = home.store.first_message(authorization(MINE, stamp(1), "10")).await;
    assert!(matches!(answer, Err(WriteError::Store(StoreError::Unavailable(_)))), "{answer:?}");
    // Reads continue meanwhile.
    assert_eq!(home.balances(MINE).await.available(), Minor(9_500));
    other.batch_execute("ROLLBACK").unwrap();
    authorize(&home.store, 1, "10").await;
    home.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_value_that_cannot_be_read_is_corrupt() {
    let home = Home::seeded().await;
    home.sql(
        "PRAGMA ignore_check_constraints = ON; UPDATE cards SET state = 'LOST'; \
        UPDATE payment_orders SET id = 'no uuid'",
    );
    assert!(matches!(home.store.cards(&id(MINE)).await, Err(StoreError::Corrupt(_))));
    assert!(matches!(home.store.batches(&id(MINE)).await, Err(StoreError::Corrupt(_))));
    let answer = home.store.first_message(authorization(MINE, stamp(1), "10")).await;
    assert!(matches!(answer, Err(WriteError::Store(StoreError::Corrupt(_)))), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_reader_serves_concurrent_reads() {
    let home = Home::seeded().await;
    let store = Store::open(&StoreSettings { readers: Some(1), ..settings(&home.directory) }).unwrap();
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
