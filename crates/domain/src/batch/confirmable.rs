//! Checks whether a batch could be confirmed now, and reports the obstacles.

use super::{BatchTransition, Confirmation, IllegalBatchTransition, PaymentBatch};
use crate::ids::BudgetId;
use crate::ledger::{AmountOutOfRange, Balances};
use crate::money::{Currency, Minor, Money};
use std::collections::BTreeMap;

/// Balances of funding budgets, by budget and currency.
pub type BatchBalances = BTreeMap<(BudgetId, Currency), Balances>;

/// A shortage of one budget in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The funding budget.
    pub budget: BudgetId,
    /// The amount that the orders need.
    pub needed: Money,
    /// The amount that is available.
    pub available: Money,
}

/// Obstacles to a confirmation, except for MFA, which only a confirmation can check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmability {
    /// The refusal, if the status of the batch does not allow a confirmation.
    pub status: Option<IllegalBatchTransition>,
    /// The shortages, one for each budget and currency.
    pub shortages: Vec<Shortage>,
}

impl Confirmability {
    /// Returns whether there is no obstacle.
    pub fn is_valid(&self) -> bool {
        self.status.is_none() && self.shortages.is_empty()
    }
}

/// Checks a batch as a confirmation would, except for MFA. A batch that was confirmed before has no shortage, because
/// its money was already reserved.
pub fn check_confirmable(batch: &PaymentBatch, balances: &BatchBalances) -> Result<Confirmability, AmountOutOfRange> {
    let status = batch.must_allow_confirmation().err();
    let needed = if batch.state.confirmation().is_some() { BTreeMap::new() } else { batch.costs()? };
    Ok(Confirmability { status, shortages: shortages(&needed, balances) })
}

/// Returns the shortages of budgets with less available money than they need.
pub(super) fn shortages(needed: &BTreeMap<(BudgetId, Currency), Minor>, balances: &BatchBalances) -> Vec<Shortage> {
    let shortage = |(&(budget, currency), &needed): (&(BudgetId, Currency), &Minor)| {
        let available = balances.get(&(budget, currency)).map_or(Minor::ZERO, Balances::available);
        let (needed, available) = (needed.of(currency), available.of(currency));
        (available.minor < needed.minor).then_some(Shortage { budget, needed, available })
    };
    needed.iter().filter_map(shortage).collect()
}

impl PaymentBatch {
    /// Refuses a batch whose state does not allow a confirmation.
    pub fn must_allow_confirmation(&self) -> Result<(), IllegalBatchTransition> {
        // The client and the time of the confirmation make no difference here.
        let confirmation = Confirmation { by: None, at: self.updated_at, passed_mfa_check_at: None };
        self.state.after(BatchTransition::Confirm(confirmation)).map(|_| ())
    }

    /// Returns the cost of the batch's orders, amounts plus fees, for each budget and currency.
    pub fn costs(&self) -> Result<BTreeMap<(BudgetId, Currency), Minor>, AmountOutOfRange> {
        let mut costs: BTreeMap<_, Minor> = BTreeMap::new();
        for order in &self.orders {
            let cost = costs.entry((order.budget, order.currency)).or_default();
            *cost = order.cost().and_then(|more| cost.plus(more)).ok_or(AmountOutOfRange::Overflow)?;
        }
        Ok(costs)
    }
}
