//! Processing confirmed batches, distributed among the workers of several instances.

use crate::{Decide, StoreError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::batch::{
    IllegalMove, Payment, PaymentBatch, SettleDecision, SettleRefusal, SettleSituation, StartDecision, TakeDecision,
    TakeSituation,
};
use florin_domain::ids::{AccountId, LeaseId, PaymentBatchId, PaymentId};

/// The exclusive right of a worker to process a batch until a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Its id: new for every claim, never reused.
    pub id: LeaseId,
    /// The account of the batch.
    pub account: AccountId,
    /// The batch.
    pub batch: PaymentBatchId,
    /// The time from which others may take the batch over.
    pub until: DateTime<Utc>,
}

/// Claims batches that have work to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimCommand {
    /// The id of the leases: new for this claim.
    pub lease: LeaseId,
    /// The current time.
    pub now: DateTime<Utc>,
    /// The end of the leases.
    pub until: DateTime<Utc>,
    /// The maximum number of batches.
    pub max: u32,
}

/// Starts a batch.
pub struct StartCommand {
    /// The lease.
    pub lease: Lease,
    /// The rule.
    pub decide: Decide<PaymentBatch, Result<StartDecision, IllegalMove>>,
}

/// Takes payments for sending.
pub struct TakeCommand {
    /// The lease.
    pub lease: Lease,
    /// The maximum number of payments.
    pub max: u32,
    /// The rule.
    pub decide: Decide<TakeSituation, TakeDecision>,
}

/// Records reports of the payment rail.
pub struct RecordCommand {
    /// The lease.
    pub lease: Lease,
    /// The payments of the reports. Those of other batches are not part of the situation.
    pub payments: Vec<PaymentId>,
    /// The rule.
    pub decide: Decide<SettleSituation, Result<SettleDecision, SettleRefusal>>,
}

/// The reason work on a batch stored nothing.
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
/// Promises: a batch is leased to one claim at most. Every write is fenced: it takes effect only if the batch is leased to the
/// [`Lease::id`] of the command, which is checked in the transaction of the write. A lease whose time is over holds until another
/// worker claims the batch. Each decision is stored whole, with journal, balances and events, or not at all, and is durable before
/// it is answered.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait BatchProcessing: Send + Sync {
    /// Leases batches that have work to do: confirmed batches with payments, started batches with payments to send, and any batch
    /// with a payment whose `ask_at` is not after `now`. Batches whose lease ends after `now` are skipped; expired leases are
    /// taken over. The batches that were changed longest ago come first.
    async fn claim(&self, command: ClaimCommand) -> Result<Vec<Lease>, StoreError>;

    /// Decides whether a batch starts. The rule refuses one that has started.
    async fn start(&self, command: StartCommand) -> Result<PaymentBatch, ProcessingError<IllegalMove>>;

    /// Takes the next confirmed payments, by input index. The decision is durable before the call returns, so that a payment
    /// that may have been sent is never forgotten.
    async fn take(&self, command: TakeCommand) -> Result<Vec<Payment>, ProcessingError<std::convert::Infallible>>;

    /// Returns the payments of a leased batch whose outcome is to be asked for (`ask_at` is not after `now`), the longest due
    /// first, at most `max`.
    async fn due(&self, lease: &Lease, now: DateTime<Utc>, max: u32) -> Result<Vec<Payment>, StoreError>;

    /// Decides what reports change, in one transaction, and returns what was stored.
    async fn record(&self, command: RecordCommand) -> Result<SettleDecision, ProcessingError<SettleRefusal>>;

    /// Extends a lease, and returns whether it was still held.
    async fn renew(&self, lease: &Lease, until: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Releases a batch, so that it can be claimed at once. Does nothing if the lease is not held any more.
    async fn release(&self, lease: &Lease) -> Result<(), StoreError>;
}
