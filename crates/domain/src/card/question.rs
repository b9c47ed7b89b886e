//! Questions to the endpoints of accounts.

use super::CardTransaction;
use crate::money::{Minor, Money};

/// The question to the endpoint of an account: what it needs to decide on a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionQuestion {
    /// The message as it is recorded if it is approved in full, with the balances before it.
    pub message: CardTransaction,
    /// The amount to approve, in the currency of the message.
    pub amount: Money,
    /// Whether a part of it can be approved.
    pub allows_partial: bool,
}

impl DecisionQuestion {
    /// Whether an amount is a part of the question's: above zero, and at most all of it.
    pub fn has_part(&self, part: Minor) -> bool {
        Minor::ZERO < part && part <= self.amount.minor
    }
}
