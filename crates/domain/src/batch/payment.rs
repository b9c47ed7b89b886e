//! Payments of batches.

use super::{PaymentInput, PaymentState, PaymentStatus, PaymentTerms};
use crate::ids::{AccountId, PaymentBatchId, PaymentId};
use chrono::{DateTime, Utc};

/// A payment of a batch: its uploaded data and its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Its id. The bank uses the same id.
    pub id: PaymentId,
    /// The account it belongs to.
    pub account: AccountId,
    /// The batch it belongs to.
    pub batch: PaymentBatchId,
    /// Its row in the upload, from 0.
    pub index: u32,
    /// Its state, with its terms.
    pub state: PaymentState,
    /// The payment as uploaded.
    pub input: PaymentInput,
    /// When it was uploaded.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

impl Payment {
    /// Returns its status.
    pub const fn status(&self) -> PaymentStatus {
        self.state.status()
    }

    /// Returns its terms; `None` if the payment has an Error.
    pub const fn terms(&self) -> Option<&PaymentTerms> {
        self.state.terms()
    }
}

/// A change of all payments of a batch, as part of a change of the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkStatus {
    /// All payments become confirmed. A payment without terms stays created.
    Confirmed,
    /// All payments become cancelled.
    Cancelled,
}

impl BulkStatus {
    /// Returns the status of the payments with terms after the change.
    pub const fn status(self) -> PaymentStatus {
        match self {
            Self::Confirmed => PaymentStatus::Confirmed,
            Self::Cancelled => PaymentStatus::Cancelled,
        }
    }

    /// Applies the change to a payment of the batch. `at` is the time of the change of the batch.
    pub fn apply(self, payment: &mut Payment, at: DateTime<Utc>) {
        let terms = payment.state.terms().copied();
        payment.state = match (self, terms) {
            (Self::Confirmed, Some(terms)) => PaymentState::Confirmed(terms),
            (Self::Confirmed, None) => PaymentState::Created,
            (Self::Cancelled, terms) => PaymentState::Cancelled(terms),
        };
        payment.updated_at = at;
    }
}
