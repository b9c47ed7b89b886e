//! Tests that PostgreSQL keeps the promises of the ports. `DATABASE_URL` names the server. Without that variable,
//! nothing is tested, and the test prints a line.
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use async_trait::async_trait;
use database::Database;
use florin_store_conformance::{Cases, Factory, Faults, Handle, Outage, Schemas, SetupError, run_against, run_share};
use florin_store_contract::StoreSettings;
use florin_store_diesel::PostgresStore as Store;
use florin_store_memory::MemoryStore;
use std::sync::Arc;

#[allow(dead_code, reason = "the tests of the adapter use more of it")]
#[path = "postgres/database.rs"]
mod database;
#[path = "conformance/places.rs"]
mod places;
#[path = "conformance/zones.rs"]
mod zones;

/// The number of writes that can wait in a store under test.
const QUEUE_CAPACITY: usize = 256;

/// Creates each store in its own database, which is dropped with the handle. All of them are copies of one database.
struct Databases {
    template: Arc<Database>,
}

impl Databases {
    fn new() -> Self {
        Self { template: Database::template() }
    }
}

impl Factory for Databases {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        let database = in_another_zone(&self.template);
        let handle = handle(&database)?.with_schemas(OtherSchemas);
        Ok(handle.with_faults(Triggers(Arc::clone(&database))).broken_by(Shut(database)))
    }
}

/// Copies a migrated database. The sessions of the copy have another time zone than UTC, which an operator may set.
fn in_another_zone(template: &Database) -> Arc<Database> {
    let database = Database::copy_of(template);
    database.sql(&format!("ALTER DATABASE {} SET TimeZone = 'Pacific/Kiritimati'", database.name()));
    Arc::new(database)
}

fn open(url: &str) -> Result<Store, SetupError> {
    let settings = StoreSettings { readers: Some(2), queue: QUEUE_CAPACITY, ..StoreSettings::at(url.to_owned()) };
    Ok(Store::open(&settings)?)
}

/// Returns a handle, which keeps the database until it is dropped.
fn handle(database: &Arc<Database>) -> Result<Handle, SetupError> {
    let again = Arc::clone(database);
    let store = Arc::new(open(&database.url)?);
    let first =
        Handle::of(&store).with_queue_capacity(QUEUE_CAPACITY).keeping(Arc::clone(database)).with_directory(store);
    Ok(first.reopened_by(move || {
        let again = Arc::clone(&again);
        async move { handle(&again) }
    }))
}

/// Makes writes fail with triggers that the store does not know about.
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

/// Closes the database: kills its sessions and lets no new session begin.
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

/// Databases whose list of applied migrations is changed without the store.
struct OtherSchemas;

impl OtherSchemas {
    fn after(statement: &str) -> Result<Handle, SetupError> {
        let database = in_another_zone(&Database::template());
        database.sql(statement);
        handle(&database)
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

/// Runs one half of the checks. Each check gets its own database. This takes most of the time, so two tests divide the
/// checks.
async fn half_of_the_promises_are_kept(half: usize) {
    let report = run_share(&Databases::new(), half, 2).await;
    report.assert_passed();
    assert_eq!(report.skipped().count(), 0, "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_promise_is_kept_first_half() {
    half_of_the_promises_are_kept(0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_promise_is_kept_second_half() {
    half_of_the_promises_are_kept(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn days_begin_at_midnight_utc_in_every_zone() {
    zones::check_promises(&Databases::new(), "days_begin_at_midnight_utc_in_every_zone").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn random_sequences_agree_with_the_reference() {
    run_against(&Databases::new(), &InMemory, Cases::default()).await.assert_passed();
}
