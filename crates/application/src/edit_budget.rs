//! Changes a budget (contract 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::budget::{BudgetEdit, BudgetRecord, EditBudgetRefusal, decide_edit_budget};
use florin_domain::ids::BudgetId;
use florin_ports::{EditBudgetCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// Changes a budget of the account. Members that the edit leaves out stay unchanged.
pub async fn edit_budget(
    services: &ManagementServices,
    account: &Account,
    budget: BudgetId,
    edit: BudgetEdit,
    claim: Option<IdempotencyClaim<BudgetRecord>>,
) -> Result<Written<BudgetRecord>, WriteError<EditBudgetRefusal>> {
    let now = services.time.now_of(account);
    let name = edit.name.as_ref().map(|name| name.as_str().to_owned());
    let decide = Arc::new(move |situation: &_| decide_edit_budget(situation, &edit, now));
    services.budgets.edit(EditBudgetCommand { account: account.id.clone(), budget, name, decide, claim }).await
}
