//! The state of a payment or refund of a merchant, with the data of each state.

use super::{
    BankAnswer, BankReport, BankReportResult, MerchantPaymentKind, MerchantPaymentStatus, PaymentFailure, RefundStatus,
};
use chrono::{DateTime, Utc};

/// The state of a payment or refund, with the data that only this state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MerchantPaymentState {
    /// A refund that the merchant must authorise at its bank.
    AwaitingAuthorisation,
    /// The bank has the payment or refund, and it is not final.
    Pending {
        /// When it was sent to the bank.
        initiated_at: DateTime<Utc>,
        /// The bank's answer after the approval. `None`: a payment without a report. The time to ask again about a
        /// payment is [`due_at`](super::CheckoutSession::due_at) of its session.
        answer: Option<BankAnswer>,
    },
    /// The money moved.
    Completed {
        /// When it was sent to the bank.
        initiated_at: DateTime<Utc>,
        /// When the money moved, according to the bank's report.
        completed_at: DateTime<Utc>,
    },
    /// The bank did not move the money.
    Failed {
        /// When it was sent to the bank.
        initiated_at: DateTime<Utc>,
        /// The reason for the failure.
        reason: PaymentFailure,
        /// The time of the bank's report. `None`: the payer rejected the payment, so that there was nothing to report.
        reported_at: Option<DateTime<Utc>>,
    },
    /// The payment or refund was given up before anybody approved it.
    Cancelled {
        /// When it was sent to the bank. `None`: a refund that nobody authorised.
        initiated_at: Option<DateTime<Utc>>,
    },
}

/// The data of a payment's or refund's state in addition to its status, as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MerchantPaymentParts {
    /// When it was sent to the bank.
    pub initiated_at: Option<DateTime<Utc>>,
    /// The result that the bank reported after the approval.
    pub report: Option<BankReport>,
    /// When to ask the bank again about an authorised refund without a result.
    pub ask_again_at: Option<DateTime<Utc>>,
    /// The reason for the failure.
    pub failure: Option<PaymentFailure>,
    /// When the money moved.
    pub completed_at: Option<DateTime<Utc>>,
}

impl MerchantPaymentState {
    /// Creates the state of a payment or refund from its status and data. `None` if they contradict each other.
    pub fn from_parts(
        kind: MerchantPaymentKind,
        status: MerchantPaymentStatus,
        parts: MerchantPaymentParts,
    ) -> Option<Self> {
        let MerchantPaymentParts { initiated_at, report, ask_again_at, failure, completed_at } = parts;
        let state = match (status, initiated_at) {
            (MerchantPaymentStatus::Pending, None) => Self::AwaitingAuthorisation,
            (MerchantPaymentStatus::Pending, Some(initiated_at)) => {
                let answer = report.map(BankAnswer::Report).or(ask_again_at.map(BankAnswer::AskAgain));
                Self::Pending { initiated_at, answer }
            }
            (MerchantPaymentStatus::Completed, _) => {
                Self::Completed { initiated_at: initiated_at?, completed_at: completed_at? }
            }
            (MerchantPaymentStatus::Failed, _) => Self::Failed {
                initiated_at: initiated_at?,
                reason: failure?,
                reported_at: report.map(|report| report.at),
            },
            (MerchantPaymentStatus::Cancelled, _) => Self::Cancelled { initiated_at },
        };
        let is_of_kind = kind == MerchantPaymentKind::Refund || initiated_at.is_some();
        // Parts that do not belong to the status contradict it.
        (is_of_kind && state.parts() == parts).then_some(state)
    }

    /// Returns the data of the state in addition to its status.
    pub fn parts(&self) -> MerchantPaymentParts {
        MerchantPaymentParts {
            initiated_at: self.initiated_at(),
            report: self.report(),
            ask_again_at: self.ask_again_at(),
            failure: self.failure(),
            completed_at: self.completed_at(),
        }
    }

