//! Payment batches.

use super::balances::BalanceSet;
use super::body::backend::{Changes, Conn};
use super::body::batch_rows::assemble;
use super::body::errors::{Failure, Outcome};
use super::body::footprint::Footprint;
use super::body::statements::{load, load_four};
use super::body::tables::batches::{BatchChange, BatchRow, LockedBatches, OrdersOfBatches};
use super::body::tables::mfa::{LockedEnrolments, PoliciesById, SessionsById};
use super::body::tables::money::balances;
use super::body::types::{Id, Time};
use super::mfa::MfaSet;
use super::tracked::Tracked;
use diesel::prelude::*;
use florin_domain::batch::PaymentBatch;
use florin_domain::ids::{AccountId, PaymentBatchId};
use std::collections::{BTreeMap, BTreeSet};

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
    pub(crate) fn load(conn: &mut Conn, footprint: &Footprint) -> Outcome<(Self, MfaSet)> {
        let locked = load::<LockedBatches>(footprint.batches.iter().cloned(), conn)?;
        let work =
            locked.iter().map(|row| ((row.account_id.0.clone(), PaymentBatchId(row.id.0)), row.work_at)).collect();
        let accounts: BTreeSet<_> = footprint.funded.iter().map(|(account, _)| (account.clone(),)).collect();
        let (orders, policies, sessions, enrolments) =
            load_four::<OrdersOfBatches, PoliciesById, SessionsById, LockedEnrolments>(
                locked.iter().map(BatchRow::key).collect::<Vec<_>>(),
                accounts,
                footprint.sessions.iter().cloned(),
                footprint.enrolments.iter().cloned(),
                conn,
            )?;
        let batches = assemble(locked, orders)?.into_iter();
        let batches = Self {
            known: batches.map(|batch| ((batch.account.clone(), batch.id), batch)).collect(),
            work,
            policies: policies.into_iter().map(|row| (row.id.0, row.mfa_required)).collect(),
        };
        Ok((batches, MfaSet::of(sessions, enrolments)?))
    }

    /// Returns a batch.
    pub(crate) fn get(&self, account: &AccountId, id: PaymentBatchId) -> Option<&PaymentBatch> {
        self.known.get(&(account.clone(), id))
    }

    /// Whether a confirmation on the account requires MFA.
    pub(crate) fn requires_mfa(&self, account: &AccountId) -> bool {
        self.policies.get(account).copied().unwrap_or(true)
    }

    /// Stages the time from which there is work on a batch. The batch itself must change, too.
    pub(crate) fn set_work_at(&mut self, batch: &PaymentBatch, at: Option<Time>) {
        self.work.insert((batch.account.clone(), batch.id), at);
    }

    /// Stages a change of a batch. Its orders do not change.
    pub(crate) fn change(&mut self, batch: PaymentBatch) {
        self.known.change((batch.account.clone(), batch.id), batch);
    }

    /// Requires that the funding balances of the batches are locked. The orders of a batch can be replaced after the
    /// footprint was computed and before the batch is locked. A retry finds the new orders.
    pub(crate) fn require_locked_funds(
        &self,
        conn: &mut Conn,
        footprint: &Footprint,
        balance_set: &BalanceSet,
    ) -> Outcome<()> {
        for (account, id) in &footprint.funded {
            let orders = self.get(&account.0, PaymentBatchId(id.0)).map_or(&[][..], |batch| &batch.orders);
            for order in orders.iter().filter(|order| balance_set.of(&account.0, order.budget).is_empty()) {
                let of_budget = balances::table
                    .filter(balances::account_id.eq(account))
                    .filter(balances::budget_id.eq(Id(order.budget.0)));
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
        let change = |(key, batch)| BatchChange::of(batch, work.get(&key).copied().flatten());
        changes.update(known.into_changes().map(change).collect())
    }
}
