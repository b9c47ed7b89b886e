//! Rows of payments and of alerts.

use super::body::backend::{Conn, Db};
use super::body::errors::{Outcome, corrupt};
use super::body::schema::{payment_alerts, payments};
use super::body::sets::{Stored, rows};
use super::body::types::{Account, Currency, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::batch::{
    Alert, AlertCode, AlertKind, FailureReason, Payment, PaymentBatch, PaymentNetwork, PaymentStatus, PaymentTerms,
};
use florin_domain::ids::{AccountId, BudgetId, OrderId, PaymentBatchId, PaymentId};
use florin_domain::money::Minor;
use uuid::Uuid;

/// So many rows are stored at once: more are hardly faster, and take memory.
const AT_ONCE: usize = 1000;

rows! {
    /// A payment.
    #[derive(Queryable, Selectable, Insertable)]
    #[diesel(table_name = payments, check_for_backend(Db), treat_none_as_default_value = false)]
    pub(crate) struct PaymentRow in payments {
        account_id: Account,
        batch_id: Id,
        input_index: i64,
        id: Id,
        status: Named<PaymentStatus>,
        order_id: Option<Id>,
        budget_id: Option<Id>,
        currency: Option<Currency>,
        amount_minor: Option<i64>,
        fee_minor: Option<i64>,
        network: Option<Named<PaymentNetwork>>,
        failure: Option<Named<FailureReason>>,
        input: String,
        created_at: Time,
        updated_at: Time,
        started_at: Option<Time>,
        ask_at: Option<Time>,
    }

    /// An alert, in its place among those of the batch.
    #[derive(Queryable, Selectable, Insertable)]
    #[diesel(table_name = payment_alerts, check_for_backend(Db), treat_none_as_default_value = false)]
    pub(crate) struct AlertRow in payment_alerts {
        account_id: Account,
        batch_id: Id,
        position: i64,
        created_at: Time,
        kind: Named<AlertKind>,
        code: Named<AlertCode>,
        input_index: Option<i64>,
        message: String,
    }
}

update_rows! {
    /// How far a payment has come.
    PaymentNow in payments {
        set {
            status: Named<PaymentStatus>,
            failure: Option<Named<FailureReason>>,
            updated_at: Time,
            started_at: Option<Time>,
            ask_at: Option<Time>,
        }
        of { account_id: Account, id: Id, }
        if ""
    }
}

select_rows! {
    /// Payments by their ids.
    PaymentsById: PaymentRow {
        from payments by { account_id: Account, id: Id, }
        with ""
        order ""
        lock ""
    }
}

select_rows! {
    /// The alerts that are shown with a batch: [`florin_domain::batch::BatchSummary::MAX_ALERTS`].
    FirstAlerts: AlertRow {
        from payment_alerts by { account_id: Account, batch_id: Id, }
        with ""
        order " AND payment_alerts.position < 100 ORDER BY payment_alerts.account_id, payment_alerts.batch_id, \
            payment_alerts.position"
        lock ""
    }
}

impl PaymentRow {
    fn of(payment: &Payment) -> Outcome<Self> {
        let terms = payment.terms.as_ref();
        Ok(Self {
            account_id: Account(payment.account.clone()),
            batch_id: Id(payment.batch.0),
            input_index: i64::from(payment.index),
            id: Id(payment.id.0),
            status: Named(payment.status),
            order_id: terms.map(|terms| Id(terms.order.0)),
            budget_id: terms.map(|terms| Id(terms.budget.0)),
            currency: terms.map(|terms| Currency(terms.currency)),
            amount_minor: terms.map(|terms| terms.amount.0),
            fee_minor: terms.map(|terms| terms.fee.0),
            network: terms.map(|terms| Named(terms.network)),
            failure: payment.failure.map(Named),
            input: serde_json::to_string(&payment.input).map_err(corrupt)?,
            created_at: Time(payment.created_at),
            updated_at: Time(payment.updated_at),
            started_at: payment.started_at.map(Time),
            ask_at: payment.ask_at.map(Time),
        })
    }

    fn terms(&self) -> Outcome<Option<PaymentTerms>> {
        let Some(order) = self.order_id else { return Ok(None) };
        let half = || corrupt(format!("half the terms of payment {}", self.id.0));
        Ok(Some(PaymentTerms {
            order: OrderId(order.0),
            budget: BudgetId(self.budget_id.ok_or_else(half)?.0),
            currency: self.currency.ok_or_else(half)?.0,
            amount: Minor(self.amount_minor.ok_or_else(half)?),
            fee: Minor(self.fee_minor.ok_or_else(half)?),
            network: self.network.ok_or_else(half)?.0,
        }))
    }

    /// As the domain has it.
    pub(super) fn read(self) -> Outcome<Payment> {
        Ok(Payment {
            terms: self.terms()?,
            id: PaymentId(self.id.0),
            account: self.account_id.0,
            batch: PaymentBatchId(self.batch_id.0),
            index: u32::try_from(self.input_index).map_err(corrupt)?,
            status: self.status.0,
            failure: self.failure.map(|failure| failure.0),
            input: serde_json::from_str(&self.input).map_err(corrupt)?,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
            started_at: self.started_at.map(|time| time.0),
            ask_at: self.ask_at.map(|time| time.0),
        })
    }
}

impl From<&Payment> for PaymentNow {
    fn from(payment: &Payment) -> Self {
        Self {
            status: Named(payment.status),
            failure: payment.failure.map(Named),
            updated_at: Time(payment.updated_at),
            started_at: payment.started_at.map(Time),
            ask_at: payment.ask_at.map(Time),
            account_id: Account(payment.account.clone()),
            id: Id(payment.id.0),
        }
    }
}

impl AlertRow {
    /// As the domain has it.
    pub(super) fn read(self) -> Outcome<Alert> {
        Ok(Alert {
            at: self.created_at.0,
            kind: self.kind.0,
            code: self.code.0,
            index: self.input_index.map(u32::try_from).transpose().map_err(corrupt)?,
            message: self.message,
        })
    }
}

/// Payments as the domain has them.
pub(super) fn read_payments(rows: Vec<PaymentRow>) -> Outcome<Vec<Payment>> {
    rows.into_iter().map(PaymentRow::read).collect()
}

/// Payments of an account by their ids, in any order.
pub(crate) fn by_ids(conn: &mut Conn, account: &AccountId, ids: &[Uuid]) -> Outcome<Vec<Payment>> {
    let rows = payments::table
        .filter(payments::account_id.eq(account.as_str()))
        .filter(payments::id.eq_any(ids.iter().map(|id| Id(*id))))
        .select(PaymentRow::as_select())
        .load(conn)?;
    read_payments(rows)
}

/// Alerts as the domain has them.
pub(super) fn read_alerts(rows: Vec<AlertRow>) -> Outcome<Vec<Alert>> {
    rows.into_iter().map(AlertRow::read).collect()
}

/// Stores new payments.
pub(super) fn insert_payments(conn: &mut Conn, payments: &[Payment]) -> Outcome<()> {
    for some in payments.chunks(AT_ONCE) {
        PaymentRow::store(some.iter().map(PaymentRow::of).collect::<Outcome<_>>()?, conn)?;
    }
    Ok(())
}

/// Stores how far payments have come.
pub(super) fn update_payments(conn: &mut Conn, payments: &[Payment]) -> Outcome<()> {
    for some in payments.chunks(AT_ONCE) {
        PaymentNow::store(some.iter().map(PaymentNow::from).collect(), conn)?;
    }
    Ok(())
}

/// Stores the alerts of a batch that has none, in the order of their list.
pub(super) fn insert_alerts(conn: &mut Conn, batch: &PaymentBatch, alerts: &[Alert]) -> Outcome<()> {
    let mut ordered: Vec<_> = alerts.iter().collect();
    // None is the smallest; those of one row stay as they were found.
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
    for (some, first) in ordered.chunks(AT_ONCE).zip((0_i64..).step_by(AT_ONCE)) {
        AlertRow::store((first..).zip(some).map(row).collect(), conn)?;
    }
    Ok(())
}
