//! Frequent statements are parsed once, as the server's log shows.

use crate::Store;
use crate::database::skipped;
use crate::support::{Fixture, MINE, id, key_hash, settings_of};
use crate::work::{ROUNDS, run_as_group, run_sequentially, seed_data_for_work};
use florin_domain::merchant::{CheckoutFilter, CheckoutStatus, CheckoutType};
use florin_domain::page::PageRequest;
use florin_ports::{Accounts, Callers, CardLedger, CellDirectory, CellKey, Checkouts, MfaSessions, Seeding};
use florin_store_contract::StoreSettings;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

/// The log of the server, if `scripts/with-postgres` created one.
struct Log(PathBuf);

/// Statements that the server received.
#[derive(Debug, Default)]
struct Received {
    /// Statements that were parsed, or that were sent as text.
    parsed: Vec<String>,
    /// Number of executions of prepared statements.
    executed: usize,
}

impl Log {
    fn end(&self) -> u64 {
        self.0.metadata().unwrap().len()
    }

    /// Returns the logged statements of a database from this position on.
    fn since(&self, start: u64, database: &str) -> Received {
        let mut file = File::open(&self.0).unwrap();
        file.seek(SeekFrom::Start(start)).unwrap();
        let mut text = Vec::new();
        file.read_to_end(&mut text).unwrap();
        let mut received = Received::default();
        for line in String::from_utf8_lossy(&text).lines().filter(|line| line.contains(&format!(" {database} "))) {
            let Some((_, work)) = line.split_once(" ms  ") else { continue };
            if work.starts_with("execute __diesel_stmt") {
                received.executed += 1;
            }
            let transaction = ["statement: BEGIN", "statement: COMMIT", "statement: ROLLBACK"];
            let plain = work.starts_with("statement: ") && !transaction.iter().any(|known| work.starts_with(known));
            if plain || work.starts_with("parse ") || work.starts_with("execute <unnamed>") {
                received.parsed.push(work.to_owned());
            }
        }
        received
    }
}

/// Runs the reads of requests.
async fn reads(store: &Store) {
    assert!(Callers::find(store, &key_hash(MINE)).await.unwrap().is_some());
    assert!(Accounts::find(store, &id(MINE)).await.unwrap().is_some());
    assert!(store.enrolment(&id(MINE)).await.unwrap().is_some());
    store.due_holds(crate::support::noon(), 10).await.unwrap();
    assert_eq!(CellDirectory::find(store, &CellKey::Account(id(MINE))).await, Ok(None));
    for checkout_type in [None, Some(CheckoutType::Shopping), Some(CheckoutType::TopUp)] {
        for status in [None, Some(CheckoutStatus::Active), Some(CheckoutStatus::Deactivated)] {
            let filter = CheckoutFilter { checkout_type, status };
            Checkouts::list(store, &id(MINE), filter, PageRequest::default()).await.unwrap();
        }
    }
}

/// Does each kind of work, alone and in groups.
async fn round(store: &Store, number: u128) {
    run_sequentially(store, 3 * number).await;
    run_as_group(store, 3 * number + 1).await;
    run_sequentially(store, 3 * number + 2).await;
    reads(store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn frequent_statements_are_parsed_once() {
    let Some(log) = std::env::var_os("WITH_POSTGRES_LOG") else {
        skipped("counting what PostgreSQL parses: only scripts/with-postgres says where the server's log is");
        return;
    };
    let log = Log(log.into());
    assert!(File::open(&log.0).is_ok(), "WITH_POSTGRES_LOG is set, but can't be read: {}", log.0.display());
    let fixture = Fixture::empty();
    fixture.store.seed(seed_data_for_work()).await.unwrap();
    let database = fixture.database.name();
    fixture.sql(&format!("ALTER DATABASE {database} SET log_min_duration_statement = 0"));
    let store = Store::open(&StoreSettings { readers: Some(1), ..settings_of(&fixture.database.url) }).unwrap();

    let start = log.end();
    round(&store, 0).await;
    let first = log.since(start, database);
    assert!(first.parsed.len() > 20, "the log does not show what was parsed: {first:?}");

    // The writer's connections take turns: both have executed every statement after a few rounds.
    let mut again = Received::default();
    for number in 1..ROUNDS / 3 {
        let start = log.end();
        round(&store, number).await;
        again = log.since(start, database);
        assert!(again.executed > 200, "the log does not show what was executed: {again:?}");
        if again.parsed.is_empty() {
            break;
        }
    }
    assert!(again.parsed.is_empty(), "parsed again: {:#?}", again.parsed);
    fixture.check_books().await;
}
