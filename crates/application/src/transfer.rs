//! Transfers money between two budgets of an account (contract 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::budget::{TransferDone, TransferInstruction, TransferRefusal, TransferStamp, decide_transfer};
use florin_domain::ids::{JournalId, TransferId};
use florin_ports::{DryRun, RepeatClaim, StoreError, TransferCommand, WriteError, Written};
use std::sync::Arc;

/// Transfers money between two budgets of the account.
pub async fn transfer(
    services: &ManagementServices,
    account: &Account,
    instruction: TransferInstruction,
    repeat: Option<RepeatClaim<TransferDone>>,
) -> Result<Written<TransferDone>, WriteError<TransferRefusal>> {
    let command = command(services, account, instruction).await?;
    services.transfers.transfer(TransferCommand { repeat, ..command }).await
}

/// Previews [`transfer`].
pub async fn preview_transfer(
    services: &ManagementServices,
    account: &Account,
    instruction: TransferInstruction,
) -> Result<DryRun<TransferDone>, WriteError<TransferRefusal>> {
    services.dry_runs.preview_transfer(command(services, account, instruction).await?).await
}

async fn command(
    services: &ManagementServices,
    account: &Account,
    instruction: TransferInstruction,
) -> Result<TransferCommand, StoreError> {
    let at = services.at(account).await?;
    let stamp = TransferStamp { transfer: TransferId(at.next_id()), journal: JournalId(at.next_id()), now: at.now() };
    Ok(TransferCommand {
        account: account.id.clone(),
        from: instruction.from,
        to: instruction.to,
        decide: Arc::new(move |situation| decide_transfer(situation, &instruction, stamp)),
        repeat: None,
    })
}
