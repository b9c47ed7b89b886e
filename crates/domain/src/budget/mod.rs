//! Budgets, which hold money, and the credits that fund them.

mod credit;

pub use credit::{Credit, CreditDecision, CreditInstruction, CreditRefusal, CreditScheme, CreditStamp, decide_credit};

use crate::ids::{AccountId, BudgetId};
use crate::ledger::Balances;
use crate::money::Currency;

/// A budget of an account, with what it holds per currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Its id.
    pub id: BudgetId,
    /// The account it belongs to.
    pub account: AccountId,
    /// The operator's name for it.
    pub name: String,
    /// The currencies it holds, each with its balances.
    pub balances: Vec<(Currency, Balances)>,
}

impl Budget {
    /// Its balances in a currency, where it holds that.
    pub fn in_currency(&self, currency: Currency) -> Option<Balances> {
        self.balances.iter().find(|(held, _)| *held == currency).map(|(_, balances)| *balances)
    }
}
