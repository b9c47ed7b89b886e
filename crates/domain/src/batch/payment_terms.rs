//! Terms of payments of a batch.

use super::PaymentNetwork;
use crate::ids::{BudgetId, OrderId};
use crate::money::{Currency, Minor};

/// The terms of a payment without Errors: its amount, its fee, its network and the budget that pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentTerms {
    /// The order that the payment belongs to.
    pub order: OrderId,
    /// The budget that pays.
    pub budget: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// The amount that is sent to the recipient, above zero.
    pub amount: Minor,
    /// The fee, zero or more, in the same currency.
    pub fee: Minor,
    /// The payment network.
    pub network: PaymentNetwork,
}

impl PaymentTerms {
    /// Returns the cost to the budget: amount plus fee. `None` if it overflows 64 bits.
    pub fn cost(&self) -> Option<Minor> {
        self.amount.plus(self.fee)
    }
}
