//! The tables whose constraints PostgreSQL does not check when it stores rows.

use crate::support::{Fixture, MINE, authorization, authorize, stamp};
use diesel::connection::SimpleConnection;
use florin_ports::{BooksCheck, CardLedger, Discrepancy, StoreError, WriteError};

/// Returns the tables that the check of the books finds after a statement.
async fn found_after(statement: &str) -> Vec<&'static str> {
    let fixture = Fixture::seeded().await;
    authorize(&fixture.store, 1, "10").await;
    fixture.sql(statement);
    let found = fixture.store.check_all().await.unwrap().discrepancies;
    let table = |found| if let Discrepancy::Constraint(table) = found { Some(table) } else { None };
    found.into_iter().filter_map(table).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_without_their_parents_are_detected() {
    for (statement, expected) in [
        ("UPDATE journal_legs SET account_id = 'nobody'", vec!["journal_legs"]),
        ("UPDATE card_transactions SET card_id = token", vec!["card_transactions"]),
        ("UPDATE card_chains SET id = card_id", vec!["card_chains"]),
        ("UPDATE card_chains SET currency = 'EUR'", vec!["card_chains"]),
        ("UPDATE outbox_events SET account_id = 'nobody'", vec!["outbox_events"]),
        ("UPDATE idempotency_records SET account_id = 'nobody'", vec!["idempotency_records"]),
        ("UPDATE card_limits SET spent_minor = 1", vec![]),
    ] {
        assert_eq!(found_after(statement).await, expected, "{statement}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_names_are_detected() {
    for (table, column) in [
        ("card_transactions", "chain_kind"),
        ("card_transactions", "network"),
        ("card_transactions", "response"),
        ("outbox_events", "kind"),
    ] {
        let found = found_after(&format!("UPDATE {table} SET {column} = 'unknown'")).await;
        assert_eq!(found, [table], "{column}");
    }
}

/// The statement that stores rows locks their accounts, as foreign keys would.
#[tokio::test(flavor = "multi_thread")]
async fn rows_of_an_account_that_is_being_deleted_are_not_stored() {
    let fixture = Fixture::seeded().await;
    let mut other = fixture.database.connect();
    other.batch_execute(&format!("BEGIN; SELECT 1 FROM accounts WHERE id = '{MINE}' FOR UPDATE")).unwrap();
    let refused = fixture.store.first_message(authorization(MINE, stamp(1), "10")).await;
    assert!(matches!(refused, Err(WriteError::Store(StoreError::Unavailable(_)))), "{refused:?}");
    other.batch_execute("COMMIT").unwrap();
    authorize(&fixture.store, 1, "10").await;
}
