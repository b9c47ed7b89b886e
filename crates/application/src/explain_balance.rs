//! Explains a balance (Florin extension).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::books::{BalanceExplanation, explain};
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;
use florin_ports::{ExplainResult, StoreError};

/// Reasons that a balance can't be explained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplainBalanceError {
    /// The account has no such budget.
    #[error("no such budget")]
    NoBudget,
    /// The budget has no balance in this currency.
    #[error("the budget does not hold {0}")]
    NoBalance(Currency),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Explains a balance of the account by the movements behind it.
pub async fn explain_balance(
    services: &Services,
    account: &Account,
    (budget, currency): (BudgetId, Currency),
    page: PageRequest,
) -> Result<BalanceExplanation, ExplainBalanceError> {
    match services.books.explain(&account.id, budget, currency, page).await? {
        ExplainResult::NoBudget => Err(ExplainBalanceError::NoBudget),
        ExplainResult::NoBalance => Err(ExplainBalanceError::NoBalance(currency)),
        ExplainResult::Parts(parts) => Ok(explain(*parts, page)),
    }
}
