//! Payments and their states.

use super::{FailureReason, PaymentInput, PaymentNetwork};
use crate::ids::{AccountId, BudgetId, OrderId, PaymentBatchId, PaymentId};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};
use std::fmt;

/// A payment of a batch: its uploaded data, its terms and its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Its id; the bank uses the same one.
    pub id: PaymentId,
    /// The account it belongs to.
    pub account: AccountId,
    /// The batch it belongs to.
    pub batch: PaymentBatchId,
    /// Its row in the upload, from 0.
    pub index: u32,
    /// Its state.
    pub status: PaymentStatus,
    /// Its terms. `None` if it has an Error.
    pub terms: Option<PaymentTerms>,
    /// Why it failed or was returned.
    pub failure: Option<FailureReason>,
    /// The payment as uploaded.
    pub input: PaymentInput,
    /// When it was uploaded.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// When a worker marked it as started.
    pub started_at: Option<DateTime<Utc>>,
    /// When to query the bank next. `None` if the bank has nothing more to report.
    pub ask_at: Option<DateTime<Utc>>,
}

/// The terms of a payment without Errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentTerms {
    /// The order it belongs to.
    pub order: OrderId,
    /// The budget that pays.
    pub budget: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// The amount sent to the recipient, above zero.
    pub amount: Minor,
    /// The fee, zero or more, in the same currency.
    pub fee: Minor,
    /// Its payment network.
    pub network: PaymentNetwork,
}

impl PaymentTerms {
    /// Its cost to the budget: amount plus fee. `None` if it overflows 64 bits.
    pub fn cost(&self) -> Option<Minor> {
        self.amount.plus(self.fee)
    }
}

/// The status of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaymentStatus {
    /// Uploaded, with an Error.
    Created,
    /// Uploaded and checked.
    Validated,
    /// Its batch was confirmed and its money is reserved.
    Confirmed,
    /// Sent to the bank, or about to be.
    Started,
    /// Paid.
    Completed,
    /// Refused by the bank; its money is available again.
    Failed,
    /// Paid, then returned by the recipient's bank; its amount is available again, its fee is not.
    Returned,
    /// Its batch was cancelled.
    Cancelled,
}

impl PaymentStatus {
    /// All states, in the order of a payment's life.
    pub const ALL: [Self; 8] = [
        Self::Created,
        Self::Validated,
        Self::Confirmed,
        Self::Started,
        Self::Completed,
        Self::Failed,
        Self::Returned,
        Self::Cancelled,
    ];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Validated => "validated",
            Self::Confirmed => "confirmed",
            Self::Started => "started",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Returned => "returned",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the payment needs no further processing. A completed payment can still be returned.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Returned | Self::Cancelled)
    }

    /// Whether the recipient's bank was paid, even if it returned the payment later.
    pub const fn was_paid(self) -> bool {
        matches!(self, Self::Completed | Self::Returned)
    }
}

impl fmt::Display for PaymentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
