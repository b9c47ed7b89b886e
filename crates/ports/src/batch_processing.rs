//! Work on confirmed batches, shared by the workers of several instances.

use crate::{Decide, StoreError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::batch::{
    IllegalMove, Payment, PaymentBatch, SettleDecision, SettleRefusal, SettleSituation, StartDecision, TakeDecision,
    TakeSituation,
};
use florin_domain::ids::{AccountId, LeaseId, PaymentBatchId, PaymentId};

/// A batch that a worker may process, and nobody else, until a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What makes it this worker's: minted anew for every claim, never reused.
    pub id: LeaseId,
    /// The account of the batch.
    pub account: AccountId,
    /// The batch as it was when it was claimed.
    pub batch: PaymentBatchId,
    /// Until when others leave it alone.
    pub until: DateTime<Utc>,
}

/// A claim on batches with work to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimCommand {
    /// The id that the leases get: new for this claim.
    pub lease: LeaseId,
    /// Now.
    pub now: DateTime<Utc>,
    /// Until when the leases run.
    pub until: DateTime<Utc>,
    /// How many batches at most.
    pub max: u32,
}

/// A batch to be started.
pub struct StartCommand {
    /// The lease.
    pub lease: Lease,
    /// The rule.
    pub decide: Decide<PaymentBatch, Result<StartDecision, IllegalMove>>,
}

/// Payments to be taken for sending.
pub struct TakeCommand {
    /// The lease.
    pub lease: Lease,
    /// How many payments at most.
    pub max: u32,
    /// The rule.
    pub decide: Decide<TakeSituation, TakeDecision>,
}

/// Reports to be recorded.
pub struct RecordCommand {
    /// The lease.
    pub lease: Lease,
    /// The payments that the reports are about; what is not of the batch is left out of the situation.
    pub payments: Vec<PaymentId>,
    /// The rule.
    pub decide: Decide<SettleSituation, Result<SettleDecision, SettleRefusal>>,
}

/// Work on a batch came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessingError<R> {
    /// The lease was released, or another worker has claimed the batch since. Nothing was stored.
    #[error("the lease on the batch is lost")]
    LeaseLost,
    /// The rule refused; nothing was stored.
    #[error("refused")]
    Refused(R),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Shares batches among workers.
///
/// Promises: at any time a batch is leased to one claim at most. Every write is fenced: it takes effect only if the batch is
/// leased to the very [`Lease::id`] that the order shows (whether or not its time has run out: a lease that nobody else has
/// claimed still holds), and that is looked at in the transaction of the write. Each decision is stored whole, with journal,
/// balances and events, or not at all, and is durable before it is answered.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait BatchProcessing: Send + Sync {
    /// Leases batches that have work to do: those confirmed that have payments, those started with payments to be taken,
    /// and any with a payment whose `ask_at` is not after `now`. Batches whose lease runs beyond `now` are passed over; one
    /// that has run out is taken over. Those that were changed longest ago come first.
    async fn claim(&self, command: ClaimCommand) -> Result<Vec<Lease>, StoreError>;

    /// Decides that a batch starts. Whoever finds it started already is refused by the rule.
    async fn start(&self, command: StartCommand) -> Result<PaymentBatch, ProcessingError<IllegalMove>>;

    /// Takes the next payments to be sent: those of status confirmed, by input index. What the decision says is durable
    /// before they are answered, so that a payment which may have been sent is never forgotten.
    async fn take(&self, command: TakeCommand) -> Result<Vec<Payment>, ProcessingError<std::convert::Infallible>>;

    /// The payments of a leased batch whose bank is due to be asked (`ask_at` not after `now`), the longest due first, at
    /// most `max`.
    async fn due(&self, lease: &Lease, now: DateTime<Utc>, max: u32) -> Result<Vec<Payment>, StoreError>;

    /// Decides what reports change, all in one transaction; answers with what was stored.
    async fn record(&self, command: RecordCommand) -> Result<SettleDecision, ProcessingError<SettleRefusal>>;

    /// Lets a lease run longer; whether it was still held.
    async fn renew(&self, lease: &Lease, until: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Gives a batch back, so that it can be claimed at once. One that is not held any more is left alone.
    async fn release(&self, lease: &Lease) -> Result<(), StoreError>;
}
