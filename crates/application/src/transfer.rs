//! Transfers money between two budgets of an account (contract 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::budget::{TransferDone, TransferInstruction, TransferRefusal, decide_transfer};
use florin_ports::{IdempotencyClaim, Mode, TransferCommand, WriteError, Written};
use std::sync::Arc;

/// Transfers money between two budgets of the account. In a dry run, nothing is stored.
pub async fn transfer(
    services: &ManagementServices,
    account: &Account,
    instruction: TransferInstruction,
    mode: Mode,
    claim: Option<IdempotencyClaim<TransferDone>>,
) -> Result<Written<TransferDone>, WriteError<TransferRefusal>> {
    let clock = services.clock_of(account).await?;
    let command = TransferCommand {
        account: account.id.clone(),
        from: instruction.from,
        to: instruction.to,
        decide: Arc::new(move |situation| clock.rule(|stamp| decide_transfer(situation, &instruction, stamp))),
        mode,
        claim,
    };
    services.transfers.transfer(command).await
}
