//! An integrator plays an inbound credit (contract 5.2).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::budget::{Credit, CreditInstruction, CreditRefusal, CreditStamp, decide_credit};
use florin_domain::ids::JournalId;
use florin_ports::{CreditOrder, RepeatClaim, WriteError, Written};
use std::sync::Arc;

/// Credits a budget of the account.
pub async fn generate_credit(
    services: &Services,
    account: &Account,
    instruction: CreditInstruction,
    repeat: Option<RepeatClaim<Credit>>,
) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
    let at = services.at(account).await?;
    let stamp = CreditStamp { journal: JournalId(at.next_id()), now: at.now() };
    let order = CreditOrder {
        account: account.id.clone(),
        budget: instruction.budget,
        decide: Arc::new(move |(budget, number)| decide_credit(budget, *number, &instruction, stamp)),
        repeat,
    };
    services.credits.credit(order).await
}
