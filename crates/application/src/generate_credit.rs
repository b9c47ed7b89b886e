//! An integrator plays an inbound credit (contract 5.2).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::budget::{Credit, CreditInstruction, CreditRefusal, CreditStamp, decide_credit};
use florin_domain::ids::JournalId;
use florin_ports::{CreditOrder, RepeatClaim, StoreError, Tried, WriteError, Written};
use std::sync::Arc;

/// Credits a budget of the account.
pub async fn generate_credit(
    services: &Services,
    account: &Account,
    instruction: CreditInstruction,
    repeat: Option<RepeatClaim<Credit>>,
) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
    let order = order(services, account, instruction).await?;
    services.credits.credit(CreditOrder { repeat, ..order }).await
}

/// What [`generate_credit`] would come to.
pub async fn try_credit(
    services: &Services,
    account: &Account,
    instruction: CreditInstruction,
) -> Result<Tried<Credit>, WriteError<CreditRefusal>> {
    services.dry_runs.try_credit(order(services, account, instruction).await?).await
}

async fn order(
    services: &Services,
    account: &Account,
    instruction: CreditInstruction,
) -> Result<CreditOrder, StoreError> {
    let at = services.at(account).await?;
    let stamp = CreditStamp { journal: JournalId(at.next_id()), now: at.now() };
    Ok(CreditOrder {
        account: account.id.clone(),
        budget: instruction.budget,
        decide: Arc::new(move |(budget, number)| decide_credit(budget, *number, &instruction, stamp)),
        repeat: None,
    })
}
