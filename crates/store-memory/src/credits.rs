//! Credits.

use crate::MemoryStore;
use crate::data::{Data, add};
use crate::events::record;
use crate::idempotency::once;
use crate::money::{store_balances, write_journal};
use async_trait::async_trait;
use florin_domain::budget::{Credit, CreditDecision, CreditRefusal, CreditSituation, Transfer};
use florin_domain::ids::AccountId;
use florin_ports::{CreditCommand, Credits, DryRun, Mode, StoreError, WriteError, Written};

#[async_trait]
impl Credits for MemoryStore {
    async fn credit(&self, command: CreditCommand) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide(data, &command).map(DryRun::from));
        }
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let decision = decide(data, &command)?;
                let credit = decision.credit;
                write_journal(data, &decision.journal)?;
                let of_transaction = (decision.journal.id, credit.clone());
                add(&mut data.credits, (command.account.clone(), credit.box_transaction_id), of_transaction)?;
                let of_budget = (command.budget, credit.instruction.currency);
                store_balances(data, &command.account, of_budget, credit.balances)?;
                record(data, &decision.events)?;
                Ok(credit)
            })
        })
    }
}

/// Decides a credit, and stores nothing.
fn decide(data: &Data, command: &CreditCommand) -> Result<CreditDecision, WriteError<CreditRefusal>> {
    let budget = data.budgets.get(&(command.account.clone(), command.budget)).ok_or(WriteError::Absent)?.clone();
    let situation = CreditSituation { budget, number: next_number(data, &command.account)? };
    (command.decide)(&situation).map_err(WriteError::Refused)
}

/// Returns the next number of the account's sequence, which credits, top-ups, transfers and payments share. Numbers
/// start at 1 and have no gaps.
pub(crate) fn next_number(data: &Data, account: &AccountId) -> Result<i64, StoreError> {
    let of_account = (account.clone(), i64::MIN)..=(account.clone(), i64::MAX);
    let last = data.credits.range(of_account).next_back().map_or(0, |((_, number), _)| *number);
    let transfers = data.transfers.values().filter(|transfer| transfer.account == *account);
    let last = transfers.map(Transfer::credit_number).fold(last, i64::max);
    let paid = data.last_payment_numbers.iter().filter(|((of, _), _)| of == account);
    let last = paid.map(|(_, number)| *number).fold(last, i64::max);
    last.checked_add(1).ok_or_else(|| StoreError::Corrupt("all numbers are used".into()))
}
