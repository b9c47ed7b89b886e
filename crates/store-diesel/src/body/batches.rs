//! Payment batches and their confirmation.

use super::ask::ask;
use super::backend::Conn;
use super::batch_rows::with_orders;
use super::errors::Outcome;
use super::footprint::Footprint;
use super::group::RecordedCommand;
use super::store::Store;
use super::tables::batches::{BatchRow, payment_batches};
use super::working_set::WorkingSet;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::batch::{
    BatchBalances, ConfirmDecision, ConfirmRefusal, ConfirmSituation, ConfirmedBatch, PaymentBatch,
};
use florin_domain::ids::AccountId;
use florin_ports::{ConfirmCommand, DryRun, IdempotencyClaim, Mode, PaymentBatches, WriteError, Written};

#[async_trait]
impl PaymentBatches for Store {
    async fn confirm(&self, command: ConfirmCommand) -> Result<Written<PaymentBatch>, WriteError<ConfirmRefusal>> {
        self.submit(command).await
    }
}

impl RecordedCommand for ConfirmCommand {
    type Done = PaymentBatch;
    type Decision = ConfirmDecision;
    type Refused = ConfirmRefusal;

    fn add_to_footprint(&self, footprint: &mut Footprint) {
        footprint.batch(&self.account, self.batch);
        footprint.funds_of(&self.account, self.batch);
        if let Some(session) = self.session {
            footprint.session(&self.account, session);
        }
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn claim(&self) -> Option<&IdempotencyClaim<PaymentBatch>> {
        self.claim.as_ref()
    }

    fn decision(&self, working_set: &WorkingSet) -> Result<ConfirmDecision, WriteError<ConfirmRefusal>> {
        let situation = situation(working_set, self).ok_or(WriteError::Absent)?;
        Ok(ask(|| (self.decide)(&situation))?)
    }

    fn done(decision: &ConfirmDecision) -> Option<&PaymentBatch> {
        decision.result.as_ref().ok().map(|confirmed| &confirmed.batch)
    }

    fn stage(
        &self,
        working_set: &mut WorkingSet,
        decision: ConfirmDecision,
    ) -> Result<PaymentBatch, WriteError<ConfirmRefusal>> {
        // The attempt counts even if the answer is a refusal.
        working_set.mfa.change(decision.session, decision.enrolment);
        let confirmed = decision.result.map_err(WriteError::Refused)?;
        stage(working_set, &confirmed);
        Ok(confirmed.batch)
    }

    fn dry_run(decision: ConfirmDecision) -> Result<DryRun<PaymentBatch>, WriteError<ConfirmRefusal>> {
        decision.result.map(DryRun::from).map_err(WriteError::Refused)
    }
}

fn situation(working_set: &WorkingSet, command: &ConfirmCommand) -> Option<ConfirmSituation> {
    let account = &command.account;
    let batch = working_set.batches.get(account, command.batch)?.clone();
    Some(ConfirmSituation {
        session: command.session.and_then(|id| working_set.mfa.session(account, id)),
        enrolment: working_set.mfa.enrolment(account),
        mfa_required: working_set.batches.requires_mfa(account),
        balances: funds(working_set, &batch),
        batch,
    })
}

/// Returns the balances of the budgets that fund a batch's orders.
pub(crate) fn funds(working_set: &WorkingSet, batch: &PaymentBatch) -> BatchBalances {
    let mut balances = BatchBalances::new();
    for order in &batch.orders {
        let of_budget = working_set.balance_set.of(&batch.account, order.budget).iter();
        balances.extend(of_budget.map(|(currency, balance)| ((order.budget, *currency), *balance)));
    }
    balances
}

fn stage(working_set: &mut WorkingSet, confirmed: &ConfirmedBatch) {
    let batch = &confirmed.batch;
    working_set.move_money(&batch.account, &confirmed.journal, &confirmed.balances);
    working_set.change_all_payments(batch, confirmed.payments);
    working_set.events.add(&confirmed.events);
    working_set.batches.change(batch.clone());
}

/// Returns the batches of an account, by id.
pub(crate) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<PaymentBatch>> {
    let rows = payment_batches::table
        .filter(payment_batches::account_id.eq(account.as_str()))
        .order(payment_batches::id)
        .select(BatchRow::as_select())
        .load(conn)?;
    with_orders(conn, rows)
}
