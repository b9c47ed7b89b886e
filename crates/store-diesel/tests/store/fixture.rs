//! The functions of a fixture that are the same on both databases.

use crate::support::{Fixture, gbp, id, seed_data};
use florin_domain::ledger::Balances;
use florin_ports::{BooksCheck, Seeding};

impl Fixture {
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
