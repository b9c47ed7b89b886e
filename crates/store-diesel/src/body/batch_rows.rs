//! Rows of payment batches and of their orders.

use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::statements::{self, load};
use super::tables::batches::{BatchChange, BatchRow, OrderRow, OrdersOfBatches};
use super::types::{Account, Currency, Id, Named, Time};
use florin_domain::batch::{BatchInput, BatchState, Confirmation, PaymentBatch, PaymentOrder};
use florin_domain::ids::{BudgetId, ClientId, OrderId, PaymentBatchId};
use florin_domain::money::Minor;
use std::collections::BTreeMap;

impl From<OrderRow> for PaymentOrder {
    fn from(row: OrderRow) -> Self {
        Self {
            id: OrderId(row.id.0),
            budget: BudgetId(row.budget_id.0),
            currency: row.currency.0,
            total: Minor(row.total_minor),
            fees: Minor(row.fees_minor),
            payments: row.payments.unsigned_abs(),
        }
    }
}

impl BatchRow {
    /// Returns the key of the batch.
    pub(crate) fn key(&self) -> (Account, Id) {
        (self.account_id.clone(), self.id)
    }

    /// Converts the row to the domain, without orders: they have rows of their own.
    pub(crate) fn read(self) -> Outcome<PaymentBatch> {
        let input = match (self.input_format, self.input_status, self.input_created_at, self.input_updated_at) {
            (Some(format), Some(status), Some(created_at), Some(updated_at)) => Some(BatchInput {
                format: format.0,
                status: status.0,
                default_budget: self.input_budget_id.map(|id| BudgetId(id.0)),
                created_at: created_at.0,
                updated_at: updated_at.0,
            }),
            (None, None, None, None) => None,
            _ => return Err(corrupt(format!("incomplete input of batch {}", self.id.0))),
        };
        let state = self.state()?;
        Ok(PaymentBatch {
            id: PaymentBatchId(self.id.0),
            account: self.account_id.0,
            name: self.name,
            state,
            orders: Vec::new(),
            created_by: ClientId(self.created_by.0),
            visible: self.visible,
            locked: self.locked,
            input,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        })
    }

    /// Converts the status, and the columns that only some statuses have.
    fn state(&self) -> Outcome<BatchState> {
        let by = self.confirmed_by.map(|id| ClientId(id.0));
        let passed_mfa_check_at = self.passed_mfa_check_at.map(|time| time.0);
        let confirmation = self.confirmed_at.map(|at| Confirmation { by, at: at.0, passed_mfa_check_at });
        // The columns contain who confirmed, or the time of the MFA check, but not the time of the confirmation.
        let is_incomplete = confirmation.is_none() && (by.is_some() || passed_mfa_check_at.is_some());
        BatchState::from_parts(self.status.0, confirmation, self.orders_sent_at.map(|time| time.0))
            .filter(|_| !is_incomplete)
            .ok_or_else(|| corrupt(format!("batch {} is {}, which its times contradict", self.id.0, self.status.0)))
    }
}

impl From<PaymentBatch> for BatchRow {
    fn from(batch: PaymentBatch) -> Self {
        let (input, confirmation) = (batch.input, batch.state.confirmation());
        Self {
            account_id: Account(batch.account),
            id: Id(batch.id.0),
            name: batch.name,
            status: Named(batch.state.status()),
            created_by: Id(batch.created_by.0),
            visible: batch.visible,
            locked: batch.locked,
            input_format: input.as_ref().map(|input| Named(input.format)),
            input_status: input.as_ref().map(|input| Named(input.status)),
            input_budget_id: input.as_ref().and_then(|input| input.default_budget).map(|id| Id(id.0)),
            input_created_at: input.as_ref().map(|input| Time(input.created_at)),
            input_updated_at: input.as_ref().map(|input| Time(input.updated_at)),
            created_at: Time(batch.created_at),
            updated_at: Time(batch.updated_at),
            confirmed_by: confirmation.and_then(|confirmed| confirmed.by).map(|id| Id(id.0)),
            confirmed_at: confirmation.map(|confirmed| Time(confirmed.at)),
            passed_mfa_check_at: confirmation.and_then(|confirmed| confirmed.passed_mfa_check_at).map(Time),
            orders_sent_at: batch.state.orders_sent_at().map(Time),
            work_at: None,
            lease_id: None,
            leased_until: None,
        }
    }
}

impl BatchChange {
    /// Builds the change of a batch. `work_at` is the time at which it next needs processing; `None` if it needs none.
    pub(crate) fn of(batch: PaymentBatch, work_at: Option<Time>) -> Self {
        Self { work_at, ..Self::from(BatchRow::from(batch)) }
    }
}

/// Converts rows to batches of the domain, in the order of the rows, and loads their orders.
pub(crate) fn with_orders(conn: &mut Conn, rows: Vec<BatchRow>) -> Outcome<Vec<PaymentBatch>> {
    let orders = load::<OrdersOfBatches>(rows.iter().map(BatchRow::key).collect::<Vec<_>>(), conn)?;
    assemble(rows, orders)
}

/// Combines rows of batches with the orders that were loaded for them, in the order of the rows.
pub(crate) fn assemble(rows: Vec<BatchRow>, of_batches: Vec<OrderRow>) -> Outcome<Vec<PaymentBatch>> {
    let mut batches = rows.into_iter().map(BatchRow::read).collect::<Outcome<Vec<_>>>()?;
    let mut orders: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in of_batches {
        orders.entry((row.account_id.0.clone(), row.batch_id)).or_default().push(PaymentOrder::from(row));
    }
    for batch in &mut batches {
        batch.orders = orders.remove(&(batch.account.clone(), Id(batch.id.0))).unwrap_or_default();
    }
    Ok(batches)
}

/// Stores a new batch with its orders.
pub(crate) fn insert(conn: &mut Conn, batch: &PaymentBatch) -> Outcome<()> {
    statements::insert(vec![BatchRow::from(batch.clone())], conn)?;
    insert_orders(conn, batch)
}

/// Stores the orders of a batch that has none yet.
pub(crate) fn insert_orders(conn: &mut Conn, batch: &PaymentBatch) -> Outcome<()> {
    let row = |(position, order): (i64, &PaymentOrder)| OrderRow {
        account_id: Account(batch.account.clone()),
        batch_id: Id(batch.id.0),
        position,
        id: Id(order.id.0),
        budget_id: Id(order.budget.0),
        currency: Currency(order.currency),
        total_minor: order.total.0,
        fees_minor: order.fees.0,
        payments: i64::try_from(order.payments).unwrap_or(i64::MAX),
    };
    statements::insert((0_i64..).zip(&batch.orders).map(row).collect(), conn)
}
