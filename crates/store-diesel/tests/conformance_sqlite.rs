//! Tests that SQLite keeps the promises of the ports.
#![cfg(feature = "sqlite")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use async_trait::async_trait;
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use florin_store_conformance::{Cases, Factory, Faults, Handle, Schemas, SetupError, run, run_against};
use florin_store_contract::StoreSettings;
use florin_store_diesel::Store;
use florin_store_memory::MemoryStore;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::OnceCell;

#[path = "conformance/places.rs"]
mod places;
#[path = "conformance/zones.rs"]
mod zones;

/// The number of writes that can wait in a store under test.
const QUEUE_CAPACITY: usize = 256;

const FILE: &str = "florin.db";

/// Creates each store as a file in its own directory, which is removed with the handle.
#[derive(Default)]
struct Files {
    /// A migrated, empty database. Copying it is much cheaper than applying every migration once per check.
    template: OnceCell<Vec<u8>>,
}

impl Files {
    async fn template(&self) -> Result<&[u8], SetupError> {
        let migrated = || async {
            let directory = tempfile::tempdir()?;
            let path = directory.path().join(FILE);
            let store = open(&path)?;
            store.migrate()?;
            // The writer ends with a checkpoint, which must not run while the next connection works.
            store.close();
            let mut conn = SqliteConnection::establish(path.to_str().unwrap())?;
            conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")?;
            Ok::<_, SetupError>(std::fs::read(&path)?)
        };
        Ok(self.template.get_or_try_init(migrated).await?)
    }
}

impl Factory for Files {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        let directory = Arc::new(tempfile::tempdir()?);
        let path = directory.path().join(FILE);
        std::fs::write(&path, self.template().await?)?;
        Ok(handle(&directory)?.with_faults(Triggers(path)).with_schemas(OtherSchemas))
    }
}

fn open(path: &Path) -> Result<Store, SetupError> {
    let settings = StoreSettings { queue: QUEUE_CAPACITY, ..StoreSettings::at(format!("sqlite://{}", path.display())) };
    Ok(Store::open(&settings)?)
}

/// Opens the file in a directory, which lives as long as any handle.
fn handle(directory: &Arc<TempDir>) -> Result<Handle, SetupError> {
    let again = Arc::clone(directory);
    let store = Arc::new(open(&directory.path().join(FILE))?);
    let handle =
        Handle::of(&store).keeping(Arc::clone(directory)).with_queue_capacity(QUEUE_CAPACITY).with_directory(store);
    Ok(handle.reopened_by(move || {
        let again = again.clone();
        async move { self::handle(&again) }
    }))
}

/// Makes writes fail with triggers that the store does not know about.
struct Triggers(PathBuf);

impl Triggers {
    fn sql(&self, statement: &str) -> Result<(), SetupError> {
        let mut conn = SqliteConnection::establish(self.0.to_str().unwrap())?;
        conn.batch_execute("PRAGMA busy_timeout = 5000")?;
        Ok(conn.batch_execute(statement)?)
    }
}

#[async_trait]
impl Faults for Triggers {
    fn places(&self) -> Vec<String> {
        places::all()
    }

    async fn arm(&self, place: &str) -> Result<(), SetupError> {
        self.sql(&format!("CREATE TRIGGER injected BEFORE {place} BEGIN SELECT RAISE(ABORT, 'injected'); END"))
    }

    async fn disarm(&self) -> Result<(), SetupError> {
        self.sql("DROP TRIGGER injected")
    }
}

/// Files whose list of applied migrations is changed without the store.
struct OtherSchemas;

impl OtherSchemas {
    fn after(statement: &str) -> Result<Handle, SetupError> {
        let directory = Arc::new(tempfile::tempdir()?);
        let path = directory.path().join(FILE);
        open(&path)?.migrate()?;
        Triggers(path.clone()).sql(statement)?;
        handle(&directory)
    }
}

#[async_trait]
impl Schemas for OtherSchemas {
    async fn behind(&self) -> Result<Handle, SetupError> {
        Self::after(places::FORGET_THE_LAST_MIGRATION)
    }

    async fn ahead(&self) -> Result<Handle, SetupError> {
        Self::after(places::ADD_A_LATER_MIGRATION)
    }
}

/// The reference: the store in memory, with whose answers those of the store under test are compared.
struct InMemory;

impl Factory for InMemory {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        Ok(Handle::of(&Arc::new(MemoryStore::new())))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_promise_is_kept() {
    let report = run(&Files::default()).await;
    report.assert_passed();
    // A file has no server that could go away.
    assert!(report.skipped().all(|name| name.starts_with("outage.")), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn days_begin_at_midnight_utc_in_every_zone() {
    zones::check_promises(&Files::default(), "days_begin_at_midnight_utc_in_every_zone").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn random_sequences_agree_with_the_reference() {
    run_against(&Files::default(), &InMemory, Cases::default()).await.assert_passed();
}
