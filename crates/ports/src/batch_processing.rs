//! Processing confirmed batches. The workers of several instances share the work.

use crate::{Decide, StoreError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::batch::{
    IllegalBatchTransition, Payment, PaymentBatch, SettleDecision, SettleRefusal, SettleSituation, StartDecision,
    StartPaymentsDecision, StartPaymentsSituation,
};
use florin_domain::ids::{AccountId, LeaseId, PaymentBatchId, PaymentId};

/// The exclusive right of a worker to process a batch until a given time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Identifies the claim: new for every claim, and never reused.
    pub id: LeaseId,
    /// The account of the batch.
    pub account: AccountId,
    /// The batch.
    pub batch: PaymentBatchId,
    /// When the lease runs out and others may claim the batch.
    pub until: DateTime<Utc>,
}

/// A command to claim batches with work to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimCommand {
    /// The id of the leases: new for this claim.
    pub lease: LeaseId,
    /// The current time.
    pub now: DateTime<Utc>,
    /// When the leases run out.
    pub until: DateTime<Utc>,
    /// Maximum number of batches.
    pub max: u32,
}

/// A command to start a batch.
pub struct StartCommand {
    /// The lease.
    pub lease: Lease,
    /// The rule.
    pub decide: Decide<PaymentBatch, Result<StartDecision, IllegalBatchTransition>>,
}

/// A command to start payments before they are sent.
pub struct StartPaymentsCommand {
    /// The lease.
    pub lease: Lease,
    /// Maximum number of payments.
    pub max: u32,
    /// The rule.
    pub decide: Decide<StartPaymentsSituation, StartPaymentsDecision>,
}

/// A command to record the bank's reports on payments.
pub struct RecordCommand {
    /// The lease.
    pub lease: Lease,
    /// The payments that the reports are about. The situation contains those of this batch only.
    pub payments: Vec<PaymentId>,
    /// The rule.
    pub decide: Decide<SettleSituation, Result<SettleDecision, SettleRefusal>>,
}

/// Reasons that work on a batch failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessingError<R> {
    /// The lease was released, or another worker has since claimed the batch. Nothing was stored.
    #[error("the lease on the batch is lost")]
    LeaseLost,
    /// The rule refused; nothing was stored.
    #[error("refused")]
    Refused(R),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Distributes batches among workers.
///
/// Promises: at any time a batch is leased to at most one claim. Every write is fenced: its transaction checks that the
/// batch is leased under the command's [`Lease::id`], and otherwise stores nothing. A lease that has run out is still
/// valid until another worker claims the batch. Each decision is stored atomically with journal, balances and events,
/// and is durable before the call returns.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait BatchProcessing: Send + Sync {
    /// Leases batches with work to do: confirmed batches with payments, started batches with payments to send, and any
    /// batch with a payment whose `ask_at` is not after `now`. Skips batches whose lease runs beyond `now`, and takes
    /// over those whose lease has run out. The least recently changed batches come first.
    async fn claim(&self, command: ClaimCommand) -> Result<Vec<Lease>, StoreError>;

    /// Decides the start of a batch. The rule refuses a batch that has already started.
    async fn start(&self, command: StartCommand) -> Result<PaymentBatch, ProcessingError<IllegalBatchTransition>>;

    /// Starts the next payments to send: confirmed ones, by input index. The decision is durable before the call
    /// returns, so that a payment that may have been sent is never lost.
    async fn start_payments(
        &self,
        command: StartPaymentsCommand,
    ) -> Result<Vec<Payment>, ProcessingError<std::convert::Infallible>>;

    /// Returns the payments of a leased batch that are due for a query (`ask_at` not after `now`), longest due first,
    /// at most `max`.
    async fn due(&self, lease: &Lease, now: DateTime<Utc>, max: u32) -> Result<Vec<Payment>, StoreError>;

    /// Decides the changes that follow from the bank's reports, in one transaction, and returns what was stored.
    async fn record(&self, command: RecordCommand) -> Result<SettleDecision, ProcessingError<SettleRefusal>>;

    /// Extends a lease and returns whether it was still held.
    async fn renew(&self, lease: &Lease, until: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Releases a batch so that it can be claimed immediately. Does nothing if the lease is no longer held.
    async fn release(&self, lease: &Lease) -> Result<(), StoreError>;
}
