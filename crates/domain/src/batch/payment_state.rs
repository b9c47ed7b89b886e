//! The state of a payment, with the data of each state.

use super::{FailureReason, PaymentStatus, PaymentTerms};
use chrono::{DateTime, TimeDelta, Utc};

/// The state of a payment, with the data that only this state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentState {
    /// Uploaded, with an Error.
    Created,
    /// Uploaded and checked, without an Error.
    Validated(PaymentTerms),
    /// Its batch was confirmed and its money is reserved.
    Confirmed(PaymentTerms),
    /// Sent to the bank, or about to be.
    Started {
        /// The sent terms, and the time of the start.
        sent: StartedTerms,
        /// When to query the bank next.
        ask_at: DateTime<Utc>,
    },
    /// Paid.
    Completed {
        /// The sent terms, and the time of the start.
        sent: StartedTerms,
        /// When to query the bank next. `None` if the bank has nothing more to report.
        ask_at: Option<DateTime<Utc>>,
    },
    /// Refused by the bank; its money is available again.
    Failed {
        /// The sent terms, and the time of the start.
        sent: StartedTerms,
        /// The reason that the bank gave.
        reason: FailureReason,
    },
    /// Paid, then returned by the recipient's bank; its amount is available again, its fee is not.
    Returned {
        /// The sent terms, and the time of the start.
        sent: StartedTerms,
        /// The reason that the recipient's bank gave.
        reason: FailureReason,
    },
    /// Its batch was cancelled. The terms are `None` if the payment had an Error.
    Cancelled(Option<PaymentTerms>),
}

/// A payment that a worker marked as started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartedTerms {
    /// The terms of the payment.
    pub terms: PaymentTerms,
    /// When the worker marked it.
    pub started_at: DateTime<Utc>,
}

/// The data of a payment's state in addition to its status, as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaymentParts {
    /// Its terms.
    pub terms: Option<PaymentTerms>,
    /// The reason for the failure or return.
    pub failure: Option<FailureReason>,
    /// When a worker marked it as started.
    pub started_at: Option<DateTime<Utc>>,
    /// When to query the bank next.
    pub ask_at: Option<DateTime<Utc>>,
}

impl PaymentState {
    /// Creates a state from its status and data. `None` if they contradict each other.
    pub fn from_parts(status: PaymentStatus, parts: PaymentParts) -> Option<Self> {
        let PaymentParts { terms, failure, started_at, ask_at } = parts;
        let sent = || Some(StartedTerms { terms: terms?, started_at: started_at? });
        let state = match status {
            PaymentStatus::Created => Self::Created,
            PaymentStatus::Validated => Self::Validated(terms?),
            PaymentStatus::Confirmed => Self::Confirmed(terms?),
            PaymentStatus::Started => Self::Started { sent: sent()?, ask_at: ask_at? },
            PaymentStatus::Completed => Self::Completed { sent: sent()?, ask_at },
            PaymentStatus::Failed => Self::Failed { sent: sent()?, reason: failure? },
            PaymentStatus::Returned => Self::Returned { sent: sent()?, reason: failure? },
            PaymentStatus::Cancelled => Self::Cancelled(terms),
        };
        // Parts that do not belong to the status contradict it.
        (state.parts() == parts).then_some(state)
    }

    /// Returns the data of the state in addition to its status.
    pub const fn parts(&self) -> PaymentParts {
        PaymentParts {
            terms: self.terms().copied(),
            failure: self.failure(),
            started_at: self.started_at(),
            ask_at: self.ask_at(),
        }
    }

    /// Returns the status.
    pub const fn status(&self) -> PaymentStatus {
        match self {
            Self::Created => PaymentStatus::Created,
            Self::Validated(_) => PaymentStatus::Validated,
            Self::Confirmed(_) => PaymentStatus::Confirmed,
            Self::Started { .. } => PaymentStatus::Started,
            Self::Completed { .. } => PaymentStatus::Completed,
            Self::Failed { .. } => PaymentStatus::Failed,
            Self::Returned { .. } => PaymentStatus::Returned,
            Self::Cancelled(_) => PaymentStatus::Cancelled,
        }
    }

    /// Returns the terms; `None` if the payment has an Error.
    pub const fn terms(&self) -> Option<&PaymentTerms> {
        match self {
            Self::Created => None,
            Self::Validated(terms) | Self::Confirmed(terms) => Some(terms),
            Self::Started { sent, .. }
            | Self::Completed { sent, .. }
            | Self::Failed { sent, .. }
            | Self::Returned { sent, .. } => Some(&sent.terms),
            Self::Cancelled(terms) => terms.as_ref(),
        }
    }

    /// Returns the reason for the failure or return; `None` in other states.
    pub const fn failure(&self) -> Option<FailureReason> {
        match self {
            Self::Failed { reason, .. } | Self::Returned { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// Returns when to query the bank next; `None` if no query is due.
    pub const fn ask_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Started { ask_at, .. } => Some(*ask_at),
            Self::Completed { ask_at, .. } => *ask_at,
            _ => None,
        }
    }

    /// Returns the state with the next query of the bank postponed by this time.
    #[must_use]
    pub fn asked_later(self, by: TimeDelta) -> Self {
        match self {
            Self::Started { sent, ask_at } => Self::Started { sent, ask_at: ask_at + by },
            Self::Completed { sent, ask_at } => Self::Completed { sent, ask_at: ask_at.map(|at| at + by) },
            other => other,
        }
    }

    const fn started_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Started { sent, .. }
            | Self::Completed { sent, .. }
            | Self::Failed { sent, .. }
            | Self::Returned { sent, .. } => Some(sent.started_at),
            Self::Created | Self::Validated(_) | Self::Confirmed(_) | Self::Cancelled(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{BudgetId, OrderId};
    use crate::money::{Currency, Minor};
    use uuid::Uuid;

    #[test]
    fn a_state_has_exactly_its_parts() {
        let terms = PaymentTerms {
            order: OrderId(Uuid::from_u128(1)),
            budget: BudgetId(Uuid::from_u128(2)),
            currency: Currency::parse("GBP").unwrap(),
            amount: Minor(100),
            fee: Minor(0),
            network: crate::batch::PaymentNetwork::ALL[0],
        };
        let (at, reason) = (DateTime::UNIX_EPOCH, FailureReason::AccountClosed);
        let mut possible = Vec::new();
        for status in PaymentStatus::ALL {
            for bits in 0..16_u8 {
                let has = |bit: u8| bits & bit != 0;
                let parts = PaymentParts {
                    terms: has(1).then_some(terms),
                    failure: has(2).then_some(reason),
                    started_at: has(4).then_some(at),
                    ask_at: has(8).then_some(at),
                };
                if let Some(state) = PaymentState::from_parts(status, parts) {
                    assert_eq!((state.status(), state.parts()), (status, parts));
                    possible.push((status.as_str(), bits));
                }
            }
        }
        let expected = [
            ("created", 0),
            ("validated", 1),
            ("confirmed", 1),
            ("started", 1 + 4 + 8),
            ("completed", 1 + 4),
            ("completed", 1 + 4 + 8),
            ("failed", 1 + 2 + 4),
            ("returned", 1 + 2 + 4),
            ("cancelled", 0),
            ("cancelled", 1),
        ];
        assert_eq!(possible, expected);
    }
}
