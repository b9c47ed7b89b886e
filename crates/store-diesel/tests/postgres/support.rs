//! A store on its own database, with seed data.

use crate::Store;
pub(crate) use crate::database::Database;
pub(crate) use crate::fixtures::*;
use diesel::connection::SimpleConnection;
use florin_ports::Seeding;
use florin_store_contract::StoreSettings;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// A migrated store on a database that is dropped with it.
pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) database: Database,
    _template: Arc<Database>,
}

impl Fixture {
    /// Creates an empty store.
    pub(crate) fn empty() -> Self {
        Self::with_queue(1024)
    }

    /// Creates an empty store with a queue of this length.
    pub(crate) fn with_queue(queue: usize) -> Self {
        let template = Database::template();
        let database = Database::copy_of(&template);
        let store = Store::open(&StoreSettings { queue, ..settings_of(&database.url) }).unwrap();
        Self { store, database, _template: template }
    }

    /// Opens another instance on the same database.
    pub(crate) fn instance(&self) -> Store {
        Store::open(&settings_of(&self.database.url)).unwrap()
    }

    /// Runs SQL directly on the database, without the store.
    pub(crate) fn sql(&self, statements: &str) {
        self.database.sql(statements);
    }

    /// Returns the number of sessions of the database that wait for a lock.
    pub(crate) fn waiting_sessions(&self) -> i64 {
        self.database.number(
            "SELECT count(*) AS value FROM pg_stat_activity WHERE datname = current_database() \
            AND wait_event_type = 'Lock'",
        )
    }

    /// Makes the store open both connections that read: it opens the second one while a read occupies the first one.
    pub(crate) async fn open_both_readers(&self) {
        let mut locking = self.database.connect();
        locking.batch_execute("BEGIN; LOCK TABLE budgets IN ACCESS EXCLUSIVE MODE").unwrap();
        let reads = [(); 2].map(|()| {
            let store = self.store.clone();
            tokio::spawn(async move { store.budgets(&id(MINE)).await })
        });
        while self.waiting_sessions() < 2 {
            assert!(!reads.iter().any(JoinHandle::is_finished), "a read of the locked table has ended");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        locking.batch_execute("ROLLBACK").unwrap();
        for read in reads {
            read.await.unwrap().unwrap();
        }
    }
}

/// Returns settings with few connections, because many tests run concurrently.
pub(crate) fn settings_of(url: &str) -> StoreSettings {
    StoreSettings { readers: Some(2), ..StoreSettings::at(url) }
}
