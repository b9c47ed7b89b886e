//! Simulates an inbound credit (contract 5.2).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::budget::{Credit, CreditInstruction, CreditRefusal, CreditSituation, decide_credit};
use florin_ports::{CreditCommand, IdempotencyClaim, Mode, WriteError, Written};
use std::sync::Arc;

/// Credits a budget of the account. In a dry run, nothing is stored.
pub async fn generate_credit(
    services: &Services,
    account: &Account,
    instruction: CreditInstruction,
    mode: Mode,
    claim: Option<IdempotencyClaim<Credit>>,
) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
    let clock = services.clock_of(account).await?;
    let command = CreditCommand {
        account: account.id.clone(),
        budget: instruction.budget,
        decide: Arc::new(move |CreditSituation { budget, number }| {
            clock.rule(|stamp| decide_credit(budget, *number, &instruction, stamp))
        }),
        mode,
        claim,
    };
    services.credits.credit(command).await
}
