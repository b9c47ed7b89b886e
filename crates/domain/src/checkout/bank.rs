//! The part of a payer's bank in a payment.

use crate::merchant::BankId;
use chrono::{DateTime, TimeDelta, Utc};

/// The bank that a payer chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankChoice {
    /// Its id.
    pub id: BankId,
    /// Its name, as the bank list had it then.
    pub name: String,
}

/// What a payer does at the simulated bank, and what the bank does then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayerOutcome {
    /// The payer approves, and the bank confirms at once.
    Approve,
    /// The payer rejects the payment.
    Reject,
    /// The payer leaves without a decision.
    Leave,
    /// The payer approves, and the bank confirms later.
    Pending,
    /// The payer approves, and the bank rejects the payment later.
    FailLater,
    /// The payer approves, and the bank does not answer in time.
    TimeOut,
    /// The payer approves, and the bank has a technical error.
    TechnicalError,
}

impl PayerOutcome {
    /// All outcomes.
    pub const ALL: [Self; 7] =
        [Self::Approve, Self::Reject, Self::Leave, Self::Pending, Self::FailLater, Self::TimeOut, Self::TechnicalError];

    /// The name callers use; also the name of the payer who causes it at the simulated bank.
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

    /// The result that the bank reports after a delay. `None`: the outcome has no delay.
    pub const fn delayed(self) -> Option<BankReportResult> {
        match self {
            Self::Approve | Self::Reject | Self::Leave => None,
            Self::Pending => Some(BankReportResult::Confirmed),
            Self::FailLater => Some(BankReportResult::Failed(PaymentFailure::RejectedByBank)),
            Self::TimeOut => Some(BankReportResult::Failed(PaymentFailure::TimedOut)),
            Self::TechnicalError => Some(BankReportResult::Failed(PaymentFailure::TechnicalError)),
        }
    }

    /// The report of the simulated bank on a payment that the payer approved at `now`. `None`: the payer did not approve.
    pub fn report(self, now: DateTime<Utc>, delay: TimeDelta) -> Option<BankReport> {
        match self {
            Self::Approve => Some(BankReport { at: now, result: BankReportResult::Confirmed }),
            // A sum beyond the last time is never due.
            _ => self.delayed().map(|result| BankReport {
                at: now.checked_add_signed(delay).unwrap_or(DateTime::<Utc>::MAX_UTC),
                result,
            }),
        }
    }
}

/// What a bank reports about an approved payment, and from when on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankReport {
    /// When it is known. In a sandbox this can be in the future.
    pub at: DateTime<Utc>,
    /// The result.
    pub result: BankReportResult,
}

/// What a bank says about an approved payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankAnswer {
    /// The result.
    Report(BankReport),
    /// There is no result yet. The bank is asked again at this time.
    AskAgain(DateTime<Utc>),
}

/// The result of an approved payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BankReportResult {
    /// The money has moved.
    Confirmed,
    /// The money has not moved, and will not.
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

    /// The name as stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "CONFIRMED",
            Self::Failed(failure) => failure.as_str(),
        }
    }
}

/// Why a payment failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaymentFailure {
    /// The payer or the bank rejected it.
    RejectedByBank,
    /// The bank did not answer in time.
    TimedOut,
    /// The bank had a technical error.
    TechnicalError,
}

impl PaymentFailure {
    /// All reasons.
    pub const ALL: [Self; 3] = [Self::RejectedByBank, Self::TimedOut, Self::TechnicalError];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RejectedByBank => "REJECTED_BY_BANK",
            Self::TimedOut => "TIMED_OUT",
            Self::TechnicalError => "TECHNICAL_ERROR",
        }
    }
}
