//! What a bank is told, and what it tells.

use super::{Payment, PaymentNetwork, RecipientInput};
use crate::ids::PaymentId;
use crate::money::Money;
use chrono::{DateTime, Utc};

/// What a bank is told to pay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentInstruction {
    /// What both sides know it by. Sent again, it is the same payment.
    pub id: PaymentId,
    /// How much, above zero.
    pub amount: Money,
    /// How it travels. Who pays the charges of banks on the way is shared (`SHA`).
    pub network: PaymentNetwork,
    /// Who is paid; checked.
    pub recipient: RecipientInput,
    /// What the recipient sees: of the payment, else of the recipient.
    pub reference: Option<String>,
    /// What the payment is for, as a code of the recipient's central bank.
    pub purpose_code: Option<String>,
    /// What the payment is for, in words.
    pub purpose: Option<String>,
}

impl PaymentInstruction {
    /// What a bank is told of a payment; nothing where an Error stands against it.
    pub fn of(payment: &Payment) -> Option<Self> {
        let terms = payment.terms.as_ref()?;
        let input = &payment.input;
        Some(Self {
            id: payment.id,
            amount: terms.amount.of(terms.currency),
            network: terms.network,
            recipient: input.recipient.clone(),
            reference: input.effective_reference().map(str::to_owned),
            purpose_code: input.purpose_code.clone(),
            purpose: input.purpose.clone(),
        })
    }
}

/// What a bank tells of a payment that it has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentReport {
    /// What became of it.
    pub outcome: PaymentOutcome,
    /// When to ask again, as far as the bank tells. A pending payment is asked for again in any case; another one only
    /// if this says when.
    pub ask_again_at: Option<DateTime<Utc>>,
}

/// What became of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaymentOutcome {
    /// Not known yet.
    Pending,
    /// Paid.
    Completed,
    /// Refused; nothing was paid.
    Failed(FailureReason),
    /// Paid, and sent back by the recipient's bank.
    Returned(FailureReason),
}

/// Why a bank refused a payment, or sent it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureReason {
    /// The recipient's account is closed.
    AccountClosed,
    /// There is no such account.
    AccountNotFound,
    /// The account is another person's.
    NameMismatch,
    /// The bank gave no reason, or none of these.
    RejectedByBank,
    /// Blocked by a check for fraud or sanctions.
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
