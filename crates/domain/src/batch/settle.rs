//! Settling payments: the bank's reports move money, and the last report ends the batch.

mod booking;
mod rule;
#[cfg(test)]
mod tests;

pub use rule::decide_settle;

use super::{BatchBalances, Payment, PaymentBatch, PaymentReport};
use crate::event::Event;
use crate::ids::{BudgetId, PaymentId};
use crate::ledger::{AmountOutOfRange, JournalTransaction};
use crate::money::Currency;
use std::collections::BTreeMap;

/// The situation for the bank's reports. An adapter loads it under the locks of the batch and of the budgets that
/// fund it.
#[derive(Clone, Debug)]
pub struct SettleSituation {
    /// The batch with its orders.
    pub batch: PaymentBatch,
    /// The payments of the batch that the reports are about.
    pub payments: Vec<Payment>,
    /// Number of payments of the batch that are not final, including those in `payments`.
    pub open: u64,
    /// Number of payments of the batch that were paid and not returned.
    pub completed: u64,
    /// Number of payments of the batch that were paid and returned.
    pub returned: u64,
    /// Balances of the budgets that fund the orders, by budget and currency.
    pub balances: BatchBalances,
    /// The names of the budgets that fund the orders.
    pub budget_names: BTreeMap<BudgetId, String>,
    /// The next free number in the account's sequence of credits, top-ups, transfers and payments, from 1.
    pub number: i64,
}

/// The bank's report about one payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The payment.
    pub payment: PaymentId,
    /// The report.
    pub report: PaymentReport,
}

/// The result of applying reports. An adapter stores it atomically. It is empty if the reports change nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettleDecision {
    /// The batch, if it changed.
    pub batch: Option<PaymentBatch>,
    /// The payments that changed.
    pub payments: Vec<Payment>,
    /// The journal transactions.
    pub journal: Vec<JournalTransaction>,
    /// The balances that changed.
    pub balances: BatchBalances,
    /// The last number that each balance used for a payment or return. Balances that used none are absent.
    pub numbers: BTreeMap<(BudgetId, Currency), i64>,
    /// The events.
    pub events: Vec<Event>,
}

/// Reasons to refuse reports. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettleRefusal {
    /// A balance would leave its range: for example, less is reserved than is paid.
    #[error(transparent)]
    AmountOutOfRange(#[from] AmountOutOfRange),
}
