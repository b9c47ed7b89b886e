//! Reads of payment batches.

use crate::MemoryStore;
use crate::batches::{balances_of, payments_of};
use crate::budgets::record;
use crate::data::Data;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::batch::{
    Alert, AlertFilter, BatchContent, BatchFilter, BatchSummary, Direction, FundingBudgets, Payment, PaymentBatch,
    PaymentFilter,
};
use florin_domain::budget::{Budget, BudgetFeature};
use florin_domain::ids::{AccountId, PaymentBatchId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{BatchFunds, BatchReading, StoreError};

#[async_trait]
impl BatchReading for MemoryStore {
    async fn find(&self, account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchSummary>, StoreError> {
        Ok(self.read(|data| data.batches.get(&(account.clone(), batch)).map(|batch| summary(data, batch))))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: BatchFilter,
        page: PageRequest,
    ) -> Result<Page<BatchSummary>, StoreError> {
        Ok(self.read(|data| {
            let of_account = data.batches.values().filter(|batch| batch.account == *account);
            let mut found: Vec<_> = of_account.filter(|batch| matches(batch, &filter)).collect();
            found.sort_by_key(|batch| (batch.created_at, batch.id));
            let Page { count, rows } = in_direction(found, filter.direction, page);
            Page { count, rows: rows.into_iter().map(|batch| summary(data, batch)).collect() }
        }))
    }

    async fn payments(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: PaymentFilter,
        page: PageRequest,
    ) -> Result<Option<Page<Payment>>, StoreError> {
        Ok(self.read(|data| {
            data.batches.get(&(account.clone(), batch))?;
            let found = payments_of(data, account, batch).filter(|payment| is_match(payment, &filter)).collect();
            let Page { count, rows } = in_direction(found, filter.direction, page);
            Some(Page { count, rows: rows.into_iter().cloned().collect() })
        }))
    }

    async fn alerts(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: AlertFilter,
        page: PageRequest,
    ) -> Result<Option<Page<Alert>>, StoreError> {
        Ok(self.read(|data| {
            data.batches.get(&(account.clone(), batch))?;
            let found = alerts_of(data, account, batch).iter().filter(|alert| {
                filter.kind.is_none_or(|kind| alert.kind == kind)
                    && filter.code.is_none_or(|code| alert.code == code)
                    && filter.from.is_none_or(|from| alert.at >= from)
                    && filter.to.is_none_or(|to| alert.at <= to)
            });
            let Page { count, rows } = in_direction(found.collect(), filter.direction, page);
            Some(Page { count, rows: rows.into_iter().cloned().collect() })
        }))
    }

    async fn content(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: PaymentFilter,
    ) -> Result<Option<BatchContent>, StoreError> {
        Ok(self.read(|data| {
            let batch = data.batches.get(&(account.clone(), batch))?.clone();
            let payments = payments_of(data, account, batch.id).filter(|payment| is_match(payment, &filter));
            let payments = payments.cloned().collect();
            let alerts = alerts_of(data, account, batch.id).to_vec();
            Some(BatchContent { batch, payments, alerts })
        }))
    }

    async fn funds(&self, account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchFunds>, StoreError> {
        Ok(self.read(|data| {
            let batch = data.batches.get(&(account.clone(), batch))?;
            Some(BatchFunds { batch: batch.clone(), balances: balances_of(data, batch) })
        }))
    }

    async fn funding(&self, account: &AccountId) -> Result<FundingBudgets, StoreError> {
        Ok(self.read(|data| funding_of(data, account)))
    }
}

/// Returns the account's budgets that can fund payments, with their currencies.
pub(crate) fn funding_of(data: &Data, account: &AccountId) -> FundingBudgets {
    let of_account = data.budgets.values().filter(|budget| budget.account == *account);
    let pays = |budget: &&Budget| {
        record(data, budget).is_some_and(|record| record.features.contains(&BudgetFeature::Payments))
    };
    of_account
        .filter(pays)
        .map(|budget| (budget.id, budget.balances.iter().map(|(currency, _)| *currency).collect()))
        .collect()
}

/// Returns a batch with its first alerts.
pub(crate) fn summary(data: &Data, batch: &PaymentBatch) -> BatchSummary {
    let alerts = alerts_of(data, &batch.account, batch.id);
    BatchSummary { batch: batch.clone(), alerts: alerts.iter().take(BatchSummary::MAX_ALERTS).cloned().collect() }
}

/// Returns the alerts of a batch by input index.
fn alerts_of<'a>(data: &'a Data, account: &AccountId, batch: PaymentBatchId) -> &'a [Alert] {
    data.alerts.get(&(account.clone(), batch)).map_or(&[], Vec::as_slice)
}

fn matches(batch: &PaymentBatch, filter: &BatchFilter) -> bool {
    (filter.include_hidden || batch.visible)
        && (filter.ids.is_empty() || filter.ids.contains(&batch.id))
        && (filter.statuses.is_empty() || filter.statuses.contains(&batch.status()))
}

fn is_match(payment: &Payment, filter: &PaymentFilter) -> bool {
    let order = payment.terms().map(|terms| terms.order);
    (filter.statuses.is_empty() || filter.statuses.contains(&payment.status()))
        && (filter.orders.is_empty() || order.is_some_and(|order| filter.orders.contains(&order)))
}

/// Returns one page of the rows in this direction. `found` is in ascending order.
fn in_direction<T>(mut found: Vec<T>, direction: Direction, page: PageRequest) -> Page<T> {
    if direction == Direction::Descending {
        found.reverse();
    }
    paginate(found, page)
}
