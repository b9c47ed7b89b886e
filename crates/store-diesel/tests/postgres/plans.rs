//! Tests that the writer reads rows by index and never scans a table, and that a table that has grown a lot is analyzed
//! once.

use crate::Store;
use crate::support::{Fixture, settings_of};
use crate::work::{run_as_group, run_sequentially, seed_data_for_work};
use florin_ports::{Seeding, Upkeep};
use std::time::Duration;

/// Tables that grow.
const TABLES: &str = "('balances', 'cards', 'card_limits', 'card_transactions', 'card_chains', 'payment_batches', \
    'payment_orders', 'mfa_sessions', 'totp_enrolments', 'idempotency_records', 'credit_counters')";

/// Returns the sum of a statistic over these tables. Sessions report their statistics when they end.
fn counted(fixture: &Fixture, column: &str) -> i64 {
    let query = format!("SELECT SUM({column})::bigint AS value FROM pg_stat_user_tables WHERE relname IN {TABLES}");
    fixture.database.number(&query)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_query_scans_a_whole_table() {
    let fixture = Fixture::empty();
    fixture.store.seed(seed_data_for_work()).await.unwrap();
    fixture.sql("ANALYZE");
    fixture.store.close();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (scans, all) = (counted(&fixture, "seq_scan"), counted(&fixture, "seq_scan + idx_scan"));
    let store = Store::open(&settings_of(&fixture.database.url)).unwrap();
    for round in 0..3 {
        run_sequentially(&store, 2 * round).await;
        run_as_group(&store, 2 * round + 1).await;
    }
    let other = store.clone();
    tokio::task::spawn_blocking(move || other.close()).await.unwrap();
    for _ in 0..100 {
        if counted(&fixture, "seq_scan + idx_scan") > all + 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(counted(&fixture, "seq_scan + idx_scan") > all + 200, "the server has not reported what was read");
    assert_eq!(counted(&fixture, "seq_scan"), scans, "whole tables were scanned");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_has_grown_a_lot_is_analyzed_once() {
    let fixture = Fixture::empty();
    let size = || fixture.database.number("SELECT reltuples::bigint AS value FROM pg_class WHERE relname = 'clients'");
    let analyses =
        || fixture.database.number("SELECT analyze_count AS value FROM pg_stat_user_tables WHERE relname = 'clients'");
    // Otherwise the server could analyze the table first.
    fixture.sql("ALTER TABLE clients SET (autovacuum_enabled = false)");
    fixture.sql(
        "INSERT INTO clients (id, name, allowed_networks) \
        SELECT gen_random_uuid(), 'Client ' || n, '' FROM generate_series(1, 600) n",
    );
    // Sessions report what they wrote a moment later.
    for _ in 0..100 {
        fixture.store.renew_statistics().await.unwrap();
        if size() == 600 && analyses() == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!((size(), analyses()), (600, 1));
    fixture.sql("INSERT INTO clients (id, name, allowed_networks) SELECT gen_random_uuid(), name, '' FROM clients");
    tokio::time::sleep(Duration::from_secs(2)).await;
    fixture.store.renew_statistics().await.unwrap();
    assert_eq!(analyses(), 1, "twice the size is not a lot");
}
