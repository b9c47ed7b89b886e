//! Identifies a balance.

use super::body::types::{Account, Currency, Id};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::money;

/// Identifies a balance: account, budget and currency.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BalanceId {
    pub(super) account: Account,
    pub(super) budget: Id,
    pub(super) currency: Currency,
}

impl BalanceId {
    pub(super) fn new(account: &AccountId, budget: BudgetId, currency: money::Currency) -> Self {
        Self { account: Account(account.clone()), budget: Id(budget.0), currency: Currency(currency) }
    }
}
