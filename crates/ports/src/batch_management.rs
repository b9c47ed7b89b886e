//! Creating, filling, editing and cancelling payment batches, decided under a lock.

use crate::{Decide, IdempotencyClaim, WriteError, Written};
use async_trait::async_trait;
use florin_domain::batch::{
    BatchSummary, CancelDecision, CancelRefusal, CancelSituation, CreateDecision, FundingBudgets, PaymentBatch,
    UploadDecision, UploadRefusal, UploadSituation,
};
use florin_domain::ids::{AccountId, PaymentBatchId};
use std::convert::Infallible;

/// A command to create a batch.
pub struct CreateBatchCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The rule. Its situation is the account's budgets that can pay.
    pub decide: Decide<FundingBudgets, Result<CreateDecision, UploadRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<BatchSummary>>,
}

/// A command to upload payments to a batch.
pub struct UploadCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The batch, which must be the account's.
    pub batch: PaymentBatchId,
    /// The rule.
    pub decide: Decide<UploadSituation, Result<UploadDecision, UploadRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<PaymentBatch>>,
}

/// A command to rename, hide or unhide a batch.
pub struct EditBatchCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The batch, which must be the account's.
    pub batch: PaymentBatchId,
    /// The rule, which never refuses. It changes only name, visibility and `updated_at`.
    pub decide: Decide<PaymentBatch, PaymentBatch>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<BatchSummary>>,
}

/// A command to cancel a batch.
pub struct CancelBatchCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The batch, which must be the account's.
    pub batch: PaymentBatchId,
    /// The rule.
    pub decide: Decide<CancelSituation, Result<CancelDecision, CancelRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<PaymentBatch>>,
}

/// Manages payment batches, with the promises of [`crate::CardLedger`]. Of two decisions on one batch, including
/// confirmations and processing, the second sees the effect of the first. Each decision is stored atomically with
/// its events.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait BatchManagement: Send + Sync {
    /// Decides the creation of a batch and stores it with payments, alerts and events. `Absent`: no such account.
    async fn create(&self, command: CreateBatchCommand) -> Result<Written<BatchSummary>, WriteError<UploadRefusal>>;

    /// Decides an upload. Its payments, alerts and orders replace all earlier ones of the batch. `Absent`: no such
    /// batch on the account.
    async fn upload(&self, command: UploadCommand) -> Result<Written<PaymentBatch>, WriteError<UploadRefusal>>;

    /// Edits a batch. Its alerts do not change. `Absent`: no such batch on the account.
    async fn edit(&self, command: EditBatchCommand) -> Result<Written<BatchSummary>, WriteError<Infallible>>;

    /// Decides a cancellation, and sets every payment of the batch to the new status. `Absent`: no such batch on the
    /// account.
    async fn cancel(&self, command: CancelBatchCommand) -> Result<Written<PaymentBatch>, WriteError<CancelRefusal>>;
}
