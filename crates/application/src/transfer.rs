//! A client moves money between two of its budgets (contract 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::budget::{TransferDone, TransferInstruction, TransferRefusal, TransferStamp, decide_transfer};
use florin_domain::ids::{JournalId, TransferId};
use florin_ports::{RepeatClaim, StoreError, TransferOrder, Tried, WriteError, Written};
use std::sync::Arc;

/// Moves money between two budgets of the account.
pub async fn transfer(
    services: &ManagementServices,
    account: &Account,
    instruction: TransferInstruction,
    repeat: Option<RepeatClaim<TransferDone>>,
) -> Result<Written<TransferDone>, WriteError<TransferRefusal>> {
    let order = order(services, account, instruction).await?;
    services.transfers.transfer(TransferOrder { repeat, ..order }).await
}

/// What [`transfer`] would come to.
pub async fn try_transfer(
    services: &ManagementServices,
    account: &Account,
    instruction: TransferInstruction,
) -> Result<Tried<TransferDone>, WriteError<TransferRefusal>> {
    services.dry_runs.try_transfer(order(services, account, instruction).await?).await
}

async fn order(
    services: &ManagementServices,
    account: &Account,
    instruction: TransferInstruction,
) -> Result<TransferOrder, StoreError> {
    let at = services.at(account).await?;
    let stamp = TransferStamp { transfer: TransferId(at.next_id()), journal: JournalId(at.next_id()), now: at.now() };
    Ok(TransferOrder {
        account: account.id.clone(),
        from: instruction.from,
        to: instruction.to,
        decide: Arc::new(move |situation| decide_transfer(situation, &instruction, stamp)),
        repeat: None,
    })
}
