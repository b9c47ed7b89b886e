//! Instructions to a bank, and its reports.

use super::{FailureReason, Payment, PaymentNetwork, RecipientInput};
use crate::ids::PaymentId;
use crate::money::Money;
use chrono::{DateTime, Utc};

/// An instruction to a bank to make a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentInstruction {
    /// The payment's id. A repeated instruction with the same id is the same payment.
    pub id: PaymentId,
    /// The amount, above zero.
    pub amount: Money,
    /// The network it uses. Charges of intermediary banks are shared (`SHA`).
    pub network: PaymentNetwork,
    /// The recipient, checked.
    pub recipient: RecipientInput,
    /// The reference on the recipient's statement: that of the payment, else that of the recipient.
    pub reference: Option<String>,
    /// Its purpose, as a code of the recipient's central bank.
    pub purpose_code: Option<String>,
    /// Its purpose, in words.
    pub purpose: Option<String>,
}

impl PaymentInstruction {
    /// The instruction for a payment. `None` if the payment has an Error.
    pub fn of(payment: &Payment) -> Option<Self> {
        let terms = payment.terms()?;
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

/// A bank's report about a payment that it has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentReport {
    /// Its outcome.
    pub outcome: PaymentOutcome,
    /// When to query the bank again, if the bank names a time. A pending payment is always queried again, any other
    /// only at this time.
    pub ask_again_at: Option<DateTime<Utc>>,
}

/// The outcome of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaymentOutcome {
    /// Pending.
    Pending,
    /// Paid.
    Completed,
    /// Refused; nothing was paid.
    Failed(FailureReason),
    /// Paid, then returned by the recipient's bank.
    Returned(FailureReason),
}
