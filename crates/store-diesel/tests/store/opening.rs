//! Opening, migration and readiness, and data that survives a restart.

use crate::support::{Home, MINE, authorize, follow_up, fresh, id, settings, stamp, world};
use florin_domain::card::decide::FollowUp;
use florin_domain::money::Minor;
use florin_ports::{Accounts, CardLedger, Readiness, Seeding, StoreError, Upkeep};
use florin_store_contract::StoreSettings;
use florin_store_diesel::Store;
use std::sync::{Arc, Barrier};

#[tokio::test(flavor = "multi_thread")]
async fn opening_does_not_migrate() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&settings(&directory)).unwrap();
    assert_eq!(store.readiness().await, Ok(Readiness::MigrationsPending));
    assert!(matches!(Accounts::find(&store, &id(MINE)).await, Err(StoreError::Unavailable(_))));
    let pending = store.pending().unwrap();
    assert_eq!(pending.first().map(String::as_str), Some("2026-11-21-000001_access"));
    assert_eq!(store.migrate(), Ok(pending.len()));
    assert_eq!(store.readiness().await, Ok(Readiness::Ready));
    assert_eq!((store.pending(), store.migrate()), (Ok(vec![]), Ok(0)));
    // The calls that failed before now succeed.
    assert_eq!(Accounts::find(&store, &id(MINE)).await, Ok(None));
    store.seed(world(1)).await.unwrap();
}

#[test]
fn concurrent_migrations_run_once() {
    for _ in 0..5 {
        let directory = tempfile::tempdir().unwrap();
        let start = Arc::new(Barrier::new(4));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let (settings, start) = (settings(&directory), Arc::clone(&start));
                std::thread::spawn(move || {
                    start.wait();
                    let store = Store::open(&settings).unwrap();
                    store.migrate().unwrap()
                })
            })
            .collect();
        let mut applied: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        applied.sort_unstable();
        assert_eq!(applied[..3], [0, 0, 0]);
        assert!(applied[3] > 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_opened_and_reported() {
    let home = Home::seeded().await;
    home.sql("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231235959')");
    let store = Store::open(&settings(&home.directory)).unwrap();
    assert_eq!(store.readiness().await, Ok(Readiness::SchemaTooNew));
    assert_eq!(store.pending(), Ok(vec![]));
    home.sql("DELETE FROM __diesel_schema_migrations WHERE version LIKE '%000006'");
    assert_eq!(store.readiness().await, Ok(Readiness::SchemaTooNew));
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_survives_a_restart() {
    let Home { store, directory } = Home::seeded().await;
    let first = authorize(&store, 1, "10").await;
    // The store is not closed, as after a crash.
    drop(store);
    let store = Store::open(&settings(&directory)).unwrap();
    assert_eq!(store.readiness().await, Ok(Readiness::Ready));
    let reversal = follow_up(MINE, first.token, stamp(2), FollowUp::Reversal { amount: None });
    let reversal = fresh(store.follow_up(reversal).await);
    assert_eq!(reversal.requested, Minor(1_000));
    store.close();
    drop(store);
    let home = Home { store: Store::open(&settings(&directory)).unwrap(), directory };
    assert_eq!(home.balances(MINE).await.available(), Minor(9_500));
    home.audit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_programs_on_one_file_see_each_other() {
    let home = Home::seeded().await;
    let other = Store::open(&settings(&home.directory)).unwrap();
    let first = authorize(&home.store, 1, "10").await;
    let reversal = follow_up(MINE, first.token, stamp(2), FollowUp::Reversal { amount: None });
    fresh(other.follow_up(reversal).await);
    assert_eq!(home.balances(MINE).await.held(), Minor(0));
}

#[test]
fn errors_of_opening_are_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let error = |url: String| Store::open(&StoreSettings::at(url)).err().unwrap().to_string();
    let missing = error(path("missing/florin.db"));
    assert!(missing.contains("directory") && missing.contains("missing"), "{missing}");
    std::fs::write(directory.path().join("text"), "not a database, but long enough to look at".repeat(9)).unwrap();
    assert!(error(path("text")).contains("not a database"), "{}", error(path("text")));
    assert!(error(directory.path().display().to_string()).contains("can't be opened"));
    assert!(error("sqlite::memory:".into()).contains(":memory:"));
}
