//! Reads batches, payments and alerts.

use super::body::backend::{Conn, Db};
use super::body::balances;
use super::body::batch_rows::with_orders;
use super::body::budgets;
use super::body::errors::{Outcome, corrupt};
use super::body::statements::load;
use super::body::store::Store;
use super::body::tables::batches::{
    AlertRow, BatchRow, FirstAlerts, PaymentRow, payment_alerts, payment_batches, payments,
};
use super::body::types::{Account, Id, Named, Time};
use super::rows::{read_alerts, read_payments};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::batch::{
    Alert, AlertFilter, BatchContent, BatchFilter, BatchSummary, Direction, FundingBudgets, Payment, PaymentBatch,
    PaymentFilter,
};
use florin_domain::budget::BudgetFeature;
use florin_domain::ids::{AccountId, PaymentBatchId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{BatchFunds, BatchReading, StoreError};
use std::collections::{BTreeMap, BTreeSet};

#[async_trait]
impl BatchReading for Store {
    async fn find(&self, account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchSummary>, StoreError> {
        self.read_account(account, move |conn, account| {
            find(conn, account, batch)?.map(|batch| summary(conn, batch)).transpose()
        })
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: BatchFilter,
        page: PageRequest,
    ) -> Result<Page<BatchSummary>, StoreError> {
        self.read_account(account, move |conn, account| {
            let rows = batches(account, &filter).limit(page.limit).offset(page.offset);
            let rows = match filter.direction {
                Direction::Ascending => rows.order((payment_batches::created_at, payment_batches::id)),
                Direction::Descending => rows.order((payment_batches::created_at.desc(), payment_batches::id.desc())),
            };
            let rows = rows.select(BatchRow::as_select()).load(conn)?;
            let count = batches(account, &filter).count().get_result(conn)?;
            let batches = with_orders(conn, rows)?;
            Ok(Page { count, rows: summaries(conn, batches)? })
        })
        .await
    }

    async fn payments(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: PaymentFilter,
        page: PageRequest,
    ) -> Result<Option<Page<Payment>>, StoreError> {
        self.read_account(account, move |conn, account| {
            if !exists(conn, account, batch)? {
                return Ok(None);
            }
            let rows = payments_of(account, batch, &filter).limit(page.limit).offset(page.offset);
            let rows = in_direction(rows, filter.direction).select(PaymentRow::as_select()).load(conn)?;
            let count = payments_of(account, batch, &filter).count().get_result(conn)?;
            Ok(Some(Page { count, rows: read_payments(rows)? }))
        })
        .await
    }

    async fn alerts(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: AlertFilter,
        page: PageRequest,
    ) -> Result<Option<Page<Alert>>, StoreError> {
        self.read_account(account, move |conn, account| {
            if !exists(conn, account, batch)? {
                return Ok(None);
            }
            let rows = alerts_of(account, batch, filter).limit(page.limit).offset(page.offset);
            let rows = match filter.direction {
                Direction::Ascending => rows.order(payment_alerts::position.asc()),
                Direction::Descending => rows.order(payment_alerts::position.desc()),
            };
            let rows = rows.select(AlertRow::as_select()).load(conn)?;
            let count = alerts_of(account, batch, filter).count().get_result(conn)?;
            Ok(Some(Page { count, rows: read_alerts(rows)? }))
        })
        .await
    }

    async fn content(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: PaymentFilter,
    ) -> Result<Option<BatchContent>, StoreError> {
        self.read_account(account, move |conn, account| {
            let Some(found) = find(conn, account, batch)? else { return Ok(None) };
            let payments = in_direction(payments_of(account, batch, &filter), Direction::Ascending);
            let payments = read_payments(payments.select(PaymentRow::as_select()).load(conn)?)?;
            let alerts = alerts_of(account, batch, AlertFilter::default()).order(payment_alerts::position.asc());
            let alerts = read_alerts(alerts.select(AlertRow::as_select()).load(conn)?)?;
            Ok(Some(BatchContent { batch: found, payments, alerts }))
        })
        .await
    }

    async fn funds(&self, account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchFunds>, StoreError> {
        self.read_account(account, move |conn, account| {
            let Some(batch) = find(conn, account, batch)? else { return Ok(None) };
            let paying_budgets: BTreeSet<_> = batch.orders.iter().map(|order| order.budget).collect();
            let budgets =
                balances::of_account(conn, account)?.into_iter().filter(|budget| paying_budgets.contains(&budget.id));
            let funds = budgets.flat_map(|budget| {
                budget.balances.into_iter().map(move |(currency, balances)| ((budget.id, currency), balances))
            });
            Ok(Some(BatchFunds { batch, balances: funds.collect() }))
        })
        .await
    }

    async fn funding(&self, account: &AccountId) -> Result<FundingBudgets, StoreError> {
        self.read_account(account, funding).await
    }
}

impl Store {
    /// Reads data of an account in one transaction: all statements see the same rows.
    async fn read_account<T: Send + 'static>(
        &self,
        account: &AccountId,
        work: impl Fn(&mut Conn, &AccountId) -> Outcome<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| work(conn, &account)).await
    }
}

/// Finds a batch of the account, with its orders.
fn find(conn: &mut Conn, account: &AccountId, batch: PaymentBatchId) -> Outcome<Option<PaymentBatch>> {
    let row = payment_batches::table
        .filter(payment_batches::account_id.eq(account.as_str()))
        .filter(payment_batches::id.eq(Id(batch.0)))
        .select(BatchRow::as_select())
        .get_result(conn)
        .optional()?;
    Ok(with_orders(conn, row.into_iter().collect())?.pop())
}

fn exists(conn: &mut Conn, account: &AccountId, batch: PaymentBatchId) -> Outcome<bool> {
    let row = payment_batches::table
        .filter(payment_batches::account_id.eq(account.as_str()))
        .filter(payment_batches::id.eq(Id(batch.0)));
    Ok(row.count().get_result::<i64>(conn)? > 0)
}

fn batches<'a>(account: &'a AccountId, filter: &BatchFilter) -> payment_batches::BoxedQuery<'a, Db> {
    let mut query = payment_batches::table.filter(payment_batches::account_id.eq(account.as_str())).into_boxed();
    if !filter.ids.is_empty() {
        query = query.filter(payment_batches::id.eq_any(filter.ids.iter().map(|id| Id(id.0)).collect::<Vec<_>>()));
    }
    if !filter.statuses.is_empty() {
        let statuses: Vec<_> = filter.statuses.iter().copied().map(Named).collect();
        query = query.filter(payment_batches::status.eq_any(statuses));
    }
    if !filter.include_hidden {
        query = query.filter(payment_batches::visible.eq(true));
    }
    query
}

