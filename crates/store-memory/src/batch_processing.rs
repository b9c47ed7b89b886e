//! Processing of confirmed batches.

use crate::MemoryStore;
use crate::activities::renew_positions;
use crate::batch_management::{batch, save};
use crate::batches::{balances_of, payments_of};
use crate::credits::next_number;
use crate::data::{Data, replace};
use crate::events::record;
use crate::money::{store_balances, write_journal};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::batch::{
    IllegalBatchTransition, Payment, PaymentBatch, PaymentBatchStatus, PaymentStatus, SettleDecision, SettleRefusal,
    SettleSituation, StartPaymentsSituation,
};
use florin_domain::budget::Budget;
use florin_domain::ids::ActivityId;
use florin_ports::{
    BatchProcessing, ClaimCommand, Lease, ProcessingError, RecordCommand, StartCommand, StartPaymentsCommand,
    StoreError, WriteError,
};
use std::convert::Infallible;

#[async_trait]
impl BatchProcessing for MemoryStore {
    async fn claim(&self, command: ClaimCommand) -> Result<Vec<Lease>, StoreError> {
        self.change(|data| {
            let is_claimable = |batch: &&PaymentBatch| {
                let lease = data.leases.get(&(batch.account.clone(), batch.id));
                lease.is_none_or(|(_, until)| *until <= command.now) && has_work(data, batch, command.now)
            };
            let mut due: Vec<_> = data.batches.values().filter(is_claimable).collect();
            due.sort_by_key(|batch| (batch.updated_at, batch.account.clone(), batch.id));
            due.truncate(usize::try_from(command.max).unwrap_or(usize::MAX));
            let (id, until) = (command.lease, command.until);
            let lease = |batch: &PaymentBatch| Lease { id, account: batch.account.clone(), batch: batch.id, until };
            let leases: Vec<_> = due.into_iter().map(lease).collect();
            for lease in &leases {
                data.leases.insert((lease.account.clone(), lease.batch), (id, until));
            }
            Ok(leases)
        })
    }

    async fn start(&self, command: StartCommand) -> Result<PaymentBatch, ProcessingError<IllegalBatchTransition>> {
        self.fenced(&command.lease, |data, batch| {
            let decision = (command.decide)(&batch).map_err(WriteError::Refused)?;
            save(data, &decision.batch)?;
            record(data, &decision.events)?;
            Ok(decision.batch)
        })
    }

    async fn start_payments(&self, command: StartPaymentsCommand) -> Result<Vec<Payment>, ProcessingError<Infallible>> {
        self.fenced(&command.lease, |data, batch| {
            let payments = payments_of(data, &batch.account, batch.id);
            let next = payments.filter(|payment| payment.status() == PaymentStatus::Confirmed);
            let next = next.take(usize::try_from(command.max).unwrap_or(usize::MAX)).cloned().collect();
            let decision = (command.decide)(&StartPaymentsSituation { batch, payments: next });
            save_payments(data, &decision.payments)?;
            record(data, &decision.events)?;
            Ok(decision.payments)
        })
    }

    async fn due(&self, lease: &Lease, now: DateTime<Utc>, max: u32) -> Result<Vec<Payment>, StoreError> {
        let mut due: Vec<_> = self.read(|data| {
            let payments = payments_of(data, &lease.account, lease.batch);
            payments.filter(|payment| payment.state.ask_at().is_some_and(|at| at <= now)).cloned().collect()
        });
        due.sort_by_key(|payment: &Payment| (payment.state.ask_at(), payment.index));
        due.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        Ok(due)
    }

    async fn record(&self, command: RecordCommand) -> Result<SettleDecision, ProcessingError<SettleRefusal>> {
        self.fenced(&command.lease, |data, batch| {
            let account = batch.account.clone();
            let decision = (command.decide)(&situation(data, &batch, &command)?).map_err(WriteError::Refused)?;
            if let Some(batch) = &decision.batch {
                save(data, batch)?;
            }
            save_payments(data, &decision.payments)?;
            decision.journal.iter().try_for_each(|transaction| write_journal(data, transaction))?;
            for (place, after) in &decision.balances {
                store_balances(data, &account, *place, *after)?;
            }
            for (place, number) in &decision.numbers {
                data.last_payment_numbers.insert((account.clone(), *place), *number);
            }
            record(data, &decision.events)?;
            Ok(decision)
        })
    }

