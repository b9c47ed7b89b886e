//! Transfers between budgets.

use crate::MemoryStore;
use crate::activities::renew_positions;
use crate::budgets::find;
use crate::credits::next_number;
use crate::data::{Data, add};
use crate::events::record;
use crate::idempotency::once;
use crate::money::{store_balances, write_journal};
use async_trait::async_trait;
use florin_domain::budget::{TransferDecision, TransferDone, TransferRefusal, TransferSituation};
use florin_domain::ids::ActivityId;
use florin_ports::{DryRun, Mode, TransferCommand, Transfers, WriteError, Written};

#[async_trait]
impl Transfers for MemoryStore {
    async fn transfer(&self, command: TransferCommand) -> Result<Written<TransferDone>, WriteError<TransferRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide(data, &command).map(DryRun::from));
        }
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let decision = decide(data, &command)?;
                let TransferDone { transfer, from, to } = &decision.done;
                write_journal(data, &decision.journal)?;
                add(&mut data.transfers, (command.account.clone(), transfer.id), transfer.clone())?;
                renew_positions(data, &command.account, [transfer.id.0, transfer.journal.0].map(ActivityId));
                store_balances(data, &command.account, (command.from, transfer.currency), *from)?;
                store_balances(data, &command.account, (command.to, transfer.currency), *to)?;
                record(data, &decision.events)?;
                Ok(decision.done)
            })
        })
    }
}

/// Decides a transfer without storing it.
fn decide(data: &Data, command: &TransferCommand) -> Result<TransferDecision, WriteError<TransferRefusal>> {
    let from = find(data, &command.account, command.from).ok_or(WriteError::Absent)?;
    let to = find(data, &command.account, command.to);
    let situation = TransferSituation { from, to, number: next_number(data, &command.account)? };
    (command.decide)(&situation).map_err(WriteError::Refused)
}
