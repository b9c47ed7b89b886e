//! Confirmations of payment batches.

use crate::MemoryStore;
use crate::activities::renew_positions;
use crate::data::{Data, replace};
use crate::events::record;
use crate::idempotency::once;
use crate::money::{store_balances, write_journal};
use async_trait::async_trait;
use florin_domain::batch::{
    BatchBalances, BulkStatus, ConfirmDecision, ConfirmRefusal, ConfirmSituation, ConfirmedBatch, Payment, PaymentBatch,
};
use florin_domain::ids::{AccountId, ActivityId, PaymentBatchId};
use florin_ports::{ConfirmCommand, DryRun, Mode, PaymentBatches, StoreError, WriteError, Written};

#[async_trait]
impl PaymentBatches for MemoryStore {
    async fn confirm(&self, command: ConfirmCommand) -> Result<Written<PaymentBatch>, WriteError<ConfirmRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide(data, &command)?.result.map(DryRun::from).map_err(WriteError::Refused));
        }
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let decision = decide(data, &command)?;
                // The attempt is stored even if the rule refuses the confirmation.
                if let Some(session) = decision.session {
                    replace(&mut data.mfa_sessions, &(session.account.clone(), session.id), session)?;
                }
                if let Some(enrolment) = decision.enrolment {
                    replace(&mut data.enrolments, &enrolment.account.clone(), enrolment)?;
                }
                let confirmed = decision.result.map_err(WriteError::Refused)?;
                save(data, &confirmed)?;
                Ok(confirmed.batch)
            })
        })
    }
}

/// Decides a confirmation without storing it.
fn decide(data: &Data, command: &ConfirmCommand) -> Result<ConfirmDecision, WriteError<ConfirmRefusal>> {
    let situation = situation(data, command)?.ok_or(WriteError::Absent)?;
    Ok((command.decide)(&situation))
}

/// Loads the batch, the named session, the account's enrolment and MFA policy, and the balances of the funding budgets.
fn situation(data: &Data, command: &ConfirmCommand) -> Result<Option<ConfirmSituation>, StoreError> {
    let account = &command.account;
    let Some(batch) = data.batches.get(&(account.clone(), command.batch)) else { return Ok(None) };
    let policy = data.accounts.get(account).map(|account| account.mfa_required);
    Ok(Some(ConfirmSituation {
        batch: batch.clone(),
        session: command.session.and_then(|id| data.mfa_sessions.get(&(account.clone(), id))).cloned(),
        enrolment: data.enrolments.get(account).cloned(),
        mfa_required: policy.ok_or_else(|| StoreError::Corrupt("a batch without its account".into()))?,
        balances: balances_of(data, batch),
    }))
}

fn save(data: &mut Data, confirmed: &ConfirmedBatch) -> Result<(), StoreError> {
    let batch = &confirmed.batch;
    replace(&mut data.batches, &(batch.account.clone(), batch.id), batch.clone())?;
    set_payments(data, batch, confirmed.payments);
    record(data, &confirmed.events)?;
    confirmed.journal.iter().try_for_each(|transaction| write_journal(data, transaction))?;
    confirmed.balances.iter().try_for_each(|(key, after)| store_balances(data, &batch.account, *key, *after))
}

/// Returns the balances of a batch's funding budgets.
pub(crate) fn balances_of(data: &Data, batch: &PaymentBatch) -> BatchBalances {
    let budgets = batch.orders.iter().filter_map(|order| data.budgets.get(&(batch.account.clone(), order.budget)));
    let balances = budgets.flat_map(|budget| {
        let id = budget.id;
        budget.balances.iter().map(move |(currency, balances)| ((id, *currency), *balances))
    });
    balances.collect()
}

/// Returns the payments of a batch, ordered by input index.
pub(crate) fn payments_of<'a>(
    data: &'a Data,
    account: &AccountId,
    batch: PaymentBatchId,
) -> impl DoubleEndedIterator<Item = &'a Payment> {
    let of_batch = (account.clone(), batch, u32::MIN)..=(account.clone(), batch, u32::MAX);
    data.payments.range(of_batch).map(|(_, payment)| payment)
}

/// Gives every payment of a batch a new status and a new position. The time of the change is that of the batch's last
/// change.
pub(crate) fn set_payments(data: &mut Data, batch: &PaymentBatch, status: BulkStatus) {
    let of_batch = (batch.account.clone(), batch.id, u32::MIN)..=(batch.account.clone(), batch.id, u32::MAX);
    let mut changed = Vec::new();
    for (_, payment) in data.payments.range_mut(of_batch) {
        status.apply(payment, batch.updated_at);
        changed.push(ActivityId(payment.id.0));
    }
    renew_positions(data, &batch.account, changed);
}
