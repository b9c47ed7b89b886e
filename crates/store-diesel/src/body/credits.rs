//! Credits.

use super::ask::ask;
use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::footprint::Footprint;
use super::group::RecordedCommand;
use super::store::Store;
use super::tables::money::{CreditRow, credits};
use super::types::Id;
use super::working_set::WorkingSet;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::activity::CreditDetail;
use florin_domain::budget::{Credit, CreditDecision, CreditRefusal, CreditSituation};
use florin_domain::ids::AccountId;
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_ports::{CreditCommand, Credits, DryRun, IdempotencyClaim, Mode, WriteError, Written};
use std::collections::BTreeMap;

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

    fn add_to_footprint(&self, footprint: &mut Footprint) {
        footprint.budget_and_counters(&self.account, self.budget);
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn claim(&self) -> Option<&IdempotencyClaim<Credit>> {
        self.claim.as_ref()
    }

    fn decision(&self, working_set: &WorkingSet) -> Result<CreditDecision, WriteError<CreditRefusal>> {
        let budget = working_set.balance_set.budget(&self.account, self.budget).ok_or(WriteError::Absent)?;
        let situation = CreditSituation { budget, number: working_set.credits.next_number(&self.account)? };
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
        let credit = &decision.credit;
        let number = credit.box_transaction_id;
        working_set.balance_set.change_with_number(&self.account, (self.budget, currency), credit.balances, number);
        working_set.journal.add(&decision.journal);
        working_set.credits.add(self, &decision);
        working_set.events.add(&decision.events);
        Ok(decision.credit)
    }

    fn dry_run(decision: CreditDecision) -> Result<DryRun<Credit>, WriteError<CreditRefusal>> {
        Ok(decision.into())
    }
}

impl CreditRow {
    /// Returns the details of the credit.
    pub(crate) fn detail(self) -> Outcome<CreditDetail> {
        let [available, held, reserved] = [self.available_minor, self.held_minor, self.reserved_minor].map(Minor);
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
            balances: Balances::new(available, held, reserved).map_err(corrupt)?,
        })
    }
}

/// Returns the details of the credits that these journal transactions record, by journal transaction.
pub(crate) fn details(conn: &mut Conn, account: &AccountId, journal: &[Id]) -> Outcome<BTreeMap<Id, CreditDetail>> {
    let rows = credits::table
        .filter(credits::account_id.eq(account.as_str()))
        .filter(credits::journal_id.eq_any(journal))
        .select(CreditRow::as_select())
        .load(conn)?;
    rows.into_iter().map(|row| Ok((row.journal_id, row.detail()?))).collect()
}
