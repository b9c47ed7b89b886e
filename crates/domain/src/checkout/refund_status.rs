//! The statuses of refunds, and the ability of settlement accounts to pay them.

/// The status of a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefundStatus {
    /// The merchant must authorise the refund at its bank.
    AwaitingAuthorisation,
    /// The bank has the refund, but no result.
    Pending,
    /// The money was paid back.
    Completed,
    /// The bank did not move the money.
    Failed,
    /// The merchant did not authorise the refund.
    Cancelled,
}

impl RefundStatus {
    /// All statuses.
    pub const ALL: [Self; 5] =
        [Self::AwaitingAuthorisation, Self::Pending, Self::Completed, Self::Failed, Self::Cancelled];

    /// Returns the name in the API.
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
    /// The settlement account can pay refunds.
    Ready,
    /// The settlement account was deleted, or the session had none.
    Deleted,
    /// The settlement account has no bank, or its bank is no longer on the bank list.
    NoBank,
    /// The bank of the settlement account pays no refunds.
    BankWithoutRefunds,
}

impl RefundSource {
    /// Returns whether a settlement account can pay refunds, by its bank. `None`: it has no bank on the bank list.
    pub const fn of_bank(supports_refunds: Option<bool>) -> Self {
        match supports_refunds {
            Some(true) => Self::Ready,
            Some(false) => Self::BankWithoutRefunds,
            None => Self::NoBank,
        }
    }
}
