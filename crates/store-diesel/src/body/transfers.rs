//! Transfers between budgets.

use super::ask::ask;
use super::backend::Conn;
use super::errors::Outcome;
use super::footprint::Footprint;
use super::group::RecordedCommand;
use super::store::Store;
use super::tables::money::{TransferRow, journal_legs, transfers};
use super::types::{Id, Named};
use super::working_set::WorkingSet;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::budget::{Transfer, TransferDecision, TransferDone, TransferRefusal, TransferSituation};
use florin_domain::ids::{AccountId, BudgetId, JournalId, TransferId};
use florin_domain::ledger::JournalKind;
use florin_domain::money::Minor;
use florin_ports::{DryRun, IdempotencyClaim, Mode, TransferCommand, Transfers, WriteError, Written};
use uuid::Uuid;

#[async_trait]
impl Transfers for Store {
    async fn transfer(&self, command: TransferCommand) -> Result<Written<TransferDone>, WriteError<TransferRefusal>> {
        self.submit(command).await
    }
}

impl RecordedCommand for TransferCommand {
    type Done = TransferDone;
    type Decision = TransferDecision;
    type Refused = TransferRefusal;

    fn add_to_footprint(&self, footprint: &mut Footprint) {
        footprint.budget_and_counters(&self.account, self.from);
        footprint.budget(&self.account, self.to);
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn claim(&self) -> Option<&IdempotencyClaim<TransferDone>> {
        self.claim.as_ref()
    }

    fn decision(&self, working_set: &WorkingSet) -> Result<TransferDecision, WriteError<TransferRefusal>> {
        let from = working_set.balance_set.record(&self.account, self.from)?.ok_or(WriteError::Absent)?;
        let to = working_set.balance_set.record(&self.account, self.to)?;
        let situation = TransferSituation { from, to, number: working_set.credits.next_number(&self.account)? };
        ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)
    }

    fn done(decision: &TransferDecision) -> Option<&TransferDone> {
        Some(&decision.done)
    }

    fn stage(
        &self,
        working_set: &mut WorkingSet,
        decision: TransferDecision,
    ) -> Result<TransferDone, WriteError<TransferRefusal>> {
        let TransferDone { transfer, from, to } = &decision.done;
        let (debit_number, credit_number) = (transfer.number, transfer.credit_number());
        working_set.balance_set.change_with_number(&self.account, (self.from, transfer.currency), *from, debit_number);
        working_set.balance_set.change_with_number(&self.account, (self.to, transfer.currency), *to, credit_number);
        working_set.credits.set_last_number(&self.account, credit_number);
        working_set.journal.add(&decision.journal);
        working_set.transfers.add(transfer);
        working_set.events.add(&decision.events);
        Ok(decision.done)
    }

    fn dry_run(decision: TransferDecision) -> Result<DryRun<TransferDone>, WriteError<TransferRefusal>> {
        Ok(decision.into())
    }
}

impl From<TransferRow> for Transfer {
    fn from(row: TransferRow) -> Self {
        Self {
            id: TransferId(row.id.0),
            number: row.number,
            account: row.account_id.0,
            from: BudgetId(row.from_budget_id.0),
            to: BudgetId(row.to_budget_id.0),
            currency: row.currency.0,
            amount: Minor(row.amount_minor),
            journal: JournalId(row.journal_id.0),
            reference: row.reference,
            created_at: row.created_at.0,
        }
    }
}

/// Returns transfers of an account by their journal transactions, in any order.
pub(crate) fn by_journals(conn: &mut Conn, account: &AccountId, journals: &[Uuid]) -> Outcome<Vec<Transfer>> {
    let causes = journal_legs::table
        .filter(journal_legs::account_id.eq(account.as_str()))
        .filter(journal_legs::journal_id.eq_any(journals.iter().map(|id| Id(*id))))
        .filter(journal_legs::line.eq(0))
        .filter(journal_legs::kind.eq(Named(JournalKind::Transfer)))
        .select(journal_legs::cause_id)
        .load::<Id>(conn)?;
    by_ids(conn, account, &causes.into_iter().map(|cause| cause.0).collect::<Vec<_>>())
}

/// Returns transfers of an account by their ids, in any order.
pub(crate) fn by_ids(conn: &mut Conn, account: &AccountId, ids: &[Uuid]) -> Outcome<Vec<Transfer>> {
    let rows = transfers::table
        .filter(transfers::account_id.eq(account.as_str()))
        .filter(transfers::id.eq_any(ids.iter().map(|id| Id(*id))))
        .select(TransferRow::as_select())
        .load(conn)?;
    Ok(rows.into_iter().map(Transfer::from).collect())
}
