//! Reading the books of one account.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::books::{AccountBooks, ExplanationParts};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;

/// The data for the explanation of a balance, or the reason that there is no such balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplainResult {
    /// The account has no such budget.
    NoBudget,
    /// The budget has no balance in the currency.
    NoBalance,
    /// The data of the explanation.
    Parts(Box<ExplanationParts>),
}

/// Sums up the books of one account. Each call reads one consistent view, despite concurrent writes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Books: Send + Sync {
    /// Returns the data that explains one balance. Journal transactions of the budget are paged, newest first by time,
    /// then by id descending. A transaction counts once, whatever its number of postings.
    ///
    /// A store may start from checkpoints instead of the first movement. The result is always the same as that of a
    /// read from the first movement, even after a restore, and even if transactions are stored late, with earlier times
    /// or smaller ids than others.
    async fn explain(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: Currency,
        page: PageRequest,
    ) -> Result<ExplainResult, StoreError>;

    /// Returns all sums that the invariants check, of this account only, and the results of verifying its hash chains.
    /// The sums start from the first movement, and the verification starts from the first link. Nothing is corrected or
    /// omitted, so discrepancies are visible.
    ///
    /// A store appends each leg to the hash chains that the leg continues ([`JournalLine::links`]), in the transaction
    /// that stores the leg. Legs are appended in the order of the decisions, and those of seeded data in this order:
    /// the journals of the budgets, then that of the merchant. Snapshots, restores and exports keep the links, and the
    /// ends of the chains, as they are.
    ///
    /// [`JournalLine::links`]: florin_domain::ledger::JournalLine::links
    async fn books(&self, account: &AccountId) -> Result<AccountBooks, StoreError>;
}
