//! Instructions to a bank, and its reports.

use super::{FailureReason, Payment, PaymentNetwork, RecipientInput};
use crate::ids::{AccountId, PaymentId};
use crate::money::Money;
use chrono::{DateTime, Utc};

/// An instruction to a bank to make a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentInstruction {
    /// The account that pays.
    pub account: AccountId,
    /// The id of the payment. An instruction that is sent again has the same id and is the same payment.
    pub id: PaymentId,
    /// The amount, above zero.
    pub amount: Money,
    /// The network that carries the payment. Charges of intermediary banks are shared (`SHA`).
    pub network: PaymentNetwork,
    /// The recipient, whose fields were checked.
    pub recipient: RecipientInput,
    /// The reference on the recipient's statement: the payment's reference, or else the recipient's default reference.
    pub reference: Option<String>,
    /// The purpose of the payment: a code of the recipient's central bank.
    pub purpose_code: Option<String>,
    /// The purpose of the payment, in words.
    pub purpose: Option<String>,
}

impl PaymentInstruction {
    /// Creates the instruction for a payment. `None` if the payment has an Error.
    pub fn of(payment: &Payment) -> Option<Self> {
        let terms = payment.terms()?;
        let input = &payment.input;
        Some(Self {
            account: payment.account.clone(),
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

/// A bank's report on a payment whose instruction it has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentReport {
    /// The outcome of the payment so far.
    pub outcome: PaymentOutcome,
    /// The time at which the bank asks to be queried again, if it names one. A pending payment is always queried again.
    /// Any other payment is queried again only if the bank names a time.
    pub ask_again_at: Option<DateTime<Utc>>,
}

/// The outcome of a payment so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaymentOutcome {
    /// The bank has not decided yet.
    Pending,
    /// The payment was paid.
    Completed,
    /// The bank refused the payment; nothing was paid.
    Failed(FailureReason),
    /// The payment was paid, and then returned by the recipient's bank.
    Returned(FailureReason),
}
