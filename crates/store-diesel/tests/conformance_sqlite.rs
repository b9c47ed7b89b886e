//! SQLite keeps the promises of the ports.
#![cfg(feature = "sqlite")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use async_trait::async_trait;
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use florin_store_conformance::{Cases, Factory, Faults, Handle, SetupError, run, run_against};
use florin_store_contract::StoreSettings;
use florin_store_diesel::Store;
use florin_store_memory::MemoryStore;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[path = "conformance/events.rs"]
mod events;
#[path = "conformance/places.rs"]
mod places;

/// A file in a directory of its own, which goes away with the handle.
struct Files;

impl Factory for Files {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("florin.db");
        open(&path)?.migrate()?;
        Ok(handle(&path)?.keeping(directory).with_faults(Triggers(path)))
    }
}

fn open(path: &Path) -> Result<Store, SetupError> {
    Ok(Store::open(&StoreSettings::at(format!("sqlite://{}", path.display())))?)
}

fn handle(path: &Path) -> Result<Handle, SetupError> {
    let again = path.to_path_buf();
    let store = Arc::new(open(path)?);
    let handle = Handle::of(&store).with_events(events::Exported(store));
    Ok(handle.reopened_by(move || {
        let again = again.clone();
        async move { self::handle(&again) }
    }))
}

/// Makes writes fail by triggers, behind the store's back.
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

/// The reference for the model.
struct InMemory;

impl Factory for InMemory {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        Ok(Handle::of(&Arc::new(MemoryStore::new())))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_promise_is_kept() {
    let verdict = run(&Files).await;
    verdict.assert_passed();
    // A file has no server that could go away.
    assert!(verdict.skipped().all(|name| name.starts_with("outage.")), "{verdict}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn random_sequences_agree_with_the_reference() {
    run_against(&Files, &InMemory, Cases::default()).await.assert_passed();
}
