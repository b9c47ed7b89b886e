//! Payments and their states.

use super::{FailureReason, PaymentInput, PaymentNetwork};
use crate::ids::{AccountId, BudgetId, OrderId, PaymentBatchId, PaymentId};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};
use std::fmt;

/// A payment of a batch: what was typed, what it means, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Its id, which is also what the bank knows it by.
    pub id: PaymentId,
    /// The account it belongs to.
    pub account: AccountId,
    /// The batch it belongs to.
    pub batch: PaymentBatchId,
    /// Its place in the upload, from 0.
    pub index: u32,
    /// Where it stands.
    pub status: PaymentStatus,
    /// What it means; absent where an Error stands against it.
    pub terms: Option<PaymentTerms>,
    /// Why it failed or came back.
    pub failure: Option<FailureReason>,
    /// What was typed.
    pub input: PaymentInput,
    /// When it was uploaded.
    pub created_at: DateTime<Utc>,
    /// When it was changed last.
    pub updated_at: DateTime<Utc>,
    /// When it was handed over for sending.
    pub started_at: Option<DateTime<Utc>>,
    /// When the bank is to be asked (again) what became of it; absent where there is nothing more to be learnt.
    pub ask_at: Option<DateTime<Utc>>,
}

/// What a payment without Errors means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentTerms {
    /// The order it belongs to.
    pub order: OrderId,
    /// The budget that pays.
    pub budget: BudgetId,
    /// In which currency.
    pub currency: Currency,
    /// How much the recipient is sent, above zero.
    pub amount: Minor,
    /// What it costs beside that, zero or more, in the same currency.
    pub fee: Minor,
    /// How it travels.
    pub network: PaymentNetwork,
}

impl PaymentTerms {
    /// What it takes from its budget: amount and fee. `None` where that leaves 64 bits.
    pub fn cost(&self) -> Option<Minor> {
        self.amount.plus(self.fee)
    }
}

/// Where a payment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaymentStatus {
    /// Uploaded, and an Error stands against it.
    Created,
    /// Uploaded and checked.
    Validated,
    /// Its batch was confirmed, its money is reserved.
    Confirmed,
    /// Handed to the bank, or about to be.
    Started,
    /// Paid.
    Completed,
    /// Refused by the bank; its money can be spent again.
    Failed,
    /// Paid, and sent back by the recipient's bank; its amount can be spent again, its fee not.
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

    /// Whether its batch need not wait for it any more. A completed payment may still come back.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Returned | Self::Cancelled)
    }

    /// Whether the recipient's bank was paid, sent back later or not.
    pub const fn was_paid(self) -> bool {
        matches!(self, Self::Completed | Self::Returned)
    }
}

impl fmt::Display for PaymentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
