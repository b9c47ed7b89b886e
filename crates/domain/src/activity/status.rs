//! Statuses of movements.

use super::ActivityType;
use crate::batch::PaymentStatus;
use crate::card::TransactionState;

macro_rules! statuses {
    ($($(#[$doc:meta])+ $name:ident = $text:literal,)+) => {
        /// The status of a movement.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ActivityStatus {
            $($(#[$doc])+ $name,)+
        }

        impl ActivityStatus {
            /// All statuses.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The name callers see.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

statuses! {
    /// Somebody must approve it. Never produced.
    NeedsApproval = "needsApproval",
    /// It waits for money. Never produced.
    FundsRequired = "fundsRequired",
    /// Its money is held, reserved or credited provisionally, or a refund was announced.
    Pending = "pending",
    /// Its money has moved.
    Complete = "complete",
    /// A rule declined it.
    Declined = "declined",
    /// No money moved in the end: a hold was released, a refund was withdrawn, everything cleared was returned, a
    /// dispute was lost, or a payment failed.
    Reverted = "reverted",
    /// A refund was paid, or the recipient's bank returned a payment.
    Refunded = "refunded",
    /// Its batch was cancelled after the confirmation.
    Cancelled = "cancelled",
    /// A forward contract is open. Never produced.
    Open = "open",
    /// An account check or a balance inquiry was answered.
    CardCheck = "cardCheck",
}

impl ActivityStatus {
    /// The status of a chain, by its type, the state of its first message, and whether the chain is open.
    pub const fn of_chain(kind: ActivityType, first: TransactionState, is_open: bool) -> Self {
        match (first, kind) {
            (TransactionState::Declined, _) => Self::Declined,
            (TransactionState::Completed, ActivityType::Chargeback) if is_open => Self::Pending,
            (_, ActivityType::CardCheck) => Self::CardCheck,
            (TransactionState::Pending, _) => Self::Pending,
            (TransactionState::NothingCleared, _) => Self::Reverted,
            (TransactionState::Completed, ActivityType::CardRefund) => Self::Refunded,
            (TransactionState::Completed, _) => Self::Complete,
        }
    }

    /// The status of a payment after the confirmation of its batch. `None` for a status before the confirmation.
    pub const fn of_payment(status: PaymentStatus) -> Option<Self> {
        match status {
            PaymentStatus::Created | PaymentStatus::Validated => None,
            PaymentStatus::Confirmed | PaymentStatus::Started => Some(Self::Pending),
            PaymentStatus::Completed => Some(Self::Complete),
            PaymentStatus::Failed => Some(Self::Reverted),
            PaymentStatus::Returned => Some(Self::Refunded),
            PaymentStatus::Cancelled => Some(Self::Cancelled),
        }
    }
}
