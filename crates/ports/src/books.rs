//! Reading the books of one account.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::books::{AccountBooks, ExplanationParts};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;

/// What a balance is made of, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explained {
    /// There is no such budget on the account.
    NoBudget,
    /// The budget does not hold the currency.
    NotHeld,
    /// What was read.
    Parts(Box<ExplanationParts>),
}

/// Adds up the books of one account. Each call sees one moment, whatever is written meanwhile, and takes the time that
/// reading all of the account takes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Books: Send + Sync {
    /// What one balance is made of. Journal transactions that touch the budget are paged: newest first by time, then by id
    /// descending; a transaction counts as one, whatever number of lines it has.
    async fn explain(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: Currency,
        page: PageRequest,
    ) -> Result<Explained, StoreError>;

    /// Everything that invariants are judged by, of this account only. Nothing is corrected or left out: what does not
    /// agree is told as it is.
    async fn books(&self, account: &AccountId) -> Result<AccountBooks, StoreError>;
}
