//! Payments of batches.

use super::{PaymentInput, PaymentState, PaymentStatus, PaymentTerms};
use crate::ids::{AccountId, PaymentBatchId, PaymentId};
use chrono::{DateTime, Utc};

/// A payment of a batch: its uploaded data and its progress.
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
    /// The name of its state.
    pub const fn status(&self) -> PaymentStatus {
        self.state.status()
    }

    /// Its terms; `None` if it has an Error.
    pub const fn terms(&self) -> Option<&PaymentTerms> {
        self.state.terms()
    }
}

/// A change of every payment of a batch, which happens with a change of the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllPayments {
    /// All are confirmed.
    Confirmed,
    /// All are cancelled.
    Cancelled,
}

impl AllPayments {
    /// The status of every payment after the change.
    pub const fn status(self) -> PaymentStatus {
        match self {
            Self::Confirmed => PaymentStatus::Confirmed,
            Self::Cancelled => PaymentStatus::Cancelled,
        }
    }

    /// Changes a payment of the batch, as of the batch's last change.
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
