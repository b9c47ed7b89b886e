//! Opening, migration and readiness, and data that survives a restart.

use crate::support::{Fixture, MINE, authorize, follow_up, fresh, id, seed_data, settings, stamp};
use diesel::Connection;
use diesel::connection::SimpleConnection;
use florin_domain::access::Environment;
use florin_domain::card::decide::FollowUp;
use florin_domain::money::Minor;
use florin_ports::{Accounts, BooksCheck, CardLedger, Readiness, Seeding, StoreError, Upkeep};
use florin_store_contract::StoreSettings;
use florin_store_diesel::Store;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
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
    store.seed(seed_data(1)).await.unwrap();
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
    let fixture = Fixture::seeded().await;
    fixture.sql("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231235959')");
    let store = Store::open(&settings(&fixture.directory)).unwrap();
    assert_eq!(store.readiness().await, Ok(Readiness::SchemaTooNew));
    assert_eq!(store.pending(), Ok(vec![]));
    fixture.sql("DELETE FROM __diesel_schema_migrations WHERE version LIKE '%000006'");
    assert_eq!(store.readiness().await, Ok(Readiness::SchemaTooNew));
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_survives_a_restart() {
    let Fixture { store, directory } = Fixture::seeded().await;
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
    let fixture = Fixture { store: Store::open(&settings(&directory)).unwrap(), directory };
    assert_eq!(fixture.balances(MINE).await.available(), Minor(9_500));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_programs_on_one_file_see_each_other() {
    let fixture = Fixture::seeded().await;
    let other = Store::open(&settings(&fixture.directory)).unwrap();
    let first = authorize(&fixture.store, 1, "10").await;
    let reversal = follow_up(MINE, first.token, stamp(2), FollowUp::Reversal { amount: None });
    fresh(other.follow_up(reversal).await);
    assert_eq!(fixture.balances(MINE).await.held(), Minor(0));
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

#[test]
fn a_missing_database_is_created_only_if_that_is_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let settings = StoreSettings { create: false, ..settings(&directory) };
    let error = Store::open(&settings).err().unwrap().to_string();
    assert!(error.contains("does not exist"), "{error}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    Store::open(&StoreSettings { create: true, ..settings.clone() }).unwrap().close();
    Store::open(&settings).unwrap().close();
}

#[test]
fn a_database_of_another_program_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let settings = settings(&directory);
    let path = settings.url.trim_start_matches("sqlite://");
    let sql = |sql: &str| {
        let mut conn = diesel::SqliteConnection::establish(path).unwrap();
        conn.batch_execute(sql).unwrap();
    };
    let refused = || {
        let error = Store::open(&settings).err().unwrap().to_string();
        assert!(error.contains("not one of Florin"), "{error}");
    };
    sql("CREATE TABLE notes (text TEXT)");
    std::fs::set_permissions(path, Permissions::from_mode(0o640)).unwrap();
    refused();
    // A program that uses Diesel, too, has a table of migrations with the same name.
    sql("CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, \
         run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)");
    refused();
    sql("INSERT INTO __diesel_schema_migrations (version) VALUES ('20240101000000')");
    refused();
    // Bytes 18 and 19 are the format for writes and reads: 1 for a rollback journal, 2 for a write-ahead log.
    assert_eq!((&std::fs::read(path).unwrap()[18..20], mode(path)), (&[1, 1][..], 0o640), "the file is not changed");
    sql("DROP TABLE notes; DROP TABLE __diesel_schema_migrations");
    let store = Store::open(&settings).unwrap();
    store.migrate().unwrap();
    store.close();
    drop(store);
    sql("PRAGMA application_id = 7");
    assert!(Store::open(&settings).is_err());
}

fn mode(path: &str) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Earlier versions created files that everybody could read.
#[tokio::test(flavor = "multi_thread")]
async fn existing_files_become_private() {
    let fixture = Fixture::seeded().await;
    let settings = settings(&fixture.directory);
    let path = settings.url.trim_start_matches("sqlite://");
    let files = ["", "-wal", "-shm"].map(|suffix| format!("{path}{suffix}"));
    for file in &files {
        std::fs::set_permissions(file, Permissions::from_mode(0o644)).unwrap();
    }
    let other = Store::open(&settings).unwrap();
    assert_eq!(files.each_ref().map(|file| mode(file)), [0o600; 3]);
    other.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_or_replaced_file_is_noticed() {
    for replaced in [false, true] {
        let fixture = Fixture::seeded().await;
        let url = settings(&fixture.directory).url;
        let path = url.trim_start_matches("sqlite://");
        let aside = format!("{path}.aside");
        std::fs::rename(path, &aside).unwrap();
        if replaced {
            std::fs::copy(&aside, path).unwrap();
        }
        assert_eq!(fixture.store.readiness().await, Ok(Readiness::Replaced));
        assert!(matches!(fixture.store.bind(Environment::Sandbox).await, Err(StoreError::Unavailable(_))));
        assert!(matches!(Accounts::find(&fixture.store, &id(MINE)).await, Err(StoreError::Unavailable(_))));
        std::fs::rename(&aside, path).unwrap();
        assert_eq!(fixture.store.readiness().await, Ok(Readiness::Ready));
        assert_eq!(fixture.store.bind(Environment::Sandbox).await, Ok(Environment::Sandbox));
    }
}

/// Overwrites every seventh page in turn, from the second page on.
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_page_is_found_by_the_check() {
    const PAGE: usize = 4096;

    let fixture = Fixture::seeded().await;
    authorize(&fixture.store, 1, "10").await;
    let settings = settings(&fixture.directory);
    fixture.store.close();
    // Migrations leave free pages. They contain no data, so the check does not read them.
    fixture.sql("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    let path = settings.url.trim_start_matches("sqlite://").to_owned();
    let sound = std::fs::read(&path).unwrap();
    for page in (1..sound.len() / PAGE).step_by(7) {
        let mut damaged = sound.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0xA5);
        std::fs::write(&path, damaged).unwrap();
        let checked = match Store::open(&settings) {
            Ok(store) => store.check_all().await.map(drop),
            Err(error) => Err(StoreError::Corrupt(error.to_string())),
        };
        assert!(checked.is_err(), "page {page} is damaged");
    }
    std::fs::write(&path, sound).unwrap();
    assert!(Store::open(&settings).unwrap().check_all().await.unwrap().discrepancies.is_empty());
}
