//! The decisions of payers at their banks, and the results that banks report.

use crate::merchant::BankId;
use chrono::{DateTime, TimeDelta, Utc};

/// The bank that a payer chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankChoice {
    /// Its id.
    pub id: BankId,
    /// Its name on the bank list at the time of the choice.
    pub name: String,
}

/// The payer's action at the simulated bank, and the bank's reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayerOutcome {
    /// The payer approves, and the bank confirms immediately.
    Approve,
    /// The payer rejects the payment.
    Reject,
    /// The payer leaves without a decision.
    Leave,
    /// The payer approves, and the bank confirms after a delay.
    Pending,
    /// The payer approves, and the bank rejects the payment after a delay.
    FailLater,
    /// The payer approves, and after a delay the payment fails because the bank did not answer in time.
    TimeOut,
    /// The payer approves, and after a delay the payment fails with a technical error.
    TechnicalError,
}

impl PayerOutcome {
    /// All outcomes.
    pub const ALL: [Self; 7] =
        [Self::Approve, Self::Reject, Self::Leave, Self::Pending, Self::FailLater, Self::TimeOut, Self::TechnicalError];

    /// Returns the name in the API. At the simulated bank, it is also the name of the payer who causes the outcome.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Leave => "leave",
            Self::Pending => "pending",
            Self::FailLater => "fail_later",
            Self::TimeOut => "time_out",
            Self::TechnicalError => "technical_error",
        }
    }

    /// Returns the result that the bank reports after a delay. `None`: the outcome has no delay.
    pub const fn delayed(self) -> Option<BankReportResult> {
        match self {
            Self::Approve | Self::Reject | Self::Leave => None,
            Self::Pending => Some(BankReportResult::Confirmed),
            Self::FailLater => Some(BankReportResult::Failed(PaymentFailure::RejectedByBank)),
            Self::TimeOut => Some(BankReportResult::Failed(PaymentFailure::TimedOut)),
            Self::TechnicalError => Some(BankReportResult::Failed(PaymentFailure::TechnicalError)),
        }
    }

    /// Returns the report of the simulated bank on a payment that the payer approves at `now`. `None`: the payer does
    /// not approve.
    pub fn report(self, now: DateTime<Utc>, delay: TimeDelta) -> Option<BankReport> {
        match self {
            Self::Approve => Some(BankReport { at: now, result: BankReportResult::Confirmed }),
            // If the sum is too large for a timestamp, the report is never due.
            _ => self.delayed().map(|result| BankReport {
                at: now.checked_add_signed(delay).unwrap_or(DateTime::<Utc>::MAX_UTC),
                result,
            }),
        }
    }
}

/// A bank's report about an approved payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankReport {
    /// The time from which the result is known. In a sandbox this can be in the future.
    pub at: DateTime<Utc>,
    /// The result.
    pub result: BankReportResult,
}

/// The answer of a bank about an approved payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankAnswer {
    /// The bank has a result.
    Report(BankReport),
    /// The bank has no result yet, and must be asked again at this time.
    AskAgain(DateTime<Utc>),
}

impl BankAnswer {
    /// Returns when the report is due, or the bank must be asked again.
    pub const fn due_at(self) -> DateTime<Utc> {
        match self {
            Self::Report(report) => report.at,
            Self::AskAgain(at) => at,
        }
    }

    /// Returns the answer about a payment or refund that was approved at this time. A report is not dated before the
    /// approval.
    pub(super) fn not_before(self, approved: DateTime<Utc>) -> Self {
        match self {
            Self::Report(report) => Self::Report(BankReport { at: report.at.max(approved), ..report }),
            Self::AskAgain(_) => self,
        }
    }
}

/// The result of an approved payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BankReportResult {
    /// The money moved.
    Confirmed,
    /// The money did not move, and will not move.
    Failed(PaymentFailure),
}

impl BankReportResult {
    /// All results.
    pub const ALL: [Self; 4] = [
        Self::Confirmed,
        Self::Failed(PaymentFailure::RejectedByBank),
        Self::Failed(PaymentFailure::TimedOut),
        Self::Failed(PaymentFailure::TechnicalError),
    ];

    /// Returns the stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "CONFIRMED",
            Self::Failed(failure) => failure.as_str(),
        }
    }
}

/// The reason that a payment failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaymentFailure {
    /// The payer or the bank rejected the payment.
    RejectedByBank,
    /// The bank did not answer in time.
    TimedOut,
    /// The bank had a technical error.
    TechnicalError,
}

impl PaymentFailure {
    /// All reasons.
    pub const ALL: [Self; 3] = [Self::RejectedByBank, Self::TimedOut, Self::TechnicalError];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RejectedByBank => "REJECTED_BY_BANK",
            Self::TimedOut => "TIMED_OUT",
            Self::TechnicalError => "TECHNICAL_ERROR",
        }
    }
}
