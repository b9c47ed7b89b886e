//! A database of an earlier version is upgraded with all its rows.

use crate::support::settings;
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
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use florin_domain::access::Environment;
use florin_store_diesel::Store;
use tempfile::TempDir;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

fn lines(conn: &mut SqliteConnection, query: &str) -> Vec<String> {
    sql_query(query).load::<Line>(conn).unwrap().into_iter().map(|row| row.line).collect()
}

fn connect(directory: &TempDir) -> SqliteConnection {
    let path = directory.path().join("florin.db");
    let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    conn.batch_execute("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON").unwrap();
    conn
}

const FOREIGN_KEYS: &str = "SELECT m.name || ' ' || f.\"from\" || ' ' || f.\"table\" || ' ' || f.\"to\" AS line \
    FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY 1";

/// Creates a database with the statements for these values of its rows.
fn create(conn: &mut SqliteConnection, statements: impl FnOnce(&[(&str, &str)]) -> Vec<String>) {
    let (hash, secret) = (format!("X'{}'", "ab".repeat(32)), format!("X'{SECRET}'"));
    let values = [("@time", "1788264000000000"), ("@true", "1"), ("@hash", &hash), ("@secret", &secret)];
    for statement in statements(&values) {
        conn.batch_execute(&statement).unwrap();
    }
}

