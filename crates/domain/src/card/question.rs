//! Questions to decision endpoints.

use super::CardTransaction;
use crate::money::{Minor, Money};

/// The question to a decision endpoint: the data that the endpoint needs to decide on a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionQuestion {
    /// The message as it is recorded if it is approved in full, but with zero as `impacted` and the balances before the
    /// message.
    pub message: CardTransaction,
    /// The amount to approve, in the currency of the message.
    pub amount: Money,
    /// Whether a partial amount can be approved.
    pub allows_partial: bool,
}

impl DecisionQuestion {
    /// Whether the endpoint may approve this amount: above zero and at most the amount of the question.
    pub fn allows_amount(&self, partial_amount: Minor) -> bool {
        Minor::ZERO < partial_amount && partial_amount <= self.amount.minor
    }
}
