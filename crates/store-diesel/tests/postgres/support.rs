//! A store on its own database, with seed data.

use crate::Store;
pub(crate) use crate::database::Database;
pub(crate) use crate::fixtures::*;
use florin_domain::ledger::Balances;
use florin_ports::{BooksCheck, Seeding};
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

    /// Creates a store with the seed data: 95.00 GBP in the budget of each account.
    pub(crate) async fn seeded() -> Self {
        Self::funded(9_500).await
    }

    /// Creates a store with the seed data, and this amount in each budget.
    pub(crate) async fn funded(minor: i64) -> Self {
        let fixture = Self::empty();
        fixture.store.seed(seed_data(minor)).await.unwrap();
        fixture
    }

    /// Opens another instance on the same database.
    pub(crate) fn instance(&self) -> Store {
        Store::open(&settings_of(&self.database.url)).unwrap()
    }

    /// Runs SQL directly on the database, without the store.
    pub(crate) fn sql(&self, statements: &str) {
        self.database.sql(statements);
    }

    /// Returns the GBP balances of the account's budget.
    pub(crate) async fn balances(&self, account: &str) -> Balances {
        let budgets = self.store.budgets(&id(account)).await.unwrap();
        budgets[0].in_currency(gbp()).unwrap()
    }

    /// Requires that the journal proves all balances.
    pub(crate) async fn check_books(&self) {
        assert_eq!(self.store.check_all().await.unwrap().discrepancies, []);
    }
}

/// Returns settings with few connections, because many tests run concurrently.
pub(crate) fn settings_of(url: &str) -> StoreSettings {
    StoreSettings { readers: Some(2), ..StoreSettings::at(url) }
}
