//! Creates a budget (contract 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::budget::{
    BudgetFeature, BudgetOwner, BudgetRecord, BudgetRequest, BudgetStatus, CreateBudgetRefusal, decide_create_budget,
};
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::{CreateBudgetCommand, IdempotencyClaim, WriteError, Written};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A client's request for a budget.
#[derive(Clone, Debug)]
pub struct NewBudget {
    /// The name.
    pub name: Text<1, 75>,
    /// The parent of the new budget. `None`: the parent budget of the account.
    pub parent: Option<BudgetId>,
    /// The currencies that the budget holds.
    pub currencies: Vec<Currency>,
    /// The features of the budget.
    pub features: BTreeSet<BudgetFeature>,
    /// The owner: everyone, or one person.
    pub owner: BudgetOwner,
    /// Whether programs of the client show the budget to people. Florin only stores it.
    pub status: BudgetStatus,
    /// The `boxId` of the contract, stored as sent.
    pub box_id: Option<Text<1, 64>>,
}

/// Creates an empty budget of the account.
pub async fn create_budget(
    services: &ManagementServices,
    account: &Account,
    new: NewBudget,
    claim: Option<IdempotencyClaim<BudgetRecord>>,
) -> Result<Written<BudgetRecord>, WriteError<CreateBudgetRefusal>> {
    let clock = services.clock_of(account).await?;
    let NewBudget { name, parent, currencies, features, owner, status, box_id } = new;
    let request = BudgetRequest {
        id: BudgetId(clock.next_id()),
        account: account.id.clone(),
        name,
        currencies,
        features,
        owner,
        status,
        box_id,
        max_budgets: services.max_budgets,
        now: clock.now(),
    };
    let persona = match owner {
        BudgetOwner::Everyone => None,
        BudgetOwner::Person(persona) => Some(persona),
    };
    let command = CreateBudgetCommand {
        account: account.id.clone(),
        parent,
        persona,
        name: request.name.as_str().to_owned(),
        decide: Arc::new(move |situation| decide_create_budget(situation, &request)),
        claim,
    };
    services.budgets.create(command).await
}
