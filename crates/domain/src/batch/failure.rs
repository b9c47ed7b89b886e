//! Reasons of banks.

/// Why a bank refused or returned a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureReason {
    /// The recipient's account is closed.
    AccountClosed,
    /// There is no such account.
    AccountNotFound,
    /// The account belongs to somebody else.
    NameMismatch,
    /// The bank gave no reason, or one not listed here.
    RejectedByBank,
    /// A fraud or sanctions check blocked it.
    Compliance,
}

impl FailureReason {
    /// All reasons.
    pub const ALL: [Self; 5] =
        [Self::AccountClosed, Self::AccountNotFound, Self::NameMismatch, Self::RejectedByBank, Self::Compliance];

    /// The name callers see.
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