/// Creates a database of the first schema with rows.
fn of_first_schema(conn: &mut SqliteConnection) {
    create(conn, |values| statements("sqlite", values));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_the_first_schema_is_upgraded_with_its_rows() {
    let directory = tempfile::tempdir().unwrap();
    let mut conn = connect(&directory);
    of_first_schema(&mut conn);
    let store = Store::open(&settings(&directory)).unwrap();
    assert_eq!(store.pending().unwrap().first().map(String::as_str), Some("2026-11-21-000007_journal"));
    assert!(store.migrate().unwrap() >= 3);
    check_data(&store).await;
    check_budgets_and_cards(&store).await;
    check_merchants(&store).await;
    check_environment(&store, Environment::Sandbox).await;
    check_secrets(&store).await;
    // No row has a dangling reference, and no table refers to the temporary name of a recreated table.
    assert_eq!(lines(&mut conn, "SELECT \"table\" AS line FROM pragma_foreign_key_check"), Vec::<String>::new());
    assert_eq!(lines(&mut conn, "SELECT integrity_check AS line FROM pragma_integrity_check"), ["ok"]);
    assert_eq!(
        lines(&mut conn, "SELECT name AS line FROM sqlite_master WHERE sql LIKE '%new\\_%' ESCAPE '\\'"),
        Vec::<String>::new()
    );
    // Foreign keys to the recreated tables are enforced.
    for refused in [
        "DELETE FROM accounts",
        "DELETE FROM payment_batches",
        "DELETE FROM card_transactions",
        "INSERT INTO journal_legs (account_id, journal_id, line, amount_minor, created_at, kind, cause_id, currency, \
            from_pool, to_pool) \
            SELECT 'F2', journal_id, line, amount_minor, created_at, kind, cause_id, currency, 'fees', \
            'card_network' FROM journal_legs",
        "UPDATE payment_batches SET created_by = '00000000-0000-0000-0000-0000000000ff'",
    ] {
        assert!(conn.batch_execute(refused).unwrap_err().to_string().contains("FOREIGN KEY"), "{refused}");
    }
    let fresh = tempfile::tempdir().unwrap();
    Store::open(&settings(&fresh)).unwrap().migrate().unwrap();
    assert_eq!(lines(&mut conn, FOREIGN_KEYS), lines(&mut connect(&fresh), FOREIGN_KEYS));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_with_a_key_for_production_becomes_a_production_store() {
    let directory = tempfile::tempdir().unwrap();
    let mut conn = connect(&directory);
    of_first_schema(&mut conn);
    conn.batch_execute(&production_key(&format!("X'{}'", "cd".repeat(32)))).unwrap();
    let store = Store::open(&settings(&directory)).unwrap();
    store.migrate().unwrap();
    check_environment(&store, Environment::Production).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_of_the_journal_become_legs() {
    let directory = tempfile::tempdir().unwrap();
    let mut conn = connect(&directory);
    for statement in before(
        upgrade_legs::MIGRATION,
        upgrade_legs::ROWS,
        "sqlite",
        &[("@time", "1788264000000000"), ("@day", "86400000000")],
    ) {
        conn.batch_execute(&statement).unwrap();
    }
    let postings = lines(&mut conn, ENTRIES);
    let store = Store::open(&settings(&directory)).unwrap();
    assert_eq!(store.pending().unwrap().first().map(String::as_str), Some("2026-11-26-000048_journal_legs"));
    store.migrate().unwrap();
    assert_eq!(lines(&mut conn, LEGS), postings);
    upgrade_legs::check_legs(&store, &lines(&mut conn, upgrade_legs::MOVES)).await;
    assert_eq!(lines(&mut conn, "SELECT \"table\" AS line FROM pragma_foreign_key_check"), Vec::<String>::new());
    assert_eq!(lines(&mut conn, upgrade_legs::SNAPSHOTS), [""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_without_bodies_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    let mut conn = connect(&directory);
    create(&mut conn, |values| {
        before_with_first_rows(upgrade_events::MIGRATION, upgrade_events::ROWS, "sqlite", values)
    });
    let store = Store::open(&settings(&directory)).unwrap();
    assert_eq!(store.pending().unwrap().first().map(String::as_str), Some("2026-11-22-000026_events"));
    store.migrate().unwrap();
    let (sequences, stored) = (upgrade_events::SEQUENCES, upgrade_events::STORED);
    upgrade_events::check_sequences(&store, &lines(&mut conn, sequences), &lines(&mut conn, stored)).await;
    assert_eq!(lines(&mut conn, "SELECT \"table\" AS line FROM pragma_foreign_key_check"), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn fees_of_acquirers_become_details() {
    let directory = tempfile::tempdir().unwrap();
    let mut conn = connect(&directory);
    create(&mut conn, |values| before_with_first_rows(upgrade_fees::MIGRATION, upgrade_fees::ROWS, "sqlite", values));
    let store = Store::open(&settings(&directory)).unwrap();
    store.migrate().unwrap();
    upgrade_fees::check_fees(&store).await;
}

#[derive(QueryableByName)]
struct Plan {
    #[diesel(sql_type = Text)]
    detail: String,
}

/// A scan of the account's messages would become slower with each message.
#[test]
fn messages_of_a_chain_are_found_by_their_index() {
    let directory = tempfile::tempdir().unwrap();
    Store::open(&settings(&directory)).unwrap().migrate().unwrap();
    let query = "EXPLAIN QUERY PLAN SELECT * FROM card_transactions WHERE account_id = ? AND chain_id = ? \
        AND preceding IS NOT NULL";
    let plan: Vec<_> = sql_query(query).load::<Plan>(&mut connect(&directory)).unwrap();
    let [step] = &plan[..] else { panic!("{} steps", plan.len()) };
    assert!(step.detail.contains("card_transactions_by_chain (account_id=? AND chain_id=?)"), "{}", step.detail);
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_carry_what_lists_show_of_their_sessions() {
    let directory = tempfile::tempdir().unwrap();
    let mut conn = connect(&directory);
    create(&mut conn, |values| before(upgrade_payments::MIGRATION, upgrade_payments::ROWS, "sqlite", values));
    let store = Store::open(&settings(&directory)).unwrap();
    store.migrate().unwrap();
    upgrade_payments::check_list(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    let mut conn = connect(&directory);
    create(&mut conn, |values| {
        before_with_first_rows(upgrade_people::MIGRATION, upgrade_people::ROWS, "sqlite", values)
    });
    let store = Store::open(&settings(&directory)).unwrap();
    assert_eq!(store.pending().unwrap().first().map(String::as_str), Some("2026-11-29-000059_people_counts"));
    store.migrate().unwrap();
    upgrade_people::check_counts(&store).await;
}

/// A connection that was opened before the upgrade uses the new checks, too.
#[test]
fn checks_without_lists_refuse_the_same_values() {
    let directory = tempfile::tempdir().unwrap();
    let mut conn = connect(&directory);
    create(&mut conn, |values| {
        before_with_first_rows(upgrade_checks::MIGRATION, upgrade_checks::ROWS, "sqlite", values)
    });
    let earlier = conn.batch_execute("UPDATE cards SET state = 'active'").unwrap_err().to_string();
    assert!(earlier.contains("state IN ('UNACTIVATED', 'ACTIVE',"), "{earlier}");
    Store::open(&settings(&directory)).unwrap().migrate().unwrap();
    for (refused, check) in [
        ("UPDATE cards SET state = 'active'", "state = 'UNACTIVATED' OR state = 'ACTIVE' OR "),
        ("UPDATE cards SET fulfillment = ''", "fulfillment = 'ISSUED' OR "),
        ("UPDATE payment_batches SET confirmed_at = NULL", "(status NOT IN ('confirmed', 'started') AND "),
        (
            "UPDATE journal_legs SET to_pool = 'fees', to_budget_id = from_budget_id",
            "(to_budget_id IS NOT NULL) = (to_pool = ",
        ),
    ] {
        let error = conn.batch_execute(refused).unwrap_err().to_string();
        assert!(error.contains("CHECK constraint failed") && error.contains(check), "{refused}: {error}");
    }
    conn.batch_execute("UPDATE cards SET state = 'TERMINATED', fulfillment = 'DIGITALLY_PRESENTED'").unwrap();
    // A check of a value that may be absent accepts NULL.
    conn.batch_execute("UPDATE card_chains SET ended_by = NULL").unwrap();
    assert_eq!(lines(&mut conn, "SELECT integrity_check AS line FROM pragma_integrity_check"), ["ok"]);
    assert_eq!(lines(&mut conn, upgrade_checks::SCHEMAS), upgrade_checks::EXPECTED);
}
