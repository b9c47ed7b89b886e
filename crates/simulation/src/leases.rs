//! Watches the leases: no two workers may hold a batch at the same time, and nothing may be decided without the current
//! lease.

use crate::Mutant;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::batch::{IllegalBatchTransition, Payment, PaymentBatch, SettleDecision, SettleRefusal};
use florin_domain::ids::{LeaseId, PaymentBatchId};
use florin_ports::{
    BatchProcessing, ClaimCommand, Decide, Lease, ProcessingError, RecordCommand, StartCommand, StartPaymentsCommand,
    StoreError,
};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

/// A lease that was granted.
#[derive(Clone, Copy)]
struct Held {
    id: LeaseId,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
}

/// The leases of all instances.
#[derive(Default)]
pub(crate) struct LeaseBook {
    held: Mutex<BTreeMap<PaymentBatchId, Held>>,
    violations: Mutex<Vec<String>>,
}

impl LeaseBook {
    /// Returns the first violation; `None` if there was none.
    pub(crate) fn violation(&self) -> Option<String> {
        self.violations.lock().unwrap().first().cloned()
    }

    fn grant(&self, lease: &Lease, from: DateTime<Utc>) {
        let new = Held { id: lease.id, from, until: lease.until };
        let mut held = self.held.lock().unwrap();
        if let Some(old) = held.get(&lease.batch) {
            if old.from < new.until && new.from < old.until {
                self.report(format!("batch {} is leased twice, until {} and {}", lease.batch, old.until, new.until));
            }
            // The answer to an earlier claim can come later.
            if old.from > new.from {
                return;
            }
        }
        held.insert(lease.batch, new);
    }

    fn renewed(&self, lease: &Lease, until: DateTime<Utc>) {
        let mut held = self.held.lock().unwrap();
        if let Some(held) = held.get_mut(&lease.batch).filter(|held| held.id == lease.id) {
            held.until = until;
        }
    }

    fn released(&self, lease: &Lease) {
        let mut held = self.held.lock().unwrap();
        if held.get(&lease.batch).is_some_and(|held| held.id == lease.id) {
            held.remove(&lease.batch);
        }
    }

    /// Reports a decision under a lease that another worker has taken over. Called inside the transaction.
    fn decided_under(&self, lease: &Lease) {
        if let Some(held) = self.held.lock().unwrap().get(&lease.batch)
            && held.id != lease.id
            && held.from >= lease.until
        {
            self.report(format!("a decision on batch {} without its lease", lease.batch));
        }
    }

    /// Replaces the id of a lease by the current one, so that a store accepts the lease although another worker has
    /// taken over the batch.
    fn unfenced(&self, mut lease: Lease) -> Lease {
        if let Some(held) = self.held.lock().unwrap().get(&lease.batch) {
            lease.id = held.id;
        }
        lease
    }

    fn report(&self, violation: String) {
        self.violations.lock().unwrap().push(violation);
    }
}

/// The port of a store, with its leases recorded in a book.
pub(crate) struct Watched {
    /// The store.
    pub(crate) inner: Arc<dyn BatchProcessing>,
    /// The leases.
    pub(crate) book: Arc<LeaseBook>,
    /// The deliberate bug of the store; `None` if it has none.
    pub(crate) mutant: Option<Mutant>,
}

impl Watched {
    /// Returns the lease to pass to the store. The mutant `NoFence` defeats the check of the lease.
    fn lease_for_store(&self, lease: Lease) -> Lease {
        if self.mutant == Some(Mutant::NoFence) { self.book.unfenced(lease) } else { lease }
    }

    fn watch<S: 'static, D: 'static>(&self, lease: &Lease, decide: Decide<S, D>) -> Decide<S, D> {
        let (book, lease) = (Arc::clone(&self.book), lease.clone());
        Arc::new(move |situation| {
            book.decided_under(&lease);
            decide(situation)
        })
    }
}

#[async_trait]
impl BatchProcessing for Watched {
    async fn claim(&self, mut command: ClaimCommand) -> Result<Vec<Lease>, StoreError> {
        let now = command.now;
        if self.mutant == Some(Mutant::LostLease) {
            command.now += TimeDelta::days(1);
        }
        let leases = self.inner.claim(command).await?;
        for lease in &leases {
            self.book.grant(lease, now);
        }
        Ok(leases)
    }

    async fn start(&self, command: StartCommand) -> Result<PaymentBatch, ProcessingError<IllegalBatchTransition>> {
        let decide = self.watch(&command.lease, command.decide);
        self.inner.start(StartCommand { lease: self.lease_for_store(command.lease), decide }).await
    }

    async fn start_payments(&self, command: StartPaymentsCommand) -> Result<Vec<Payment>, ProcessingError<Infallible>> {
        let decide = self.watch(&command.lease, command.decide);
        self.inner
            .start_payments(StartPaymentsCommand { lease: self.lease_for_store(command.lease), decide, ..command })
            .await
    }

    async fn due(&self, lease: &Lease, now: DateTime<Utc>, max: u32) -> Result<Vec<Payment>, StoreError> {
        self.inner.due(lease, now, max).await
    }

    async fn record(&self, command: RecordCommand) -> Result<SettleDecision, ProcessingError<SettleRefusal>> {
        let decide = self.watch(&command.lease, command.decide);
        self.inner.record(RecordCommand { lease: self.lease_for_store(command.lease), decide, ..command }).await
    }

    async fn renew(&self, lease: &Lease, until: DateTime<Utc>) -> Result<bool, StoreError> {
        let renewed = self.inner.renew(lease, until).await?;
        if renewed {
            self.book.renewed(lease, until);
        }
        Ok(renewed)
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.book.released(lease);
        self.inner.release(lease).await
    }
}
