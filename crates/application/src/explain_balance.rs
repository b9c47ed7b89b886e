//! An integrator asks what a balance is made of (extension of Florin).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::books::{Explanation, explain};
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;
use florin_ports::{Explained, StoreError};

/// Why there is nothing to explain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplainBalanceError {
    /// There is no such budget on the account.
    #[error("no such budget")]
    NoBudget,
    /// The budget does not hold that currency.
    #[error("the budget does not hold {0}")]
    NotHeld(Currency),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A balance of the account, explained.
pub async fn explain_balance(
    services: &Services,
    account: &Account,
    (budget, currency): (BudgetId, Currency),
    page: PageRequest,
) -> Result<Explanation, ExplainBalanceError> {
    match services.books.explain(&account.id, budget, currency, page).await? {
        Explained::NoBudget => Err(ExplainBalanceError::NoBudget),
        Explained::NotHeld => Err(ExplainBalanceError::NotHeld(currency)),
        Explained::Parts(parts) => Ok(explain(*parts, page)),
    }
}
