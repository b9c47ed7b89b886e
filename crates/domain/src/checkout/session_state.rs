//! The state of a session, with the data of each state.

use super::{PurposeKind, SessionStatus};
use crate::ids::{MerchantOrderId, MerchantPaymentId};
use chrono::{DateTime, Utc};

/// The state of a session, with the data that only this state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// The payer can pay.
    Open {
        /// Whether the payer has sent a form of the page.
        has_begun: bool,
    },
    /// The payer approved a payment, and the bank has not confirmed it.
    Processing {
        /// When the bank's report is due, or the bank must be asked again.
        due_at: DateTime<Utc>,
    },
    /// The bank confirmed the payment.
    Completed {
        /// The payment that completed the session.
        payment: MerchantPaymentId,
        /// The order of a SHOPPING session. `None`: other sessions have no order.
        order: Option<MerchantOrderId>,
        /// When the payment was confirmed, according to the bank's report.
        completed_at: DateTime<Utc>,
    },
    /// The merchant or the payer cancelled the session.
    Cancelled {
        /// Whether the payer had sent a form of the page.
        has_begun: bool,
    },
    /// The session expired after the payer had begun.
    Abandoned,
    /// The session expired before the payer began.
    Expired,
}

/// The data of a session's state in addition to its status, as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionParts {
    /// Whether the payer has sent a form of the page.
    pub has_begun: bool,
    /// When something is due: the session expires, the bank reports, or the bank must be asked. `None`: nothing is due.
    pub due_at: Option<DateTime<Utc>>,
    /// The payment that completed the session.
    pub payment: Option<MerchantPaymentId>,
    /// The order of a completed SHOPPING session.
    pub order: Option<MerchantOrderId>,
    /// When the session was completed.
    pub completed_at: Option<DateTime<Utc>>,
}

impl SessionState {
    /// Creates the state of a session with a purpose and an expiry from its status and data. `None` if they contradict
    /// each other.
    pub fn from_parts(
        purpose: PurposeKind,
        expires_at: DateTime<Utc>,
        status: SessionStatus,
        parts: SessionParts,
    ) -> Option<Self> {
        let SessionParts { has_begun, due_at, payment, order, completed_at } = parts;
        let state = match status {
            SessionStatus::Open => Self::Open { has_begun },
            SessionStatus::Processing => Self::Processing { due_at: due_at? },
            SessionStatus::Completed => Self::Completed { payment: payment?, order, completed_at: completed_at? },
            SessionStatus::Cancelled => Self::Cancelled { has_begun },
            SessionStatus::Abandoned => Self::Abandoned,
            SessionStatus::Expired => Self::Expired,
        };
        // A completed SHOPPING session has an order, and no other session has one.
        let needs_order = status == SessionStatus::Completed && purpose == PurposeKind::Shopping;
        // Parts that do not belong to the status contradict it.
        (order.is_some() == needs_order && state.parts(expires_at) == parts).then_some(state)
    }

    /// Returns the data of the state in addition to its status. `expires_at` is the expiry of the session.
    pub const fn parts(&self, expires_at: DateTime<Utc>) -> SessionParts {
        SessionParts {
            has_begun: self.has_begun(),
            due_at: self.due_at(expires_at),
            payment: self.payment(),
            order: self.order(),
            completed_at: self.completed_at(),
        }
    }

    /// Returns the state with a status that a session can get without a completed payment. `None`: PROCESSING and
    /// COMPLETED, which need more data.
    pub(super) const fn without_payment(status: SessionStatus, has_begun: bool) -> Option<Self> {
        match status {
            SessionStatus::Open => Some(Self::Open { has_begun }),
            SessionStatus::Cancelled => Some(Self::Cancelled { has_begun }),
            SessionStatus::Abandoned => Some(Self::Abandoned),
            SessionStatus::Expired => Some(Self::Expired),
            SessionStatus::Processing | SessionStatus::Completed => None,
        }
    }

    /// Returns the status.
    pub const fn status(&self) -> SessionStatus {
        match self {
            Self::Open { .. } => SessionStatus::Open,
            Self::Processing { .. } => SessionStatus::Processing,
            Self::Completed { .. } => SessionStatus::Completed,
            Self::Cancelled { .. } => SessionStatus::Cancelled,
            Self::Abandoned => SessionStatus::Abandoned,
            Self::Expired => SessionStatus::Expired,
        }
    }

    /// Returns whether the payer has sent a form of the page. Nobody can pay without one.
    pub const fn has_begun(&self) -> bool {
        match *self {
            Self::Open { has_begun } | Self::Cancelled { has_begun } => has_begun,
            Self::Processing { .. } | Self::Completed { .. } | Self::Abandoned => true,
            Self::Expired => false,
        }
    }

    /// Returns when something is due on a session with this expiry. `None`: nothing is due.
    pub(super) const fn due_at(&self, expires_at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match *self {
            Self::Open { .. } => Some(expires_at),
            Self::Processing { due_at } => Some(due_at),
            Self::Completed { .. } | Self::Cancelled { .. } | Self::Abandoned | Self::Expired => None,
        }
    }

    /// Returns the payment that completed the session. `None`: the session is not completed.
    pub const fn payment(&self) -> Option<MerchantPaymentId> {
        match *self {
            Self::Completed { payment, .. } => Some(payment),
            _ => None,
        }
    }

    /// Returns the order of a completed SHOPPING session. `None`: the session has no order.
    pub const fn order(&self) -> Option<MerchantOrderId> {
        match *self {
            Self::Completed { order, .. } => order,
            _ => None,
        }
    }

