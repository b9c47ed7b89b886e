//! Budgets: creating, changing and funding them, and transfers between them.

mod create;
mod credit;
mod edit;
mod record;
mod transfer;
mod tree;

pub use create::{
    BudgetOwner, BudgetRequest, CreateBudgetRefusal, CreateBudgetSituation, MAX_BUDGETS, MAX_LEVELS, ParentBudget,
    check_currencies, check_features, decide_create_budget,
};
pub use credit::{
    Credit, CreditDecision, CreditInstruction, CreditRefusal, CreditScheme, CreditSituation, decide_credit,
};
pub use edit::{BudgetEdit, EditBudgetRefusal, EditBudgetSituation, decide_budget_controls, decide_edit_budget};
pub use record::{BudgetFeature, BudgetFilter, BudgetFunds, BudgetKind, BudgetOverview, BudgetRecord, BudgetStatus};
pub use transfer::{
    Transfer, TransferDecision, TransferDone, TransferInstruction, TransferReference, TransferRefusal,
    TransferSituation, decide_transfer,
};
pub use tree::{BrokenTree, check_tree};

use crate::ids::{AccountId, BudgetId};
use crate::ledger::Balances;
use crate::money::Currency;

/// A budget of an account, with its balances per currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Its id.
    pub id: BudgetId,
    /// The account it belongs to.
    pub account: AccountId,
    /// Its name, which callers can change.
    pub name: String,
    /// The balances of each currency it holds.
    pub balances: Vec<(Currency, Balances)>,
}

impl Budget {
    /// Its balances in a currency, if it holds that currency.
    pub fn in_currency(&self, currency: Currency) -> Option<Balances> {
        self.balances.iter().find(|(held, _)| *held == currency).map(|(_, balances)| *balances)
    }
}
