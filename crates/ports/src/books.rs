//! Reading the books of one account.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::books::{AccountBooks, ExplanationParts};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;

/// The parts of a balance, or the reason that there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explained {
    /// The account has no such budget.
    NoBudget,
    /// The budget does not hold the currency.
    NotHeld,
    /// The parts.
    Parts(Box<ExplanationParts>),
}

/// Adds up the books of one account. Each call has one consistent view, and takes as long as reading the whole account.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Books: Send + Sync {
    /// Returns the parts of one balance. Journal transactions that touch the budget are paged: newest first by time, then by id
    /// descending; a transaction counts as one, whatever number of lines it has.
    async fn explain(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: Currency,
        page: PageRequest,
    ) -> Result<Explained, StoreError>;

    /// Returns everything that the invariants of this account are checked by. Nothing is corrected or left out: inconsistent data is
    /// returned as it is.
    async fn books(&self, account: &AccountId) -> Result<AccountBooks, StoreError>;
}
