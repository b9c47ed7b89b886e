//! Reading payment batches.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::batch::{
    Alert, AlertFilter, BatchBalances, BatchContent, BatchFilter, BatchSummary, FundingBudgets, Payment, PaymentBatch,
    PaymentFilter,
};
use florin_domain::ids::{AccountId, PaymentBatchId};
use florin_domain::page::{Page, PageRequest};

/// A batch with the funds of its orders, read in one consistent view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchFunds {
    /// The batch.
    pub batch: PaymentBatch,
    /// The balances of the budgets that fund its orders, in all their currencies.
    pub balances: BatchBalances,
}

/// Reads payment batches. Each call reads one consistent view, so counts and rows agree. `None` always means that the
/// account has no such batch.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait BatchReading: Send + Sync {
    /// Returns a batch, hidden or not, with its first alerts.
    async fn find(&self, account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchSummary>, StoreError>;

    /// Lists the account's matching batches, each with its first alerts, in the filter's order. Ids of other accounts
    /// match nothing. The count ignores the page.
    async fn list(
        &self,
        account: &AccountId,
        filter: BatchFilter,
        page: PageRequest,
    ) -> Result<Page<BatchSummary>, StoreError>;

    /// Lists the matching payments of a batch in the filter's order. The count ignores the page.
    async fn payments(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: PaymentFilter,
        page: PageRequest,
    ) -> Result<Option<Page<Payment>>, StoreError>;

    /// Lists the matching alerts of a batch in the filter's order. The count ignores the page.
    async fn alerts(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: AlertFilter,
        page: PageRequest,
    ) -> Result<Option<Page<Alert>>, StoreError>;

    /// Returns a batch with all its alerts and all matching payments. The payments are always in ascending order of
    /// input index; the order of the filter is ignored. A batch is small enough for that (at most 10,000 payments).
    async fn content(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: PaymentFilter,
    ) -> Result<Option<BatchContent>, StoreError>;

    /// Returns a batch with the balances of the budgets that fund its orders.
    async fn funds(&self, account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchFunds>, StoreError>;

    /// Returns the account's budgets with the feature `payments`, each with its currencies. The result is empty if the
    /// account does not exist.
    async fn funding(&self, account: &AccountId) -> Result<FundingBudgets, StoreError>;
}
