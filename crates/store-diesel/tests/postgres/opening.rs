//! Opening, migrating, readiness.

use crate::Store;
use crate::support::{Database, Fixture, MINE, authorize, id, seed_data, settings_of};
use florin_ports::{Accounts, Readiness, Seeding, StoreError, Upkeep};
use florin_store_contract::StoreSettings;
use std::sync::{Arc, Barrier};

#[tokio::test(flavor = "multi_thread")]
async fn opening_does_not_migrate() {
    let database = Database::new();
    let store = Store::open(&settings_of(&database.url)).unwrap();
    assert_eq!(store.readiness().await, Ok(Readiness::MigrationsPending));
    assert!(matches!(Accounts::find(&store, &id(MINE)).await, Err(StoreError::Unavailable(_))));
    assert!(matches!(store.seed(seed_data(1)).await, Err(StoreError::Unavailable(_))));
    let pending = store.pending().unwrap();
    assert_eq!(pending.first().map(String::as_str), Some("2026-11-21-000001_access"));
    assert_eq!(store.migrate(), Ok(pending.len()));
    assert_eq!(store.readiness().await, Ok(Readiness::Ready));
    assert_eq!((store.pending(), store.migrate()), (Ok(vec![]), Ok(0)));
    // The calls that failed before now succeed.
    assert_eq!(Accounts::find(&store, &id(MINE)).await, Ok(None));
    store.seed(seed_data(1)).await.unwrap();
}

#[test]
fn concurrent_migrations_run_once() {
    for _ in 0..5 {
        let database = Database::new();
        let start = Arc::new(Barrier::new(4));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let (settings, start) = (settings_of(&database.url), Arc::clone(&start));
                std::thread::spawn(move || {
                    let store = Store::open(&settings).unwrap();
                    start.wait();
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
    let fixture = Fixture::seeded().await;
    fixture.sql("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231235959')");
    let store = fixture.instance();
    assert_eq!(store.readiness().await, Ok(Readiness::SchemaTooNew));
    assert_eq!(store.pending(), Ok(vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_opens_two_sessions_that_write_and_those_that_its_reads_need() {
    let fixture = Fixture::seeded().await;
    authorize(&fixture.store, 1, "1").await;
    let sessions = "SELECT COUNT(*) AS value FROM pg_stat_activity \
        WHERE datname = current_database() AND application_name = 'florin'";
    assert_eq!(fixture.database.number(sessions), 3, "two write, and one reads");
    fixture.open_both_readers().await;
    assert_eq!(fixture.database.number(sessions), 4, "two write, and two read");
}

#[test]
fn errors_of_opening_are_one_line_without_the_password() {
    let error = |url: &str| Store::open(&StoreSettings::at(url)).err().unwrap().to_string();
    let refused = error("postgres://me:secret@127.0.0.1:1/florin");
    assert!(refused.contains("can't be reached") && refused.contains("refused"), "{refused}");
    for text in
        [refused, error("postgres://me:sec@secret@127.0.0.1/florin"), error("postgres://127.0.0.1:secret/florin")]
    {
        assert!(!text.contains("secret") && !text.contains('\n'), "{text}");
    }
    assert!(error("sqlite:florin.db").contains("another kind"));
}