    /// Returns the status.
    pub const fn status(&self) -> MerchantPaymentStatus {
        match self {
            Self::AwaitingAuthorisation | Self::Pending { .. } => MerchantPaymentStatus::Pending,
            Self::Completed { .. } => MerchantPaymentStatus::Completed,
            Self::Failed { .. } => MerchantPaymentStatus::Failed,
            Self::Cancelled { .. } => MerchantPaymentStatus::Cancelled,
        }
    }

    /// Returns the status of a refund in this state.
    pub const fn refund_status(&self) -> RefundStatus {
        self.status().of_refund(self.initiated_at().is_some())
    }

    /// Returns when it was sent to the bank. `None`: a refund that nobody has authorised.
    pub const fn initiated_at(&self) -> Option<DateTime<Utc>> {
        match *self {
            Self::AwaitingAuthorisation => None,
            Self::Pending { initiated_at, .. }
            | Self::Completed { initiated_at, .. }
            | Self::Failed { initiated_at, .. } => Some(initiated_at),
            Self::Cancelled { initiated_at } => initiated_at,
        }
    }

    /// Returns the result that the bank reported after the approval. `None`: there is none.
    pub fn report(&self) -> Option<BankReport> {
        match *self {
            Self::Pending { answer: Some(BankAnswer::Report(report)), .. } => Some(report),
            Self::Completed { completed_at, .. } => {
                Some(BankReport { at: completed_at, result: BankReportResult::Confirmed })
            }
            Self::Failed { reason, reported_at, .. } => {
                reported_at.map(|at| BankReport { at, result: BankReportResult::Failed(reason) })
            }
            Self::AwaitingAuthorisation | Self::Pending { .. } | Self::Cancelled { .. } => None,
        }
    }

