//! Payment batches: their confirmation, and the batches that a group works on.

use super::backend::{Changes, Conn};
use super::batch_rows::{assemble, with_orders};
use super::errors::{Failure, Outcome};
use super::group::{Footprint, RecordedCommand, WorkingSet, ask};
use super::mfa::Authentication;
use super::statements::{load, load_four};
use super::store::Store;
use super::tables::batches::{BatchChange, BatchRow, LockedBatches, OrdersOfBatches, payment_batches};
use super::tables::mfa::{LockedEnrolments, PoliciesById, SessionsById};
use super::tables::money::balances;
use super::tracked::Tracked;
use super::types::{Id, Time};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::batch::{
    BatchBalances, ConfirmDecision, ConfirmRefusal, ConfirmSituation, ConfirmedBatch, PaymentBatch,
};
use florin_domain::ids::{AccountId, PaymentBatchId};
use florin_ports::{ConfirmCommand, DryRun, IdempotencyClaim, Mode, PaymentBatches, WriteError, Written};
use std::collections::{BTreeMap, BTreeSet};

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

    fn situation(&self, footprint: &mut Footprint) {
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
        self.repeat.as_ref()
    }

    fn decision(&self, working_set: &WorkingSet) -> Result<ConfirmDecision, WriteError<ConfirmRefusal>> {
        let situation = situation(working_set, self).ok_or(WriteError::Absent)?;
        Ok(ask(|| (self.decide)(&situation))?)
    }

    fn done(decision: &ConfirmDecision) -> Option<&PaymentBatch> {
        decision.answer.as_ref().ok().map(|confirmed| &confirmed.batch)
    }

    fn stage(
        &self,
        working_set: &mut WorkingSet,
        decision: ConfirmDecision,
    ) -> Result<PaymentBatch, WriteError<ConfirmRefusal>> {
        // Attempts count, whatever the answer.
        working_set.mfa.change(decision.session, decision.enrolment);
        let confirmed = decision.answer.map_err(WriteError::Refused)?;
        stage(working_set, &confirmed);
        Ok(confirmed.batch)
    }

    fn dry_run(decision: ConfirmDecision) -> Result<DryRun<PaymentBatch>, WriteError<ConfirmRefusal>> {
        decision.answer.map(DryRun::from).map_err(WriteError::Refused)
    }
}

fn situation(working_set: &WorkingSet, command: &ConfirmCommand) -> Option<ConfirmSituation> {
    let account = &command.account;
    let batch = working_set.batches.get(account, command.batch)?.clone();
    Some(ConfirmSituation {
        session: command.session.and_then(|id| working_set.mfa.session(account, id)),
        enrolment: working_set.mfa.enrolment(account),
        mfa_required: working_set.batches.wants_mfa(account),
        balances: funds(working_set, &batch),
        batch,
    })
}

/// Returns the balances of the budgets that fund a batch's orders.
pub(crate) fn funds(working_set: &WorkingSet, batch: &PaymentBatch) -> BatchBalances {
    let mut balances = BatchBalances::new();
    for order in &batch.orders {
        let held = working_set.balance_set.of(&batch.account, order.budget).iter();
        balances.extend(held.map(|(currency, held)| ((order.budget, *currency), *held)));
    }
    balances
}

fn stage(working_set: &mut WorkingSet, confirmed: &ConfirmedBatch) {
    let batch = &confirmed.batch;
    working_set.move_money(&batch.account, &confirmed.journal, &confirmed.balances);
    working_set.all_become(batch, confirmed.payments);
    working_set.events.add(&confirmed.events);
    working_set.batches.change(batch.clone());
}

/// The batches of a group.
#[derive(Default)]
pub(crate) struct Batches {
    known: Tracked<(AccountId, PaymentBatchId), PaymentBatch>,
    /// The time from which there is work on each batch.
    work: BTreeMap<(AccountId, PaymentBatchId), Option<Time>>,
    /// Whether confirmations require MFA, by account.
    policies: BTreeMap<AccountId, bool>,
}

impl Batches {
    /// Locks and loads batches, then loads their orders, their sessions and the MFA policies of their accounts. Also
    /// locks and loads enrolments.
    pub(crate) fn load(conn: &mut Conn, footprint: &Footprint) -> Outcome<(Self, Authentication)> {
        let locked = load::<LockedBatches>(footprint.batches.iter().cloned(), conn)?;
        let work =
            locked.iter().map(|row| ((row.account_id.0.clone(), PaymentBatchId(row.id.0)), row.work_at)).collect();
        let accounts: BTreeSet<_> = footprint.funded.iter().map(|(account, _)| (account.clone(),)).collect();
        let (commands, policies, sessions, enrolments) =
            load_four::<OrdersOfBatches, PoliciesById, SessionsById, LockedEnrolments>(
                locked.iter().map(BatchRow::key).collect::<Vec<_>>(),
                accounts,
                footprint.sessions.iter().cloned(),
                footprint.enrolments.iter().cloned(),
                conn,
            )?;
        let batches = assemble(locked, commands)?.into_iter();
        let batches = Self {
            known: batches.map(|batch| ((batch.account.clone(), batch.id), batch)).collect(),
            work,
            policies: policies.into_iter().map(|row| (row.id.0, row.mfa_required)).collect(),
        };
        Ok((batches, Authentication::of(sessions, enrolments)?))
    }

    /// Returns a batch.
    pub(crate) fn get(&self, account: &AccountId, id: PaymentBatchId) -> Option<&PaymentBatch> {
        self.known.get(&(account.clone(), id))
    }

    fn wants_mfa(&self, account: &AccountId) -> bool {
        self.policies.get(account).copied().unwrap_or(true)
    }

    /// Stages the time from which there is work on a batch. The batch itself must change, too.
    pub(crate) fn work_at(&mut self, batch: &PaymentBatch, at: Option<Time>) {
        self.work.insert((batch.account.clone(), batch.id), at);
    }

    /// Stages a change of a batch. Its orders do not change.
    pub(crate) fn change(&mut self, batch: PaymentBatch) {
        self.known.change((batch.account.clone(), batch.id), batch);
    }

    /// Requires that the funding balances of the batches are locked. The orders of a batch can be replaced after the
    /// footprint was computed and before the batch is locked. A retry finds the new orders.
    pub(crate) fn must_be_covered(
        &self,
        conn: &mut Conn,
        footprint: &Footprint,
        working_set: &super::balances::BalanceSet,
    ) -> Outcome<()> {
        for (account, id) in &footprint.funded {
            let commands = self.get(&account.0, PaymentBatchId(id.0)).map_or(&[][..], |batch| &batch.orders);
            for command in commands.iter().filter(|command| working_set.of(&account.0, command.budget).is_empty()) {
                let of_budget = balances::table
                    .filter(balances::account_id.eq(account))
                    .filter(balances::budget_id.eq(Id(command.budget.0)));
                if of_budget.count().get_result::<i64>(conn)? > 0 {
                    return Err(Failure::Contended("the orders of a batch were replaced meanwhile".into()));
                }
            }
        }
        Ok(())
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        let Self { known, work, .. } = self;
        let now = |(key, batch)| BatchChange::of(batch, work.get(&key).copied().flatten());
        changes.update(known.into_changes().map(now).collect())
    }
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
