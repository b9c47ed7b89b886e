//! The state of a payment batch, its transitions, and the data of each state.

use super::{IllegalBatchTransition, PaymentBatchStatus};
use crate::ids::ClientId;
use chrono::{DateTime, Utc};

/// The state of a payment batch, with the data that only this state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState {
    /// Created; its payments are missing or have Errors.
    Draft,
    /// Its payments were checked and have no Errors.
    Validated,
    /// Confirmed; its money is reserved.
    Confirmed(Confirmation),
    /// Processing has started.
    Started(Processing),
    /// Every payment is final; at least one succeeded.
    Completed(Processing),
    /// Every payment is final; none succeeded.
    Failed(Processing),
    /// Cancelled before processing started. If the batch was confirmed before, its reservation was released.
    Cancelled(Option<Confirmation>),
}

/// The confirmation of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// The API client that confirmed the batch. `None`: an early version of Florin stored the batch.
    pub by: Option<ClientId>,
    /// When the client confirmed the batch.
    pub at: DateTime<Utc>,
    /// When the client passed multi-factor authentication. `None`: the confirmation did not use it.
    pub passed_mfa_check_at: Option<DateTime<Utc>>,
}

/// The processing of a confirmed batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processing {
    /// Its confirmation.
    pub confirmation: Confirmation,
    /// When processing started. `None`: an early version of Florin stored the batch.
    pub orders_sent_at: Option<DateTime<Utc>>,
}

/// A transition of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchTransition {
    /// A client uploads payments, and the rule checks them.
    Upload {
        /// Whether any alert is an Error.
        has_errors: bool,
    },
    /// A client confirms the batch.
    Confirm(Confirmation),
    /// A client cancels the batch.
    Cancel,
    /// Processing starts.
    Start {
        /// The time of the start.
        at: DateTime<Utc>,
    },
    /// The last payment becomes final.
    Finish {
        /// Whether at least one payment succeeded.
        any_succeeded: bool,
    },
}

impl BatchState {
    /// Creates a state from its status and data. `None` if they contradict each other.
    pub const fn from_parts(
        status: PaymentBatchStatus,
        confirmation: Option<Confirmation>,
        orders_sent_at: Option<DateTime<Utc>>,
    ) -> Option<Self> {
        Some(match (status, confirmation, orders_sent_at) {
            (PaymentBatchStatus::Draft, None, None) => Self::Draft,
            (PaymentBatchStatus::Validated, None, None) => Self::Validated,
            (PaymentBatchStatus::Confirmed, Some(confirmation), None) => Self::Confirmed(confirmation),
            (PaymentBatchStatus::Started, Some(confirmation), orders_sent_at) => {
                Self::Started(Processing { confirmation, orders_sent_at })
            }
            (PaymentBatchStatus::Completed, Some(confirmation), orders_sent_at) => {
                Self::Completed(Processing { confirmation, orders_sent_at })
            }
            (PaymentBatchStatus::Failed, Some(confirmation), orders_sent_at) => {
                Self::Failed(Processing { confirmation, orders_sent_at })
            }
            (PaymentBatchStatus::Cancelled, confirmation, None) => Self::Cancelled(confirmation),
            _ => return None,
        })
    }

    /// Returns the status.
    pub const fn status(&self) -> PaymentBatchStatus {
        match self {
            Self::Draft => PaymentBatchStatus::Draft,
            Self::Validated => PaymentBatchStatus::Validated,
            Self::Confirmed(_) => PaymentBatchStatus::Confirmed,
            Self::Started(_) => PaymentBatchStatus::Started,
            Self::Completed(_) => PaymentBatchStatus::Completed,
            Self::Failed(_) => PaymentBatchStatus::Failed,
            Self::Cancelled(_) => PaymentBatchStatus::Cancelled,
        }
    }

    /// Returns the confirmation. `None` if the batch was never confirmed.
    pub const fn confirmation(&self) -> Option<Confirmation> {
        match *self {
            Self::Draft | Self::Validated => None,
            Self::Confirmed(confirmation) => Some(confirmation),
            Self::Started(processing) | Self::Completed(processing) | Self::Failed(processing) => {
                Some(processing.confirmation)
            }
            Self::Cancelled(confirmation) => confirmation,
        }
    }

    /// Returns the time at which processing started. `None` if it has not started, or the time is unknown.
    pub const fn orders_sent_at(&self) -> Option<DateTime<Utc>> {
        match *self {
            Self::Started(processing) | Self::Completed(processing) | Self::Failed(processing) => {
                processing.orders_sent_at
            }
            Self::Draft | Self::Validated | Self::Confirmed(_) | Self::Cancelled(_) => None,
        }
    }

