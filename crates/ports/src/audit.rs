//! Checking balances against the journal.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::money::Currency;

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// The number of journal transactions that were read.
    pub journal_transactions: i64,
    /// The number of balances that were checked.
    pub balances: i64,
    /// The discrepancies; empty if the books agree.
    pub discrepancies: Vec<Discrepancy>,
}

/// A discrepancy in the books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discrepancy {
    /// A journal transaction does not add up to zero.
    Unbalanced(JournalId),
    /// A balance differs from the sum of its postings.
    Balance {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// The held balance differs from the sum of the open holds.
    Holds {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// Reserved money that is not the sum that confirmed and started payment batches still have to pay.
    Reservations {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// A stored count of checkouts that is not their number, in a store that keeps counts.
    CheckoutCount(AccountId),
}

/// Audits the whole store.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait LedgerAudit: Send + Sync {
    /// Sums up every journal transaction, every balance, and every pool of holds and reservations, in one consistent
    /// view.
    async fn audit(&self) -> Result<AuditReport, StoreError>;
}
