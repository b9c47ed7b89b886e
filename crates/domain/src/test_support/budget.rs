//! Builders of budgets.

use super::ids::{BUDGET, PARENT, account, noon};
use super::money::money;
use crate::budget::{Budget, BudgetFeature, BudgetRecord};
use crate::ids::BudgetId;
use crate::ledger::Balances;
use crate::money::Minor;
use uuid::Uuid;

/// A builder of a budget.
#[derive(Clone, Debug)]
pub struct BudgetBuilder(BudgetRecord);

/// Returns a builder of a shared budget with every feature and no currency.
pub fn a_budget() -> BudgetBuilder {
    let parent = BudgetRecord::parent_of_account(PARENT, account(), [], noon());
    let budget = Budget { id: BUDGET, account: account(), name: "Main".into(), balances: Vec::new() };
    BudgetBuilder(BudgetRecord::seeded(budget, &parent))
}

impl BudgetBuilder {
    /// Adds a currency with this available balance: `250.00 GBP`.
    #[must_use]
    pub fn with(mut self, available: &str) -> Self {
        let money = money(available);
        let balances = Balances::new(money.minor, Minor::ZERO, Minor::ZERO).unwrap();
        self.0.budget.balances.push((money.currency, balances));
        self
    }

    /// Sets the id of the budget, for tests with several budgets.
    #[must_use]
    pub fn numbered(mut self, number: u128) -> Self {
        self.0.budget.id = BudgetId(Uuid::from_u128(number));
        self
    }

    /// Removes a feature from the budget.
    #[must_use]
    pub fn without(mut self, feature: BudgetFeature) -> Self {
        self.0.features.remove(&feature);
        self
    }

    /// Builds the budget.
    pub fn build(self) -> BudgetRecord {
        self.0
    }
}

impl From<BudgetBuilder> for BudgetRecord {
    fn from(builder: BudgetBuilder) -> Self {
        builder.build()
    }
}