    /// Returns when the session was completed. `None`: it is not completed.
    pub const fn completed_at(&self) -> Option<DateTime<Utc>> {
        match *self {
            Self::Completed { completed_at, .. } => Some(completed_at),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SessionState::{Abandoned, Cancelled, Completed, Expired, Open, Processing};
    use uuid::Uuid;

    const EXPIRY: DateTime<Utc> = DateTime::UNIX_EPOCH;
    const LATER: DateTime<Utc> = DateTime::<Utc>::MAX_UTC;
    const PAYMENT: MerchantPaymentId = MerchantPaymentId(Uuid::nil());
    const ORDER: MerchantOrderId = MerchantOrderId(Uuid::nil());

    const STATES: [SessionState; 9] = [
        Open { has_begun: false },
        Open { has_begun: true },
        Processing { due_at: LATER },
        Completed { payment: PAYMENT, order: None, completed_at: LATER },
        Completed { payment: PAYMENT, order: Some(ORDER), completed_at: LATER },
        Cancelled { has_begun: false },
        Cancelled { has_begun: true },
        Abandoned,
        Expired,
    ];

    #[test]
    fn a_state_has_exactly_its_parts() {
        for (purpose, state) in PurposeKind::ALL.into_iter().flat_map(|purpose| STATES.map(|state| (purpose, state))) {
            let again = SessionState::from_parts(purpose, EXPIRY, state.status(), state.parts(EXPIRY));
            let is_shopping = purpose == PurposeKind::Shopping;
            let is_impossible = matches!(state, Completed { order, .. } if order.is_some() != is_shopping);
            assert_eq!(again, (!is_impossible).then_some(state), "{purpose:?} {state:?}");
        }
    }

    #[test]
    fn the_state_determines_whether_the_payer_has_begun_and_what_is_due() {
        let stored = STATES.map(|state| (state.parts(EXPIRY).has_begun, state.parts(EXPIRY).due_at));
        let expected = [
            (false, Some(EXPIRY)),
            (true, Some(EXPIRY)),
            (true, Some(LATER)),
            (true, None),
            (true, None),
            (false, None),
            (true, None),
            (true, None),
            (false, None),
        ];
        assert_eq!(stored, expected);
    }

    /// Every combination of a status and parts either is a state with exactly these parts, or is refused.
    #[test]
    fn parts_that_contradict_the_status_are_refused() {
        let times = [None, Some(EXPIRY), Some(LATER)];
        let paid = [(None, None), (Some(PAYMENT), None), (None, Some(ORDER)), (Some(PAYMENT), Some(ORDER))];
        let mut accepted = 0;
        for (purpose, status) in PurposeKind::ALL.into_iter().flat_map(|of| SessionStatus::ALL.map(|to| (of, to))) {
            for (has_begun, due_at) in [false, true].into_iter().flat_map(|begun| times.map(|due| (begun, due))) {
                for (payment, order) in paid {
                    for completed_at in times {
                        let parts = SessionParts { has_begun, due_at, payment, order, completed_at };
                        let Some(state) = SessionState::from_parts(purpose, EXPIRY, status, parts) else { continue };
                        assert_eq!((state.status(), state.parts(EXPIRY)), (status, parts));
                        accepted += 1;
                    }
                }
            }
        }
        // For each purpose: OPEN and CANCELLED with and without `has_begun`, PROCESSING and COMPLETED with two times,
        // ABANDONED and EXPIRED.
        assert_eq!(accepted, 3 * (2 + 2 + 2 + 2 + 1 + 1));
    }

    #[test]
    fn combinations_that_no_rule_produces_are_refused() {
        let begun = SessionParts { has_begun: true, ..SessionParts::default() };
        let open = SessionParts { due_at: Some(EXPIRY), ..SessionParts::default() };
        let processing = SessionParts { due_at: Some(LATER), ..begun };
        let completed = SessionParts { payment: Some(PAYMENT), order: Some(ORDER), completed_at: Some(LATER), ..begun };
        for (status, parts) in [
            (SessionStatus::Open, SessionParts { due_at: None, ..open }),
            (SessionStatus::Open, SessionParts { due_at: Some(LATER), ..open }),
            (SessionStatus::Open, SessionParts { payment: Some(PAYMENT), ..open }),
            (SessionStatus::Processing, SessionParts { due_at: None, ..processing }),
            (SessionStatus::Processing, SessionParts { has_begun: false, ..processing }),
            (SessionStatus::Completed, SessionParts { payment: None, ..completed }),
            (SessionStatus::Completed, SessionParts { order: None, ..completed }),
            (SessionStatus::Completed, SessionParts { completed_at: None, ..completed }),
            (SessionStatus::Completed, SessionParts { has_begun: false, ..completed }),
            (SessionStatus::Completed, SessionParts { due_at: Some(EXPIRY), ..completed }),
            (SessionStatus::Cancelled, completed),
            (SessionStatus::Abandoned, SessionParts { has_begun: false, ..begun }),
            (SessionStatus::Expired, begun),
        ] {
            let state = SessionState::from_parts(PurposeKind::Shopping, EXPIRY, status, parts);
            assert_eq!(state, None, "{status:?} {parts:?}");
        }
        let top_up = SessionState::from_parts(PurposeKind::Budget, EXPIRY, SessionStatus::Completed, completed);
        assert_eq!(top_up, None, "a top-up has no order");
    }
}