    /// The transition table: returns the state after a transition, or a refusal.
    pub const fn after(self, transition: BatchTransition) -> Result<Self, IllegalBatchTransition> {
        use BatchTransition::{Cancel, Confirm, Finish, Start, Upload};
        match (self, transition) {
            (Self::Draft | Self::Validated, Upload { has_errors: true }) => Ok(Self::Draft),
            (Self::Draft | Self::Validated, Upload { has_errors: false }) => Ok(Self::Validated),
            (Self::Validated, Confirm(confirmation)) => Ok(Self::Confirmed(confirmation)),
            (Self::Draft | Self::Validated, Cancel) => Ok(Self::Cancelled(None)),
            (Self::Confirmed(confirmation), Cancel) => Ok(Self::Cancelled(Some(confirmation))),
            (Self::Confirmed(confirmation), Start { at }) => {
                Ok(Self::Started(Processing { confirmation, orders_sent_at: Some(at) }))
            }
            (Self::Started(processing), Finish { any_succeeded: true }) => Ok(Self::Completed(processing)),
            (Self::Started(processing), Finish { any_succeeded: false }) => Ok(Self::Failed(processing)),
            (current, Upload { .. } | Confirm(_) | Cancel | Start { .. } | Finish { .. }) => {
                Err(IllegalBatchTransition { current: current.status() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BatchState::{Cancelled, Completed, Confirmed, Draft, Failed, Started, Validated};
    use uuid::Uuid;

    const CONFIRMATION: Confirmation =
        Confirmation { by: Some(ClientId(Uuid::from_u128(1))), at: DateTime::UNIX_EPOCH, passed_mfa_check_at: None };
    const AT: DateTime<Utc> = DateTime::<Utc>::MAX_UTC;
    const PROCESSING: Processing = Processing { confirmation: CONFIRMATION, orders_sent_at: Some(AT) };

    const STATES: [BatchState; 8] = [
        Draft,
        Validated,
        Confirmed(CONFIRMATION),
        Started(PROCESSING),
        Completed(PROCESSING),
        Failed(PROCESSING),
        Cancelled(None),
        Cancelled(Some(CONFIRMATION)),
    ];

    #[test]
    fn every_transition_from_every_state() {
        let upload = |has_errors| BatchTransition::Upload { has_errors };
        let finish = |any_succeeded| BatchTransition::Finish { any_succeeded };
        let (confirm, start) = (BatchTransition::Confirm(CONFIRMATION), BatchTransition::Start { at: AT });
        let allowed = [
            (Draft, upload(false), Validated),
            (Draft, upload(true), Draft),
            (Validated, upload(true), Draft),
            (Validated, upload(false), Validated),
            (Validated, confirm, Confirmed(CONFIRMATION)),
            (Draft, BatchTransition::Cancel, Cancelled(None)),
            (Validated, BatchTransition::Cancel, Cancelled(None)),
            (Confirmed(CONFIRMATION), BatchTransition::Cancel, Cancelled(Some(CONFIRMATION))),
            (Confirmed(CONFIRMATION), start, Started(PROCESSING)),
            (Started(PROCESSING), finish(true), Completed(PROCESSING)),
            (Started(PROCESSING), finish(false), Failed(PROCESSING)),
        ];
        let transitions =
            [upload(false), upload(true), confirm, BatchTransition::Cancel, start, finish(true), finish(false)];
        for from in STATES {
            for transition in transitions {
                let expected =
                    allowed.iter().find(|(state, by, _)| (*state, *by) == (from, transition)).map(|(_, _, to)| *to);
                let refused = IllegalBatchTransition { current: from.status() };
                assert_eq!(from.after(transition), expected.ok_or(refused), "{from:?} {transition:?}");
            }
        }
    }

    #[test]
    fn a_state_can_be_restored_from_its_parts() {
        for state in STATES {
            let parts = (state.status(), state.confirmation(), state.orders_sent_at());
            assert_eq!(BatchState::from_parts(parts.0, parts.1, parts.2), Some(state));
        }
        for status in PaymentBatchStatus::ALL {
            for confirmation in [None, Some(CONFIRMATION)] {
                for sent_at in [None, Some(AT)] {
                    let Some(state) = BatchState::from_parts(status, confirmation, sent_at) else { continue };
                    assert_eq!(
                        (state.status(), state.confirmation(), state.orders_sent_at()),
                        (status, confirmation, sent_at)
                    );
                }
            }
        }
        let contradictions = [
            (PaymentBatchStatus::Draft, Some(CONFIRMATION), None),
            (PaymentBatchStatus::Validated, None, Some(AT)),
            (PaymentBatchStatus::Confirmed, None, None),
            (PaymentBatchStatus::Confirmed, Some(CONFIRMATION), Some(AT)),
            (PaymentBatchStatus::Completed, None, Some(AT)),
            (PaymentBatchStatus::Cancelled, Some(CONFIRMATION), Some(AT)),
        ];
        for (status, confirmation, sent_at) in contradictions {
            assert_eq!(BatchState::from_parts(status, confirmation, sent_at), None, "{status}");
        }
    }
}
