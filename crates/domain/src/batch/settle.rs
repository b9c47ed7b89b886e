//! Settling payments: a bank's reports move money, and the last one ends the batch.

mod booking;
mod rule;
#[cfg(test)]
mod tests;

pub use rule::decide_settle;

use super::{BatchBalances, Payment, PaymentBatch, PaymentReport};
use crate::event::Event;
use crate::ids::{BudgetId, PaymentId};
use crate::ledger::{AmountOverflow, JournalTransaction};
use crate::money::Currency;
use std::collections::BTreeMap;

/// What an adapter loads under the lock to decide on a bank's reports.
#[derive(Clone, Debug)]
pub struct SettleSituation {
    /// The batch with its orders.
    pub batch: PaymentBatch,
    /// The payments of the batch that the reports are about.
    pub payments: Vec<Payment>,
    /// Number of payments of the batch that are not final, including those of `payments`.
    pub open: u64,
    /// Number of payments of the batch that are paid, and not returned.
    pub completed: u64,
    /// Number of payments of the batch that were paid and returned.
    pub returned: u64,
    /// Balances of the funding budgets of the orders, per currency.
    pub balances: BatchBalances,
    /// The names of those budgets.
    pub budget_names: BTreeMap<BudgetId, String>,
    /// The account's next free number of transactions, from 1.
    pub number: i64,
}

/// A bank's report about one payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The payment.
    pub payment: PaymentId,
    /// The report.
    pub report: PaymentReport,
}

/// What an adapter stores atomically after reports. Empty if the reports change nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettleDecision {
    /// The batch, if it changed.
    pub batch: Option<PaymentBatch>,
    /// The payments that changed: status, failure, times.
    pub payments: Vec<Payment>,
    /// The journal transactions.
    pub journal: Vec<JournalTransaction>,
    /// The balances that changed.
    pub balances: BatchBalances,
    /// The number of the last payout or return of each balance that has one.
    pub numbers: BTreeMap<(BudgetId, Currency), i64>,
    /// The events.
    pub events: Vec<Event>,
}

/// Reasons to refuse reports. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettleRefusal {
    /// A balance would overflow 64 bits, or less is reserved than is paid.
    #[error(transparent)]
    AmountOverflow(#[from] AmountOverflow),
}
