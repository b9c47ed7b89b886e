//! Proving balances from the journal.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::money::Currency;

/// What an audit found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// How many journal transactions were read.
    pub journal_transactions: i64,
    /// How many balances were proved.
    pub balances: i64,
    /// What does not agree; empty when all is well.
    pub discrepancies: Vec<Discrepancy>,
}

/// Something that does not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discrepancy {
    /// A journal transaction that does not add up to zero.
    Unbalanced(JournalId),
    /// A balance that is not the sum of its entries.
    Balance {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// Held money that is not the sum of the open holds.
    Holds {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// Reserved money that is not what confirmed and started payment batches have still to pay.
    Reservations {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
    },
    /// Checkouts of an account that are not as many as a store has counted, where it keeps counts beside them.
    CheckoutCount(AccountId),
}

/// Audits the whole store.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait LedgerAudit: Send + Sync {
    /// Adds up every journal transaction, every balance, every pool of holds and of reservations, in one consistent view.
    async fn audit(&self) -> Result<AuditReport, StoreError>;
}
