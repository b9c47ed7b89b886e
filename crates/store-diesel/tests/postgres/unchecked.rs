//! The tables whose constraints PostgreSQL does not check when it stores rows.

use crate::fan_out::EVENT;
use crate::repeats::claim_of;
use crate::support::{Fixture, MINE, authorization, authorize, fresh, stamp};
use diesel::connection::SimpleConnection;
use florin_ports::{BooksCheck, CardLedger, Discrepancy, FirstMessageCommand, StoreError, WriteError};

/// Returns the tables in which the check of the books finds a row that violates a constraint.
async fn violated(fixture: &Fixture) -> Vec<&'static str> {
    let found = fixture.store.check_all().await.unwrap().discrepancies;
    let table = |found| if let Discrepancy::Constraint(table) = found { Some(table) } else { None };
    found.into_iter().filter_map(table).collect()
}

/// Returns the tables that [`violated`] finds after a statement. Before the statement, each table has a row, and none
/// is found.
async fn violated_after(statement: &str) -> Vec<&'static str> {
    let fixture = Fixture::seeded().await;
    let claim = Some(claim_of("k"));
    let command = FirstMessageCommand { claim, ..authorization(MINE, stamp(1), "10") };
    fresh(fixture.store.first_message(command).await);
    fixture.sql(EVENT);
    assert_eq!(violated(&fixture).await, [""; 0]);
    fixture.sql(statement);
    violated(&fixture).await
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_without_their_parents_are_detected() {
    for (table, change) in [
        ("journal_legs", "account_id = 'nobody'"),
        ("card_transactions", "card_id = token"),
        ("card_chains", "id = card_id"),
        ("card_chains", "currency = 'EUR'"),
        ("outbox_events", "account_id = 'nobody'"),
        ("idempotency_records", "account_id = 'nobody'"),
    ] {
        assert_eq!(violated_after(&format!("UPDATE {table} SET {change}")).await, [table], "{change}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_names_are_detected() {
    for (table, column) in [
        ("card_transactions", "chain_kind"),
        ("card_transactions", "kind"),
        ("card_transactions", "network"),
        ("card_transactions", "response"),
        ("journal_legs", "kind"),
        ("outbox_events", "kind"),
    ] {
        let found = violated_after(&format!("UPDATE {table} SET {column} = 'unknown'")).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_missing_account_are_not_stored() {
    let fixture = Fixture::seeded().await;
    // While foreign keys are not checked, PostgreSQL deletes the account although rows refer to it.
    fixture.sql(&format!("SET session_replication_role = replica; DELETE FROM accounts WHERE id = '{MINE}'"));
    let refused = fixture.store.first_message(authorization(MINE, stamp(1), "10")).await;
    assert!(matches!(refused, Err(WriteError::Store(StoreError::NotFound(_)))), "{refused:?}");
}
