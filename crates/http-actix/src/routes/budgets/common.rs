//! Shared parts of the operations on budgets.

use crate::declare::{named, parameters};
use florin_application::Permission;
use florin_domain::access::Scope;
use florin_domain::ids::BudgetId;

pub(super) const READ: Permission = Permission::of(Scope::BudgetsRead);
pub(super) const WRITE: Permission = Permission::of(Scope::BudgetsWrite);
/// The path parameter that names a budget.
pub(super) const BUDGET: &str = "path.budgetId";

parameters! {
    /// Path parameter: a budget.
    pub(crate) struct BudgetPath in Path {
        /// The id of the budget.
        "budgetId" => id: BudgetId,
    }
}

/// The optional part of responses about budgets.
#[derive(Clone, Copy)]
pub(crate) struct Balances;

named! {
    Balances: [Balances], |Balances| "balances";
}

parameters! {
    /// The optional parts of a response about budgets.
    pub(crate) struct IncludeParameter in Query {
        /// `balances`: include the balances of each budget.
        "include" => balances: Option<Balances>,
    }
}
