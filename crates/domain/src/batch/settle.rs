//! Settling payments: a bank's reports move money, and the last one ends the batch.

mod booking;
mod rule;
#[cfg(test)]
mod tests;

pub use rule::decide_settle;

use super::{BatchBalances, Payment, PaymentBatch, PaymentReport};
use crate::event::Event;
use crate::ids::PaymentId;
use crate::ledger::{AmountOverflow, JournalTransaction, Unbalanced};

/// What an adapter loads, under the lock.
#[derive(Clone, Debug)]
pub struct SettleSituation {
    /// The batch with its orders.
    pub batch: PaymentBatch,
    /// The payments of it that the reports are about.
    pub payments: Vec<Payment>,
    /// How many payments of the batch are not final, these included.
    pub open: u64,
    /// Whether any payment of the batch was paid, returned later or not.
    pub any_paid: bool,
    /// Balances of the funding budgets of the orders, per currency.
    pub balances: BatchBalances,
}

/// What a bank reports of one payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The payment.
    pub payment: PaymentId,
    /// The report.
    pub report: PaymentReport,
}

/// What an adapter stores, atomically. Empty where the reports change nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettleDecision {
    /// The batch, where it changed.
    pub batch: Option<PaymentBatch>,
    /// The payments that changed: status, failure, times.
    pub payments: Vec<Payment>,
    /// The journal transactions.
    pub journal: Vec<JournalTransaction>,
    /// The balances that changed.
    pub balances: BatchBalances,
    /// The events.
    pub events: Vec<Event>,
}

/// Reasons to refuse reports. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettleRefusal {
    /// A balance would overflow 64 bits, or less is reserved than is paid.
    #[error(transparent)]
    AmountOverflow(#[from] AmountOverflow),
    /// A rule produced postings that do not balance: a bug.
    #[error(transparent)]
    Unbalanced(#[from] Unbalanced),
}
