//! A database of an earlier version is upgraded with all its rows.

use crate::Store;
use crate::database::Database;
use crate::upgrade::{
    SECRET, before, before_with_first_rows, check_budgets_and_cards, check_data, check_environment, check_merchants,
    check_secrets, production_key, statements,
};
use crate::upgrade_checks;
use crate::upgrade_events;
use crate::upgrade_fees;
use crate::upgrade_legs::{self, ENTRIES, LEGS};
use crate::upgrade_payments;
use crate::upgrade_people;
use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use florin_domain::access::Environment;
use florin_store_contract::StoreSettings;

/// Creates a database with the statements for these values of its rows.
fn create(statements: impl FnOnce(&[(&str, &str)]) -> Vec<String>) -> Database {
    let (hash, secret) = (format!("'\\x{}'", "ab".repeat(32)), format!("'\\x{SECRET}'"));
    let values = [("@time", "'2026-09-01T12:00:00Z'"), ("@true", "TRUE"), ("@hash", &hash), ("@secret", &secret)];
    let database = Database::new();
    for statement in statements(&values) {
        database.sql(&statement);
    }
    database
}

/// Creates a database of the first schema with rows.
fn of_first_schema() -> Database {
    create(|values| statements("postgres", values))
}

fn open(database: &Database) -> Store {
    Store::open(&StoreSettings { readers: Some(1), ..StoreSettings::at(database.url.clone()) }).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_the_first_schema_is_upgraded_with_its_rows() {
    let database = of_first_schema();
    let store = open(&database);
    assert_eq!(store.pending().unwrap().first().map(String::as_str), Some("2026-11-21-000007_journal"));
    assert!(store.migrate().unwrap() >= 3);
    check_data(&store).await;
    check_budgets_and_cards(&store).await;
    check_merchants(&store).await;
    check_environment(&store, Environment::Sandbox).await;
    check_secrets(&store).await;
    for refused in
        ["DELETE FROM accounts", "UPDATE payment_batches SET created_by = '00000000-0000-0000-0000-0000000000ff'"]
    {
        let error = database.connect().batch_execute(refused).unwrap_err().to_string();
        assert!(error.contains("violates foreign key"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_with_a_key_for_production_becomes_a_production_store() {
    let database = of_first_schema();
    database.sql(&production_key(&format!("'\\x{}'", "cd".repeat(32))));
    let store = open(&database);
    store.migrate().unwrap();
    check_environment(&store, Environment::Production).await;
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

fn lines(database: &Database, query: &str) -> Vec<String> {
    sql_query(query).load::<Line>(&mut database.connect()).unwrap().into_iter().map(|row| row.line).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_of_the_journal_become_legs() {
    let database = Database::new();
    let values = [("@time", "TIMESTAMPTZ '2026-09-01T12:00:00Z'"), ("@day", "INTERVAL '1 day'")];
    for statement in before(upgrade_legs::MIGRATION, upgrade_legs::ROWS, "postgres", &values) {
        database.sql(&statement);
    }
    let postings = lines(&database, ENTRIES);
    let store = open(&database);
    assert_eq!(store.pending().unwrap().first().map(String::as_str), Some("2026-11-26-000048_journal_legs"));
    store.migrate().unwrap();
    assert_eq!(lines(&database, LEGS), postings);
    upgrade_legs::check_legs(&store, &lines(&database, upgrade_legs::MOVES)).await;
    assert_eq!(lines(&database, upgrade_legs::SNAPSHOTS), [""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_without_bodies_are_counted() {
    let database =
        create(|values| before_with_first_rows(upgrade_events::MIGRATION, upgrade_events::ROWS, "postgres", values));
    let store = open(&database);
    assert_eq!(store.pending().unwrap().first().map(String::as_str), Some("2026-11-22-000026_events"));
    store.migrate().unwrap();
    let (sequences, stored) = (upgrade_events::SEQUENCES, upgrade_events::STORED);
    upgrade_events::check_sequences(&store, &lines(&database, sequences), &lines(&database, stored)).await;
}

#[test]
fn migrations_update_the_schema_of_snapshots_whose_rows_they_keep() {
    let database =
        create(|values| before_with_first_rows(upgrade_checks::MIGRATION, upgrade_checks::ROWS, "postgres", values));
    open(&database).migrate().unwrap();
    assert_eq!(lines(&database, upgrade_checks::SCHEMAS), upgrade_checks::EXPECTED);
}

#[tokio::test(flavor = "multi_thread")]
async fn fees_of_acquirers_become_details() {
    let database =
        create(|values| before_with_first_rows(upgrade_fees::MIGRATION, upgrade_fees::ROWS, "postgres", values));
    let store = open(&database);
    store.migrate().unwrap();
    upgrade_fees::check_fees(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_carry_what_lists_show_of_their_sessions() {
    let database = create(|values| before(upgrade_payments::MIGRATION, upgrade_payments::ROWS, "postgres", values));
    let store = open(&database);
    store.migrate().unwrap();
    upgrade_payments::check_list(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_are_counted() {
    let database =
        create(|values| before_with_first_rows(upgrade_people::MIGRATION, upgrade_people::ROWS, "postgres", values));
    let store = open(&database);
    assert_eq!(store.pending().unwrap().first().map(String::as_str), Some("2026-11-29-000059_people_counts"));
    store.migrate().unwrap();
    upgrade_people::check_counts(&store).await;
}

/// An instance of an earlier version that is still running locks tables in another order than the migrations.
#[test]
fn migrations_are_tried_again_after_a_deadlock() {
    const WAITING: &str = "SELECT COUNT(*) AS value FROM pg_locks l JOIN pg_database d ON d.oid = l.database \
        WHERE d.datname = current_database() AND NOT l.granted AND l.relation = 'accounts'::regclass";
    let database = create(|values| before("2026-11-26-000051", "SELECT 1", "postgres", values));
    let store = open(&database);
    let mut instance = database.connect();
    instance.batch_execute("BEGIN; SELECT 1 FROM accounts").unwrap();
    let migrating = std::thread::spawn(move || store.migrate());
    while database.number(WAITING) == 0 {
        assert!(!migrating.is_finished(), "the migrations do not wait for the instance");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // Whichever transaction the server ends, the migrations are applied.
    let _ = instance.batch_execute("SELECT 1 FROM webhooks");
    instance.batch_execute("ROLLBACK").unwrap();
    assert!(migrating.join().unwrap().unwrap() >= 3);
}
