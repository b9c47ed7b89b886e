//! A store on its own database, with seed data.

use crate::Store;
pub(crate) use crate::database::Database;
pub(crate) use crate::fixtures::*;
use florin_store_contract::StoreSettings;

/// A migrated store on a database that is dropped with it.
pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) database: Database,
}

impl Fixture {
    /// Creates an empty store.
    pub(crate) fn empty() -> Self {
        Self::with_queue(1024)
    }

    /// Creates an empty store with a queue of this length.
    pub(crate) fn with_queue(queue: usize) -> Self {
        let database = Database::new();
        let store = Store::open(&StoreSettings { queue, ..settings_of(&database.url) }).unwrap();
        store.migrate().unwrap();
        Self { store, database }
    }

    /// Opens another instance on the same database.
    pub(crate) fn instance(&self) -> Store {
        Store::open(&settings_of(&self.database.url)).unwrap()
    }

    /// Runs SQL directly on the database, without the store.
    pub(crate) fn sql(&self, statements: &str) {
        self.database.sql(statements);
    }
}

/// Returns settings with few connections, because many tests run concurrently.
pub(crate) fn settings_of(url: &str) -> StoreSettings {
    StoreSettings { readers: Some(2), ..StoreSettings::at(url) }
}
