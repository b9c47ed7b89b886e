//! Credits.

use super::backend::{Changes, Conn};
use super::errors::{Outcome, corrupt};
use super::group::{Footprint, RecordedCommand, WorkingSet, ask};
use super::store::Store;
use super::tables::money::{CounterChange, CounterRow, CreditRow, credits};
use super::tracked::Tracked;
use super::types::{Account, Currency, Id, Named, Time};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::activity::CreditDetail;
use florin_domain::budget::{Credit, CreditDecision, CreditRefusal, CreditSituation};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_domain::text::Text;
use florin_ports::{CreditCommand, Credits, DryRun, IdempotencyClaim, Mode, WriteError, Written};
use std::collections::BTreeMap;

impl CreditRow {
    fn of(CreditDecision { credit, journal }: &CreditDecision, budget: BudgetId) -> Self {
        let sent = credit.instruction.clone();
        Self {
            account_id: Account(credit.account.clone()),
            number: credit.box_transaction_id,
            budget_id: Id(budget.0),
            journal_id: Id(journal.id.0),
            currency: Currency(sent.currency),
            amount_minor: credit.amount.0,
            scheme: Named(sent.scheme),
            remitters_name: sent.remitters_name.into_string(),
            remitters_address: sent.remitters_address.into_string(),
            beneficiary_name: sent.beneficiary_name.into_string(),
            reference: sent.reference.map(Text::into_string),
            bank_identifier: sent.bank_identifier.map(Text::into_string),
            account_identifier: sent.account_identifier.map(Text::into_string),
            order_id: sent.order_id.map(Text::into_string),
            third_party_reference: sent.third_party_reference.map(Text::into_string),
            institution_name: sent.institution_name.map(Text::into_string),
            institution_address: sent.institution_address.map(Text::into_string),
            available_minor: credit.balances.available().0,
            held_minor: credit.balances.held().0,
            reserved_minor: credit.balances.reserved().0,
            created_at: Time(credit.created_at),
        }
    }
}

#[async_trait]
impl Credits for Store {
    async fn credit(&self, command: CreditCommand) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
        self.submit(command).await
    }
}

impl RecordedCommand for CreditCommand {
    type Done = Credit;
    type Decision = CreditDecision;
    type Refused = CreditRefusal;

    fn situation(&self, footprint: &mut Footprint) {
        footprint.credited(&self.account, self.budget);
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn claim(&self) -> Option<&IdempotencyClaim<Credit>> {
        self.repeat.as_ref()
    }

    fn decision(&self, working_set: &WorkingSet) -> Result<CreditDecision, WriteError<CreditRefusal>> {
        let budget = working_set.balance_set.budget(&self.account, self.budget).ok_or(WriteError::Absent)?;
        let situation = CreditSituation { budget, number: working_set.credits.next(&self.account)? };
        ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)
    }

    fn done(decision: &CreditDecision) -> Option<&Credit> {
        Some(&decision.credit)
    }

    fn stage(
        &self,
        working_set: &mut WorkingSet,
        decision: CreditDecision,
    ) -> Result<Credit, WriteError<CreditRefusal>> {
        let currency = decision.credit.instruction.currency;
        working_set.balance_set.change(&self.account, (self.budget, currency), decision.credit.balances);
        working_set.journal.add(&decision.journal);
        working_set.credits.add(self, &decision);
        Ok(decision.credit)
    }

    fn dry_run(decision: CreditDecision) -> Result<DryRun<Credit>, WriteError<CreditRefusal>> {
        Ok(decision.into())
    }
}

/// The new credits of a group, and the last numbers of their accounts.
#[derive(Default)]
pub(crate) struct Counted {
    last: Tracked<AccountId, i64>,
    new: Vec<CreditRow>,
}

impl Counted {
    /// Builds the value from counters, which are locked.
    pub(crate) fn of(rows: Vec<CounterRow>) -> Self {
        Self { last: rows.into_iter().map(|row| (row.account_id.0, row.last_number)).collect(), new: Vec::new() }
    }

    /// Whether the account exists: whether its counter was loaded and locked.
    pub(crate) fn has(&self, account: &AccountId) -> bool {
        self.last.get(account).is_some()
    }

    /// Returns the number of the account's next credit.
    fn next(&self, account: &AccountId) -> Outcome<i64> {
        let last = self.last.get(account).ok_or_else(|| corrupt("an account without a counter of credits"))?;
        last.checked_add(1).ok_or_else(|| corrupt("all credit numbers are used"))
    }

    fn add(&mut self, command: &CreditCommand, decision: &CreditDecision) {
        self.last.change(command.account.clone(), decision.credit.box_transaction_id);
        self.new.push(CreditRow::of(decision, command.budget));
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        let now = |(account, last_number)| CounterChange { last_number, account_id: Account(account) };
        changes.update(self.last.into_changes().map(now).collect())?;
        changes.insert(self.new)
    }
}

impl CreditRow {
    /// Returns the details that were sent with the credit.
    fn detail(self) -> Outcome<CreditDetail> {
        let held = (Minor(self.available_minor), Minor(self.held_minor), Minor(self.reserved_minor));
        Ok(CreditDetail {
            box_transaction_id: self.number,
            scheme: self.scheme.0,
            remitters_name: self.remitters_name,
            remitters_address: self.remitters_address,
            beneficiary_name: self.beneficiary_name,
            reference: self.reference,
            bank_identifier: self.bank_identifier,
            account_identifier: self.account_identifier,
            order_id: self.order_id,
            third_party_reference: self.third_party_reference,
            institution_name: self.institution_name,
            institution_address: self.institution_address,
            balances: Balances::new(held.0, held.1, held.2).map_err(corrupt)?,
        })
    }
}

/// Returns the details of the credits behind these journal transactions.
pub(crate) fn details(conn: &mut Conn, account: &AccountId, journal: &[Id]) -> Outcome<BTreeMap<Id, CreditDetail>> {
    let rows = credits::table
        .filter(credits::account_id.eq(account.as_str()))
        .filter(credits::journal_id.eq_any(journal))
        .select(CreditRow::as_select())
        .load(conn)?;
    rows.into_iter().map(|row| Ok((row.journal_id, row.detail()?))).collect()
}
