//! The statuses of refunds, and whether a settlement account can pay them.

/// The status of a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefundStatus {
    /// The merchant must authorise it at its bank.
    AwaitingAuthorisation,
    /// The bank has it.
    Pending,
    /// The money is back.
    Completed,
    /// The bank did not move the money.
    Failed,
    /// The merchant did not authorise it.
    Cancelled,
}

impl RefundStatus {
    /// All statuses.
    pub const ALL: [Self; 5] =
        [Self::AwaitingAuthorisation, Self::Pending, Self::Completed, Self::Failed, Self::Cancelled];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AwaitingAuthorisation => "AWAITING_AUTHORISATION",
            Self::Pending => "PENDING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
        }
    }
}

/// Whether the settlement account of a payment can pay refunds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundSource {
    /// It can.
    Ready,
    /// It was deleted, or the session had none.
    Deleted,
    /// It has no bank, or one that is not on the bank list any more.
    NoBank,
    /// Its bank pays no refunds.
    BankWithoutRefunds,
}

impl RefundSource {
    /// The source that a settlement account is, by its bank.
    pub const fn of_bank(supports_refunds: Option<bool>) -> Self {
        match supports_refunds {
            Some(true) => Self::Ready,
            Some(false) => Self::BankWithoutRefunds,
            None => Self::NoBank,
        }
    }
}
