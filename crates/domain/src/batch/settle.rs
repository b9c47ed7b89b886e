//! What a bank reports of payments: money moves, and the batch ends with its last payment.

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
    /// Whether any payment of the batch was paid, sent back later or not.
    pub any_paid: bool,
    /// What the funding budgets of the orders hold, per currency.
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

/// What is to be stored, whole or not at all. Empty where the reports tell nothing new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettleDecision {
    /// The batch, where it changed.
    pub batch: Option<PaymentBatch>,
    /// The payments that changed: status, failure, times.
    pub payments: Vec<Payment>,
    /// What moved.
    pub journal: Vec<JournalTransaction>,
    /// The balances that changed.
    pub balances: BatchBalances,
    /// What happened.
    pub events: Vec<Event>,
}

/// Why reports are refused. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettleRefusal {
    /// A balance would leave 64 bits, or less is reserved than is paid.
    #[error(transparent)]
    AmountOverflow(#[from] AmountOverflow),
    /// A rule made postings that do not balance: a bug.
    #[error(transparent)]
    Unbalanced(#[from] Unbalanced),
}
