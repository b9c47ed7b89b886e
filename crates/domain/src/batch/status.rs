//! The states of a payment batch, and its transitions.

use std::fmt;

/// The state of a payment batch.
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
    /// Cancelled before its start; its reservation is released.
    Cancelled,
}

/// A transition of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BatchMove {
    /// A client uploads payments, which are checked.
    Upload {
        /// Whether any alert is of type Error.
        has_errors: bool,
    },
    /// A client confirms it.
    Confirm,
    /// A client cancels it.
    Cancel,
    /// Processing starts.
    Start,
    /// The last payment becomes final.
    Finish {
        /// Whether at least one succeeded.
        any_succeeded: bool,
    },
}

/// A transition that the current status does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot do this while the payment batch is {current}")]
pub struct IllegalMove {
    /// The current status, which does not change.
    pub current: PaymentBatchStatus,
}

impl PaymentBatchStatus {
    /// All states, in the order of a batch's life.
    pub const ALL: [Self; 7] =
        [Self::Draft, Self::Validated, Self::Confirmed, Self::Started, Self::Completed, Self::Failed, Self::Cancelled];

    /// The name callers see.
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

    /// The transition table: returns the status after a transition, or a refusal.
    pub const fn after(self, step: BatchMove) -> Result<Self, IllegalMove> {
        use BatchMove::{Cancel, Confirm, Finish, Start, Upload};
        match (self, step) {
            (Self::Draft | Self::Validated, Upload { has_errors: true }) => Ok(Self::Draft),
            (Self::Draft | Self::Validated, Upload { has_errors: false }) => Ok(Self::Validated),
            (Self::Validated, Confirm) => Ok(Self::Confirmed),
            (Self::Draft | Self::Validated | Self::Confirmed, Cancel) => Ok(Self::Cancelled),
            (Self::Confirmed, Start) => Ok(Self::Started),
            (Self::Started, Finish { any_succeeded: true }) => Ok(Self::Completed),
            (Self::Started, Finish { any_succeeded: false }) => Ok(Self::Failed),
            (current, Upload { .. } | Confirm | Cancel | Start | Finish { .. }) => Err(IllegalMove { current }),
        }
    }
}

impl fmt::Display for PaymentBatchStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PaymentBatchStatus::{Cancelled, Completed, Confirmed, Draft, Failed, Started, Validated};

    #[test]
    fn every_transition_of_every_status() {
        let upload = |has_errors| BatchMove::Upload { has_errors };
        let finish = |any_succeeded| BatchMove::Finish { any_succeeded };
        let allowed = [
            (Draft, upload(false), Validated),
            (Draft, upload(true), Draft),
            (Validated, upload(true), Draft),
            (Validated, upload(false), Validated),
            (Validated, BatchMove::Confirm, Confirmed),
            (Draft, BatchMove::Cancel, Cancelled),
            (Validated, BatchMove::Cancel, Cancelled),
            (Confirmed, BatchMove::Cancel, Cancelled),
            (Confirmed, BatchMove::Start, Started),
            (Started, finish(true), Completed),
            (Started, finish(false), Failed),
        ];
        let moves = [
            upload(false),
            upload(true),
            BatchMove::Confirm,
            BatchMove::Cancel,
            BatchMove::Start,
            finish(true),
            finish(false),
        ];
        for from in PaymentBatchStatus::ALL {
            for step in moves {
                let expected = allowed.iter().find(|(state, m, _)| (*state, *m) == (from, step)).map(|(_, _, to)| *to);
                assert_eq!(from.after(step), expected.ok_or(IllegalMove { current: from }), "{from} {step:?}");
            }
        }
    }
}
