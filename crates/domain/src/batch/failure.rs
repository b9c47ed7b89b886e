//! Reasons of banks for refusing or returning payments.

/// The reason that a bank refused or returned a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureReason {
    /// The recipient's account is closed.
    AccountClosed,
    /// There is no such account.
    AccountNotFound,
    /// The account belongs to somebody other than the named recipient.
    NameMismatch,
    /// The bank gave no reason, or one that is not listed here.
    RejectedByBank,
    /// A fraud or sanctions check blocked the payment.
    Compliance,
}

impl FailureReason {
    /// All reasons.
    pub const ALL: [Self; 5] =
        [Self::AccountClosed, Self::AccountNotFound, Self::NameMismatch, Self::RejectedByBank, Self::Compliance];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AccountClosed => "account_closed",
            Self::AccountNotFound => "account_not_found",
            Self::NameMismatch => "name_mismatch",
            Self::RejectedByBank => "rejected_by_bank",
            Self::Compliance => "compliance",
        }
    }
}
