//! Creates a budget (contract 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::budget::{BudgetFeature, BudgetRecord, BudgetRequest, CreateBudgetRefusal, decide_create_budget};
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::{CreateBudgetCommand, IdempotencyClaim, WriteError, Written};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The request of the client.
#[derive(Clone, Debug)]
pub struct NewBudget {
    /// Its name.
    pub name: Text<1, 140>,
    /// Its parent budget.
    pub parent: Option<BudgetId>,
    /// The currencies it holds.
    pub currencies: Vec<Currency>,
    /// Its features; `None` for all features.
    pub features: Option<BTreeSet<BudgetFeature>>,
}

/// Creates an empty budget of the account.
pub async fn create_budget(
    services: &ManagementServices,
    account: &Account,
    new: NewBudget,
    claim: Option<IdempotencyClaim<BudgetRecord>>,
) -> Result<Written<BudgetRecord>, WriteError<CreateBudgetRefusal>> {
    let (clock, parent) = (services.clock_of(account).await?, new.parent);
    let request = BudgetRequest {
        id: BudgetId(clock.next_id()),
        account: account.id.clone(),
        name: new.name,
        parent,
        currencies: new.currencies,
        features: new.features.unwrap_or_else(BudgetFeature::every),
        now: clock.now(),
    };
    let command = CreateBudgetCommand {
        account: account.id.clone(),
        parent,
        decide: Arc::new(move |situation| decide_create_budget(*situation, &request)),
        claim,
    };
    services.budgets.create(command).await
}
