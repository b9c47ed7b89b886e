//! Creation, upload, editing and cancellation of payment batches.

use crate::MemoryStore;
use crate::batch_reading::{funding_of, summary};
use crate::batches::{balances_of, set_payments};
use crate::data::{Data, add, must_exist, replace};
use crate::events::record;
use crate::idempotency::once;
use crate::money::{store_balances, write_journal};
use async_trait::async_trait;
use florin_domain::batch::{
    Alert, BatchSummary, CancelRefusal, CancelSituation, Payment, PaymentBatch, UploadRefusal, UploadSituation,
};
use florin_domain::ids::{AccountId, PaymentBatchId};
use florin_ports::{
    BatchManagement, CancelBatchCommand, CreateBatchCommand, EditBatchCommand, StoreError, UploadCommand, WriteError,
    Written,
};
use std::collections::BTreeSet;
use std::convert::Infallible;

#[async_trait]
impl BatchManagement for MemoryStore {
    async fn create(&self, command: CreateBatchCommand) -> Result<Written<BatchSummary>, WriteError<UploadRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                if !data.accounts.contains_key(&command.account) {
                    return Err(WriteError::Absent);
                }
                let decision = (command.decide)(&funding_of(data, &command.account)).map_err(WriteError::Refused)?;
                let batch = decision.batch;
                must_exist(data.clients.contains_key(&batch.created_by), &batch.created_by)?;
                add(&mut data.batches, (batch.account.clone(), batch.id), batch.clone())?;
                fill(data, &batch, decision.payments, decision.alerts)?;
                record(data, &decision.events)?;
                Ok(summary(data, &batch))
            })
        })
    }

    async fn upload(&self, command: UploadCommand) -> Result<Written<PaymentBatch>, WriteError<UploadRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let batch = batch(data, &command.account, command.batch).ok_or(WriteError::Absent)?;
                let situation = UploadSituation { batch, funding: funding_of(data, &command.account) };
                let decision = (command.decide)(&situation).map_err(WriteError::Refused)?;
                save(data, &decision.batch)?;
                fill(data, &decision.batch, decision.payments, decision.alerts)?;
                record(data, &decision.events)?;
                Ok(decision.batch)
            })
        })
    }

    async fn edit(&self, command: EditBatchCommand) -> Result<Written<BatchSummary>, WriteError<Infallible>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let batch = batch(data, &command.account, command.batch).ok_or(WriteError::Absent)?;
                let edited = (command.decide)(&batch);
                save(data, &edited)?;
                Ok(summary(data, &edited))
            })
        })
    }

    async fn cancel(&self, command: CancelBatchCommand) -> Result<Written<PaymentBatch>, WriteError<CancelRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let batch = batch(data, &command.account, command.batch).ok_or(WriteError::Absent)?;
                let balances = balances_of(data, &batch);
                let decision = (command.decide)(&CancelSituation { batch, balances }).map_err(WriteError::Refused)?;
                let batch = decision.batch;
                save(data, &batch)?;
                set_payments(data, &batch, decision.payments);
                decision.journal.iter().try_for_each(|transaction| write_journal(data, transaction))?;
                for (place, after) in &decision.balances {
                    store_balances(data, &batch.account, *place, *after)?;
                }
                record(data, &decision.events)?;
                Ok(batch)
            })
        })
    }
}

pub(crate) fn batch(data: &Data, account: &AccountId, batch: PaymentBatchId) -> Option<PaymentBatch> {
    data.batches.get(&(account.clone(), batch)).cloned()
}

pub(crate) fn save(data: &mut Data, batch: &PaymentBatch) -> Result<(), StoreError> {
    replace(&mut data.batches, &(batch.account.clone(), batch.id), batch.clone())
}

/// Replaces all payments and alerts of a batch.
fn fill(
    data: &mut Data,
    batch: &PaymentBatch,
    payments: Vec<Payment>,
    mut alerts: Vec<Alert>,
) -> Result<(), StoreError> {
    // Alerts without a row come first, and alerts of the same row keep their order.
    alerts.sort_by_key(|alert| alert.index);
    for order in &batch.orders {
        must_exist(data.budgets.contains_key(&(batch.account.clone(), order.budget)), &order.budget)?;
    }
    data.payments.retain(|(account, id, _), _| (account, id) != (&batch.account, &batch.id));
    let mut ids: BTreeSet<_> = data.payments.values().map(|known| (known.account.clone(), known.id)).collect();
    for payment in payments {
        // The id may belong to a payment of another batch.
        if !ids.insert((payment.account.clone(), payment.id)) {
            return Err(StoreError::Duplicate(payment.id.to_string()));
        }
        add(&mut data.payments, (payment.account.clone(), payment.batch, payment.index), payment)?;
    }
    data.alerts.insert((batch.account.clone(), batch.id), alerts);
    Ok(())
}
