//! The statuses of a payment: the names of its states.

use std::fmt;

/// The status of a payment: the name of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaymentStatus {
    /// Uploaded, with an Error.
    Created,
    /// Uploaded and checked, without an Error.
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
    /// All statuses, in the order of a payment's life.
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

    /// Returns the name in the API.
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

    /// Returns whether the payment needs no further processing. A completed payment can still be returned.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Returned | Self::Cancelled)
    }
}

impl fmt::Display for PaymentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
