//! States of movements, under the names of their sources.

use super::ActivitySource;
use crate::batch::PaymentStatus;
use crate::card::TransactionState;

/// The state of a movement. The first four belong to card messages, the others to payments; credits and transfers are
/// `Completed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActivityStatus {
    /// A card message was approved; its chain is open.
    Pending,
    /// The chain of a card message ended with nothing cleared.
    Cleared,
    /// The chain of a card message ended with money cleared.
    Completion,
    /// A card message was declined.
    Declined,
    /// A payment's money is reserved.
    Confirmed,
    /// A payment is with the bank.
    Started,
    /// The money has moved.
    Completed,
    /// The bank refused a payment.
    Failed,
    /// The recipient's bank returned a payment.
    Returned,
}

impl ActivityStatus {
    /// All states.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Cleared,
        Self::Completion,
        Self::Declined,
        Self::Confirmed,
        Self::Started,
        Self::Completed,
        Self::Failed,
        Self::Returned,
    ];

    /// The name callers see: that of the card message or payment.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => TransactionState::Pending.as_str(),
            Self::Cleared => TransactionState::Cleared.as_str(),
            Self::Completion => TransactionState::Completion.as_str(),
            Self::Declined => TransactionState::Declined.as_str(),
            Self::Confirmed => PaymentStatus::Confirmed.as_str(),
            Self::Started => PaymentStatus::Started.as_str(),
            Self::Completed => PaymentStatus::Completed.as_str(),
            Self::Failed => PaymentStatus::Failed.as_str(),
            Self::Returned => PaymentStatus::Returned.as_str(),
        }
    }

    /// The state of a payment's movement. `None` before confirmation and after cancellation.
    pub const fn of_payment(status: PaymentStatus) -> Option<Self> {
        match status {
            PaymentStatus::Created | PaymentStatus::Validated | PaymentStatus::Cancelled => None,
            PaymentStatus::Confirmed => Some(Self::Confirmed),
            PaymentStatus::Started => Some(Self::Started),
            PaymentStatus::Completed => Some(Self::Completed),
            PaymentStatus::Failed => Some(Self::Failed),
            PaymentStatus::Returned => Some(Self::Returned),
        }
    }

    /// The state of a card message in this state.
    pub fn as_card_state(self) -> Option<TransactionState> {
        TransactionState::ALL.into_iter().find(|state| Self::from(*state) == self)
    }

    /// The status of a payment in this state.
    pub fn as_payment_status(self) -> Option<PaymentStatus> {
        PaymentStatus::ALL.into_iter().find(|status| Self::of_payment(*status) == Some(self))
    }

    /// Whether movements of a source can have this state.
    pub fn occurs_in(self, source: ActivitySource) -> bool {
        match source {
            ActivitySource::Card => self.as_card_state().is_some(),
            ActivitySource::Payment => self.as_payment_status().is_some(),
            ActivitySource::Credit | ActivitySource::Transfer | ActivitySource::Deposit => self == Self::Completed,
        }
    }
}

impl From<TransactionState> for ActivityStatus {
    fn from(state: TransactionState) -> Self {
        match state {
            TransactionState::Pending => Self::Pending,
            TransactionState::Cleared => Self::Cleared,
            TransactionState::Completion => Self::Completion,
            TransactionState::Declined => Self::Declined,
        }
    }
}
