//! The statuses of a payment batch: the names of its states.

use std::fmt;

/// The status of a payment batch: the name of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaymentBatchStatus {
    /// Created; its payments are missing or have Errors.
    Draft,
    /// Its payments were checked and have no Errors.
    Validated,
    /// Confirmed; its money is reserved.
    Confirmed,
    /// Processing has started.
    Started,
    /// Every payment is final; at least one succeeded.
    Completed,
    /// Every payment is final; none succeeded.
    Failed,
    /// Cancelled before processing started; its reservation, if it had one, is released.
    Cancelled,
}

/// A transition that the current status does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot do this while the payment batch is {current}")]
pub struct IllegalBatchTransition {
    /// The current status, which does not change.
    pub current: PaymentBatchStatus,
}

impl PaymentBatchStatus {
    /// All statuses, in the order of a batch's life.
    pub const ALL: [Self; 7] =
        [Self::Draft, Self::Validated, Self::Confirmed, Self::Started, Self::Completed, Self::Failed, Self::Cancelled];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Validated => "validated",
            Self::Confirmed => "confirmed",
            Self::Started => "started",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for PaymentBatchStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
