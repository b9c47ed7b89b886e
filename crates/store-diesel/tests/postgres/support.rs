//! A store on a database of its own, and a small world in it.

use crate::Store;
pub(crate) use crate::database::Database;
pub(crate) use crate::fixtures::*;
use florin_domain::ledger::Balances;
use florin_ports::{LedgerAudit, Seeding};
use florin_store_contract::StoreSettings;

/// A migrated store on a database that goes away with it.
pub(crate) struct Home {
    pub(crate) store: Store,
    pub(crate) database: Database,
}

impl Home {
    /// An empty store.
    pub(crate) fn empty() -> Self {
        Self::with_queue(1024)
    }

    /// An empty store in which so many writes may wait.
    pub(crate) fn with_queue(queue: usize) -> Self {
        let database = Database::new();
        let store = Store::open(&StoreSettings { queue, ..settings_of(&database.url) }).unwrap();
        store.migrate().unwrap();
        Self { store, database }
    }

    /// A store with the small world: 95.00 GBP in the budget of each account.
    pub(crate) async fn seeded() -> Self {
        Self::funded(9_500).await
    }

    /// The same with this much in each budget.
    pub(crate) async fn funded(minor: i64) -> Self {
        let home = Self::empty();
        home.store.seed(world(minor)).await.unwrap();
        home
    }

    /// Another instance on the same database.
    pub(crate) fn instance(&self) -> Store {
        Store::open(&settings_of(&self.database.url)).unwrap()
    }

    /// Runs SQL behind the store's back.
    pub(crate) fn sql(&self, statements: &str) {
        self.database.sql(statements);
    }

    /// The GBP balances of the account's budget.
    pub(crate) async fn balances(&self, account: &str) -> Balances {
        let budgets = self.store.budgets(&id(account)).await.unwrap();
        budgets[0].in_currency(gbp()).unwrap()
    }

    /// Wants that the journal proves all balances.
    pub(crate) async fn audit(&self) {
        assert_eq!(self.store.audit().await.unwrap().discrepancies, []);
    }
}

/// Few connections: many tests run at once.
pub(crate) fn settings_of(url: &str) -> StoreSettings {
    StoreSettings { readers: Some(2), ..StoreSettings::at(url) }
}
