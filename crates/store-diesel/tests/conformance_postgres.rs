//! PostgreSQL keeps the promises of the ports. The server is that of `DATABASE_URL`; without it nothing is tested, and a
//! line says so.
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use async_trait::async_trait;
use database::Database;
use florin_store_conformance::{Cases, Factory, Faults, Handle, Outage, SetupError, run, run_against};
use florin_store_contract::StoreSettings;
use florin_store_diesel::PostgresStore;
use florin_store_memory::MemoryStore;
use std::sync::Arc;

#[allow(dead_code, reason = "the tests of the adapter use more of it")]
#[path = "postgres/database.rs"]
mod database;
#[path = "conformance/events.rs"]
mod events;
#[path = "conformance/places.rs"]
mod places;

/// A database of its own, which goes away with the handle.
struct Databases;

impl Factory for Databases {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        let database = Arc::new(Database::new());
        let store = open(&database.url)?;
        store.migrate()?;
        drop(store);
        let handle = handle(&database)?;
        Ok(handle.with_faults(Triggers(Arc::clone(&database))).broken_by(Shut(database)))
    }
}

fn open(url: &str) -> Result<PostgresStore, SetupError> {
    let settings = StoreSettings { readers: Some(2), ..StoreSettings::at(url.to_owned()) };
    Ok(PostgresStore::open(&settings)?)
}

/// The database stays as long as any handle of it.
fn handle(database: &Arc<Database>) -> Result<Handle, SetupError> {
    let again = Arc::clone(database);
    let store = Arc::new(open(&database.url)?);
    let first = Handle::of(&store).with_events(events::Exported(store)).keeping(Arc::clone(database));
    Ok(first.reopened_by(move || {
        let again = Arc::clone(&again);
        async move { handle(&again) }
    }))
}

/// Makes writes fail by triggers, behind the store's back.
struct Triggers(Arc<Database>);

#[async_trait]
impl Faults for Triggers {
    fn places(&self) -> Vec<String> {
        places::all()
    }

    async fn arm(&self, place: &str) -> Result<(), SetupError> {
        self.0.sql(&format!(
            "CREATE FUNCTION injected() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '23514'; END $$;
             CREATE TRIGGER injected BEFORE {place} FOR EACH ROW EXECUTE FUNCTION injected()"
        ));
        Ok(())
    }

    async fn disarm(&self) -> Result<(), SetupError> {
        self.0.sql("DROP FUNCTION injected() CASCADE");
        Ok(())
    }
}

/// Shuts the database: sessions are killed, and none can begin.
struct Shut(Arc<Database>);

#[async_trait]
impl Outage for Shut {
    async fn break_down(&self) -> Result<(), SetupError> {
        self.0.keep_sessions_away();
        self.0.kill_sessions();
        Ok(())
    }

    async fn heal(&self) -> Result<(), SetupError> {
        self.0.allow_sessions();
        Ok(())
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
    let verdict = run(&Databases).await;
    verdict.assert_passed();
    assert_eq!(verdict.skipped().count(), 0, "{verdict}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn random_sequences_agree_with_the_reference() {
    run_against(&Databases, &InMemory, Cases::default()).await.assert_passed();
}
