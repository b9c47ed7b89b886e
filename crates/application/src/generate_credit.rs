//! Simulates an inbound credit (contract 5.2).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::budget::{Credit, CreditInstruction, CreditRefusal, CreditStamp, decide_credit};
use florin_domain::ids::JournalId;
use florin_ports::{CreditCommand, DryRun, RepeatClaim, StoreError, WriteError, Written};
use std::sync::Arc;

/// Credits a budget of the account.
pub async fn generate_credit(
    services: &Services,
    account: &Account,
    instruction: CreditInstruction,
    repeat: Option<RepeatClaim<Credit>>,
) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
    let command = command(services, account, instruction).await?;
    services.credits.credit(CreditCommand { repeat, ..command }).await
}

/// Previews [`generate_credit`].
pub async fn preview_credit(
    services: &Services,
    account: &Account,
    instruction: CreditInstruction,
) -> Result<DryRun<Credit>, WriteError<CreditRefusal>> {
    services.dry_runs.preview_credit(command(services, account, instruction).await?).await
}

async fn command(
    services: &Services,
    account: &Account,
    instruction: CreditInstruction,
) -> Result<CreditCommand, StoreError> {
    let at = services.at(account).await?;
    let stamp = CreditStamp { journal: JournalId(at.next_id()), now: at.now() };
    Ok(CreditCommand {
        account: account.id.clone(),
        budget: instruction.budget,
        decide: Arc::new(move |(budget, number)| decide_credit(budget, *number, &instruction, stamp)),
        repeat: None,
    })
}
