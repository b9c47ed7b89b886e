//! A database of an earlier version is upgraded with all its rows.

use crate::Store;
use crate::database::Database;
use crate::upgrade::{budgets_and_cards_are_whole, is_whole, merchants_are_whole, statements};
use diesel::connection::SimpleConnection;
use florin_store_contract::StoreSettings;

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_the_first_schema_is_upgraded_with_its_rows() {
    let database = Database::new();
    let hash = format!("'\\x{}'", "ab".repeat(32));
    let values = [("@time", "'2026-09-01T12:00:00Z'"), ("@true", "TRUE"), ("@hash", hash.as_str())];
    for statement in statements("postgres", &values) {
        database.sql(&statement);
    }
    let store = Store::open(&StoreSettings { readers: Some(1), ..StoreSettings::at(database.url.clone()) }).unwrap();
    assert_eq!(store.pending().unwrap().first().map(String::as_str), Some("2026-11-21-000007_journal"));
    assert!(store.migrate().unwrap() >= 3);
    is_whole(&store).await;
    budgets_and_cards_are_whole(&store).await;
    merchants_are_whole(&store).await;
    for refused in [
        "INSERT INTO journal_entries (account_id, journal_id, line, pool, budget_id, amount_minor) \
         VALUES ('F1', '00000000-0000-0000-0000-0000000000ff', 0, 'fees', NULL, 1)",
        "UPDATE payment_batches SET created_by = '00000000-0000-0000-0000-0000000000ff'",
    ] {
        let error = database.connect().batch_execute(refused).unwrap_err().to_string();
        assert!(error.contains("violates foreign key"), "{error}");
    }
}
