//! Rows of payments and of alerts.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::json_values;
use super::body::statements::insert;
use super::body::tables::batches::{AlertRow, PaymentChange, PaymentRow, PaymentWait, payments};
use super::body::types::{Account, Currency, Id, Named, Time};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_domain::activity::ActivityStatus;
use florin_domain::batch::{Alert, Payment, PaymentBatch, PaymentParts, PaymentState, PaymentTerms};
use florin_domain::ids::{AccountId, BudgetId, OrderId, PaymentBatchId, PaymentId};
use florin_domain::money::Minor;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Maximum number of rows per insert. More rows are hardly faster and use more memory.
const AT_ONCE: usize = 1000;

impl PaymentRow {
    fn of(payment: &Payment) -> Outcome<Self> {
        let PaymentParts { terms, failure, started_at, ask_at } = payment.state.parts();
        Ok(Self {
            account_id: Account(payment.account.clone()),
            batch_id: Id(payment.batch.0),
            input_index: i64::from(payment.index),
            id: Id(payment.id.0),
            status: Named(payment.status()),
            order_id: terms.map(|terms| Id(terms.order.0)),
            budget_id: terms.map(|terms| Id(terms.budget.0)),
            currency: terms.map(|terms| Currency(terms.currency)),
            amount_minor: terms.map(|terms| terms.amount.0),
            fee_minor: terms.map(|terms| terms.fee.0),
            network: terms.map(|terms| Named(terms.network)),
            failure: failure.map(Named),
            input: serde_json::to_string(&payment.input).map_err(corrupt)?,
            created_at: Time(payment.created_at),
            updated_at: Time(payment.updated_at),
            started_at: started_at.map(Time),
            ask_at: ask_at.map(Time),
            confirmed_at: None,
            position: None,
        })
    }

    /// Builds the row of a payment with its position in the feed of changes. `at` is the time at which its batch was
    /// confirmed. `None`: the batch is not confirmed, so the row has no position. The row of a payment that is not a
    /// movement has no position, either.
    fn confirmed(payment: &Payment, at: Option<DateTime<Utc>>, position: i64) -> Outcome<Self> {
        let at = at.filter(|_| ActivityStatus::of_payment(payment.status()).is_some());
        Ok(Self { confirmed_at: at.map(Time), position: at.map(|_| position), ..Self::of(payment)? })
    }

    fn terms(&self) -> Outcome<Option<PaymentTerms>> {
        let incomplete = || corrupt(format!("incomplete terms of payment {}", self.id.0));
        let Some(order) = self.order_id else {
            let (amount, fee) = (self.amount_minor, self.fee_minor);
            let is_incomplete = self.budget_id.is_some() || self.currency.is_some() || self.network.is_some();
            return if is_incomplete || amount.or(fee).is_some() { Err(incomplete()) } else { Ok(None) };
        };
        Ok(Some(PaymentTerms {
            order: OrderId(order.0),
            budget: BudgetId(self.budget_id.ok_or_else(incomplete)?.0),
            currency: self.currency.ok_or_else(incomplete)?.0,
            amount: Minor(self.amount_minor.ok_or_else(incomplete)?),
            fee: Minor(self.fee_minor.ok_or_else(incomplete)?),
            network: self.network.ok_or_else(incomplete)?.0,
        }))
    }