    async fn renew(&self, lease: &Lease, until: DateTime<Utc>) -> Result<bool, StoreError> {
        self.change(|data| {
            let is_current = is_current(data, lease);
            if is_current {
                data.leases.insert((lease.account.clone(), lease.batch), (lease.id, until));
            }
            Ok(is_current)
        })
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.change(|data| {
            if is_current(data, lease) {
                data.leases.remove(&(lease.account.clone(), lease.batch));
            }
            Ok(())
        })
    }
}

impl MemoryStore {
    /// Runs work on a batch under the lock if `lease` is its current lease; otherwise the error is `LeaseLost`.
    fn fenced<T, R>(
        &self,
        lease: &Lease,
        work: impl FnOnce(&mut Data, PaymentBatch) -> Result<T, WriteError<R>>,
    ) -> Result<T, ProcessingError<R>> {
        let done = self.decide(|data| {
            let found = batch(data, &lease.account, lease.batch).filter(|_| is_current(data, lease));
            work(data, found.ok_or(WriteError::Absent)?)
        });
        done.map_err(|error| match error {
            WriteError::Absent => ProcessingError::LeaseLost,
            WriteError::Refused(refusal) => ProcessingError::Refused(refusal),
            WriteError::Store(error) => ProcessingError::Store(error),
            // Never happens: these commands have no idempotency claim.
            WriteError::Mismatch(_) => {
                ProcessingError::Store(StoreError::Corrupt("a mismatch without an idempotency claim".into()))
            }
        })
    }
}

/// Whether a lease is the current one of its batch. It stays current after its end, until another lease is granted.
fn is_current(data: &Data, lease: &Lease) -> bool {
    data.leases.get(&(lease.account.clone(), lease.batch)).is_some_and(|(id, _)| *id == lease.id)
}

/// Whether a payment of the batch can be sent, or its bank must be asked about it.
fn has_work(data: &Data, batch: &PaymentBatch, now: DateTime<Utc>) -> bool {
    let is_sending = matches!(batch.status(), PaymentBatchStatus::Confirmed | PaymentBatchStatus::Started);
    payments_of(data, &batch.account, batch.id).any(|payment| {
        (is_sending && payment.status() == PaymentStatus::Confirmed)
            || payment.state.ask_at().is_some_and(|at| at <= now)
    })
}

fn situation(data: &Data, batch: &PaymentBatch, command: &RecordCommand) -> Result<SettleSituation, StoreError> {
    let all = || payments_of(data, &batch.account, batch.id);
    let in_status = |status| all().filter(|payment| payment.status() == status).count() as u64;
    let funds = |budget: &&Budget| {
        budget.account == batch.account && batch.orders.iter().any(|order| order.budget == budget.id)
    };
    let budgets = data.budgets.values().filter(funds);
    Ok(SettleSituation {
        payments: all().filter(|payment| command.payments.contains(&payment.id)).cloned().collect(),
        open: all().filter(|payment| !payment.status().is_final()).count() as u64,
        completed: in_status(PaymentStatus::Completed),
        returned: in_status(PaymentStatus::Returned),
        balances: balances_of(data, batch),
        budget_names: budgets.map(|budget| (budget.id, budget.name.clone())).collect(),
        number: next_number(data, &batch.account)?,
        batch: batch.clone(),
    })
}

fn save_payments(data: &mut Data, payments: &[Payment]) -> Result<(), StoreError> {
    for payment in payments {
        let key = (payment.account.clone(), payment.batch, payment.index);
        let before = data.payments.get(&key).map(Payment::status);
        replace(&mut data.payments, &key, payment.clone())?;
        if before != Some(payment.status()) {
            renew_positions(data, &payment.account, [ActivityId(payment.id.0)]);
        }
    }
    Ok(())
}