    /// Returns the reason for the failure. `None`: it did not fail.
    pub const fn failure(&self) -> Option<PaymentFailure> {
        match self {
            Self::Failed { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// Returns when the money moved. `None`: it has not moved.
    pub const fn completed_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Completed { completed_at, .. } => Some(*completed_at),
            _ => None,
        }
    }

    const fn ask_again_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Pending { answer: Some(BankAnswer::AskAgain(at)), .. } => Some(*at),
            _ => None,
        }
    }

    /// Returns the state after an answer of the bank that is not due yet. Any state other than `Pending` stays
    /// unchanged.
    pub(super) const fn answered(self, answer: BankAnswer) -> Self {
        match self {
            Self::Pending { initiated_at, .. } => Self::Pending { initiated_at, answer: Some(answer) },
            other => other,
        }
    }

    /// Returns the final state after a report of the bank that is due. Any state other than `Pending` stays unchanged.
    pub(super) const fn reported(self, report: BankReport) -> Self {
        match (self, report.result) {
            (Self::Pending { initiated_at, .. }, BankReportResult::Confirmed) => {
                Self::Completed { initiated_at, completed_at: report.at }
            }
            (Self::Pending { initiated_at, .. }, BankReportResult::Failed(reason)) => {
                Self::Failed { initiated_at, reason, reported_at: Some(report.at) }
            }
            (other, _) => other,
        }
    }

    /// Returns the final state after the payer rejected the payment. Any state other than `Pending` stays unchanged.
    pub(super) const fn rejected(self) -> Self {
        match self {
            Self::Pending { initiated_at, .. } => {
                Self::Failed { initiated_at, reason: PaymentFailure::RejectedByBank, reported_at: None }
            }
            other => other,
        }
    }

    /// Returns the final state after the payment or refund was given up. A final state does not change.
    pub(super) const fn cancelled(self) -> Self {
        match self {
            Self::AwaitingAuthorisation | Self::Pending { .. } => Self::Cancelled { initiated_at: self.initiated_at() },
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MerchantPaymentKind::{Payment, Refund};
    use MerchantPaymentState::{AwaitingAuthorisation, Cancelled, Completed, Failed, Pending};

    const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;
    const LATER: DateTime<Utc> = DateTime::<Utc>::MAX_UTC;
    const CONFIRMED: BankReport = BankReport { at: LATER, result: BankReportResult::Confirmed };
    const TIMED_OUT: BankReport = BankReport { at: LATER, result: BankReportResult::Failed(PaymentFailure::TimedOut) };

    const STATES: [MerchantPaymentState; 10] = [
        AwaitingAuthorisation,
        Cancelled { initiated_at: None },
        Pending { initiated_at: AT, answer: None },
        Pending { initiated_at: AT, answer: Some(BankAnswer::AskAgain(LATER)) },
        Pending { initiated_at: AT, answer: Some(BankAnswer::Report(CONFIRMED)) },
        Pending { initiated_at: AT, answer: Some(BankAnswer::Report(TIMED_OUT)) },
        Completed { initiated_at: AT, completed_at: LATER },
        Failed { initiated_at: AT, reason: PaymentFailure::TimedOut, reported_at: Some(LATER) },
        Failed { initiated_at: AT, reason: PaymentFailure::RejectedByBank, reported_at: None },
        Cancelled { initiated_at: Some(AT) },
    ];

    #[test]
    fn a_state_has_exactly_its_parts() {
        for (state, refunds_only) in STATES.into_iter().zip((0..).map(|place| place < 2)) {
            let of_kind = |kind| MerchantPaymentState::from_parts(kind, state.status(), state.parts());
            assert_eq!((of_kind(Refund), of_kind(Payment)), (Some(state), (!refunds_only).then_some(state)));
        }
    }

    /// Every combination of a status and parts either is a state with exactly these parts, or is refused.
    #[test]
    fn parts_that_contradict_the_status_are_refused() {
        let (times, failures) = ([None, Some(AT), Some(LATER)], [None, Some(PaymentFailure::TimedOut)]);
        for status in MerchantPaymentStatus::ALL {
            for report in [None, Some(CONFIRMED), Some(TIMED_OUT)] {
                for (failure, initiated_at) in failures.into_iter().flat_map(|failure| times.map(|at| (failure, at))) {
                    for (ask_again_at, completed_at) in times.into_iter().flat_map(|ask| times.map(|at| (ask, at))) {
                        let parts = MerchantPaymentParts { initiated_at, report, ask_again_at, failure, completed_at };
                        let Some(state) = MerchantPaymentState::from_parts(Refund, status, parts) else { continue };
                        assert_eq!((state.status(), state.parts()), (status, parts));
                    }
                }
            }
        }
        let completed =
            MerchantPaymentParts { initiated_at: Some(AT), completed_at: Some(LATER), ..Default::default() };
        let failed = MerchantPaymentParts {
            initiated_at: Some(AT),
            failure: Some(PaymentFailure::TimedOut),
            ..Default::default()
        };
        for (status, parts) in [
            (MerchantPaymentStatus::Pending, completed),
            (MerchantPaymentStatus::Completed, completed),
            (MerchantPaymentStatus::Completed, MerchantPaymentParts { report: Some(TIMED_OUT), ..completed }),
            (MerchantPaymentStatus::Failed, MerchantPaymentParts { initiated_at: None, ..failed }),
            (MerchantPaymentStatus::Failed, MerchantPaymentParts { report: Some(CONFIRMED), ..failed }),
            (MerchantPaymentStatus::Cancelled, failed),
        ] {
            assert_eq!(MerchantPaymentState::from_parts(Refund, status, parts), None, "{status:?} {parts:?}");
        }
    }

    #[test]
    fn only_states_that_are_not_final_change() {
        let sent = Pending { initiated_at: AT, answer: None };
        assert_eq!(sent.answered(BankAnswer::Report(CONFIRMED)), STATES[4]);
        assert_eq!([sent.reported(CONFIRMED), sent.reported(TIMED_OUT)], [STATES[6], STATES[7]]);
        assert_eq!([sent.rejected(), sent.cancelled()], [STATES[8], STATES[9]]);
        assert_eq!(AwaitingAuthorisation.cancelled(), STATES[1]);
        for end in STATES.into_iter().filter(|state| state.status() != MerchantPaymentStatus::Pending) {
            let changed = [end.answered(BankAnswer::AskAgain(AT)), end.reported(CONFIRMED), end.rejected()];
            assert_eq!((changed, end.cancelled()), ([end; 3], end));
        }
    }
}