    /// Converts the status, and the columns that only some statuses have.
    fn state(&self) -> Outcome<PaymentState> {
        let parts = PaymentParts {
            terms: self.terms()?,
            failure: self.failure.map(|failure| failure.0),
            started_at: self.started_at.map(|time| time.0),
            ask_at: self.ask_at.map(|time| time.0),
        };
        PaymentState::from_parts(self.status.0, parts).ok_or_else(|| {
            corrupt(format!("payment {} is {}, which its terms or times contradict", self.id.0, self.status.0))
        })
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<Payment> {
        Ok(Payment {
            state: self.state()?,
            id: PaymentId(self.id.0),
            account: self.account_id.0,
            batch: PaymentBatchId(self.batch_id.0),
            index: index(self.input_index)?,
            input: json_values::column("input", &self.input)?,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        })
    }
}

impl PaymentChange {
    /// Builds the change of a payment that progressed, with its new position in the feed of changes.
    pub(crate) fn of(payment: &Payment, position: i64) -> Self {
        let PaymentParts { failure, started_at, ask_at, .. } = payment.state.parts();
        Self {
            status: Named(payment.status()),
            failure: failure.map(Named),
            updated_at: Time(payment.updated_at),
            started_at: started_at.map(Time),
            ask_at: ask_at.map(Time),
            position: Some(position),
            account_id: Account(payment.account.clone()),
            id: Id(payment.id.0),
        }
    }
}

impl From<&Payment> for PaymentWait {
    fn from(payment: &Payment) -> Self {
        Self {
            updated_at: Time(payment.updated_at),
            ask_at: payment.state.ask_at().map(Time),
            account_id: Account(payment.account.clone()),
            id: Id(payment.id.0),
        }
    }
}

impl AlertRow {
    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<Alert> {
        Ok(Alert {
            at: self.created_at.0,
            kind: self.kind.0,
            code: self.code.0,
            index: self.input_index.map(index).transpose()?,
            message: self.message,
        })
    }
}

/// Reads the position of a payment in its upload.
fn index(stored: i64) -> Outcome<u32> {
    u32::try_from(stored).map_err(|error| corrupt(format!("`input_index`: {error}")))
}

/// Converts rows to payments of the domain.
pub(super) fn read_payments(rows: Vec<PaymentRow>) -> Outcome<Vec<Payment>> {
    rows.into_iter().map(PaymentRow::read).collect()
}

/// Returns payments of an account by their ids, in any order, with the times of their confirmations.
pub(crate) fn by_ids(
    conn: &mut Conn,
    account: &AccountId,
    ids: &[Uuid],
) -> Outcome<Vec<(Payment, Option<DateTime<Utc>>)>> {
    let rows = payments::table
        .filter(payments::account_id.eq(account.as_str()))
        .filter(payments::id.eq_any(ids.iter().map(|id| Id(*id))))
        .select(PaymentRow::as_select())
        .load(conn)?;
    let payment = |row: PaymentRow| {
        let confirmed_at = row.confirmed_at.map(|at| at.0);
        Ok((row.read()?, confirmed_at))
    };
    rows.into_iter().map(payment).collect()
}

/// Converts rows to alerts of the domain.
pub(super) fn read_alerts(rows: Vec<AlertRow>) -> Outcome<Vec<Alert>> {
    rows.into_iter().map(AlertRow::read).collect()
}

/// Stores new payments.
pub(super) fn insert_payments(conn: &mut Conn, payments: &[Payment]) -> Outcome<()> {
    for chunk in payments.chunks(AT_ONCE) {
        insert(chunk.iter().map(PaymentRow::of).collect::<Outcome<_>>()?, conn)?;
    }
    Ok(())
}

/// Stores new payments. `confirmed` has the times at which batches were confirmed. The payments of these batches
/// receive this position.
pub(super) fn insert_confirmed(
    conn: &mut Conn,
    payments: &[Payment],
    confirmed: &BTreeMap<PaymentBatchId, DateTime<Utc>>,
    position: i64,
) -> Outcome<()> {
    let row = |payment: &Payment| PaymentRow::confirmed(payment, confirmed.get(&payment.batch).copied(), position);
    for chunk in payments.chunks(AT_ONCE) {
        insert(chunk.iter().map(row).collect::<Outcome<_>>()?, conn)?;
    }
    Ok(())
}

/// Stores the alerts of a batch that has none yet, in the order of the list.
pub(super) fn insert_alerts(conn: &mut Conn, batch: &PaymentBatch, alerts: &[Alert]) -> Outcome<()> {
    let mut ordered: Vec<_> = alerts.iter().collect();
    // `None` sorts first. The sort is stable, so alerts of one row keep their order.
    ordered.sort_by_key(|alert| alert.index);
    let row = |(position, alert): (i64, &&Alert)| AlertRow {
        account_id: Account(batch.account.clone()),
        batch_id: Id(batch.id.0),
        position,
        created_at: Time(alert.at),
        kind: Named(alert.kind),
        code: Named(alert.code),
        input_index: alert.index.map(i64::from),
        message: alert.message.clone(),
    };
    for (chunk, first) in ordered.chunks(AT_ONCE).zip((0_i64..).step_by(AT_ONCE)) {
        insert((first..).zip(chunk).map(row).collect(), conn)?;
    }
    Ok(())
}