fn payments_of<'a>(
    account: &'a AccountId,
    batch: PaymentBatchId,
    filter: &PaymentFilter,
) -> payments::BoxedQuery<'a, Db> {
    let of_batch = payments::table.filter(payments::account_id.eq(account.as_str()));
    let mut query = of_batch.filter(payments::batch_id.eq(Id(batch.0))).into_boxed();
    if !filter.statuses.is_empty() {
        query = query.filter(payments::status.eq_any(filter.statuses.iter().copied().map(Named).collect::<Vec<_>>()));
    }
    if !filter.orders.is_empty() {
        query = query.filter(payments::order_id.eq_any(filter.orders.iter().map(|id| Id(id.0)).collect::<Vec<_>>()));
    }
    query
}

fn in_direction(query: payments::BoxedQuery<'_, Db>, direction: Direction) -> payments::BoxedQuery<'_, Db> {
    match direction {
        Direction::Ascending => query.order(payments::input_index.asc()),
        Direction::Descending => query.order(payments::input_index.desc()),
    }
}

fn alerts_of(account: &AccountId, batch: PaymentBatchId, filter: AlertFilter) -> payment_alerts::BoxedQuery<'_, Db> {
    let of_batch = payment_alerts::table.filter(payment_alerts::account_id.eq(account.as_str()));
    let mut query = of_batch.filter(payment_alerts::batch_id.eq(Id(batch.0))).into_boxed();
    if let Some(kind) = filter.kind {
        query = query.filter(payment_alerts::kind.eq(Named(kind)));
    }
    if let Some(code) = filter.code {
        query = query.filter(payment_alerts::code.eq(Named(code)));
    }
    if let Some(from) = filter.from {
        query = query.filter(payment_alerts::created_at.ge(Time(from)));
    }
    if let Some(to) = filter.to {
        query = query.filter(payment_alerts::created_at.le(Time(to)));
    }
    query
}

/// Returns a batch with its first alerts.
pub(super) fn summary(conn: &mut Conn, batch: PaymentBatch) -> Outcome<BatchSummary> {
    summaries(conn, vec![batch])?.pop().ok_or_else(|| corrupt("a batch without a summary"))
}

fn summaries(conn: &mut Conn, batches: Vec<PaymentBatch>) -> Outcome<Vec<BatchSummary>> {
    let key = |batch: &PaymentBatch| (Account(batch.account.clone()), Id(batch.id.0));
    let mut alerts: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in load::<FirstAlerts>(batches.iter().map(key).collect::<Vec<_>>(), conn)? {
        alerts.entry((row.account_id.clone(), row.batch_id)).or_default().push(row.read()?);
    }
    let mut summary = |batch| BatchSummary { alerts: alerts.remove(&key(&batch)).unwrap_or_default(), batch };
    Ok(batches.into_iter().map(&mut summary).collect())
}

/// Returns the account's budgets that can fund payments, each with its currencies.
pub(super) fn funding(conn: &mut Conn, account: &AccountId) -> Outcome<FundingBudgets> {
    let records = budgets::of_account(conn, account)?.into_iter();
    let paying_budgets =
        records.filter(|record| record.features.contains(&BudgetFeature::Payments)).map(|record| record.budget);
    Ok(paying_budgets
        .map(|budget| (budget.id, budget.balances.into_iter().map(|(currency, _)| currency).collect()))
        .collect())
}
