//! Making, filling, editing and cancelling payment batches: decided under the lock.

use crate::{Decide, RepeatClaim, WriteError, Written};
use async_trait::async_trait;
use florin_domain::batch::{
    BatchSummary, CancelDecision, CancelRefusal, CancelSituation, CreateDecision, FundingBudgets, PaymentBatch,
    UploadDecision, UploadRefusal, UploadSituation,
};
use florin_domain::ids::{AccountId, PaymentBatchId};
use std::convert::Infallible;

/// A batch to be made.
pub struct CreateBatchCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The rule. It is given the account's budgets with the currencies each holds.
    pub decide: Decide<FundingBudgets, Result<CreateDecision, UploadRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub repeat: Option<RepeatClaim<BatchSummary>>,
}

/// Payments to be put into a batch.
pub struct UploadCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The batch, which must be the account's.
    pub batch: PaymentBatchId,
    /// The rule.
    pub decide: Decide<UploadSituation, Result<UploadDecision, UploadRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub repeat: Option<RepeatClaim<PaymentBatch>>,
}

/// A batch to be renamed, hidden or shown.
pub struct EditBatchCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The batch, which must be the account's.
    pub batch: PaymentBatchId,
    /// The rule, which never refuses. It changes name, visibility and `updated_at`, and nothing else.
    pub decide: Decide<PaymentBatch, PaymentBatch>,
    /// The idempotency claim, if the caller made one.
    pub repeat: Option<RepeatClaim<BatchSummary>>,
}

/// A batch to be cancelled.
pub struct CancelBatchCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The batch, which must be the account's.
    pub batch: PaymentBatchId,
    /// The rule.
    pub decide: Decide<CancelSituation, Result<CancelDecision, CancelRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub repeat: Option<RepeatClaim<PaymentBatch>>,
}

/// Manages payment batches, with the promises of [`crate::CardLedger`]: of two decisions on one batch the second sees what
/// the first did, confirmations and processing included; each is stored with its events whole or not at all.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait BatchManagement: Send + Sync {
    /// Decides the making of a batch and stores it with payments, alerts and events. `Absent`: no such account.
    async fn create(&self, command: CreateBatchCommand) -> Result<Written<BatchSummary>, WriteError<UploadRefusal>>;

    /// Decides an upload. Payments, alerts and orders of the decision take the place of all earlier ones of the batch.
    /// `Absent`: no such batch on the account.
    async fn upload(&self, command: UploadCommand) -> Result<Written<PaymentBatch>, WriteError<UploadRefusal>>;

    /// Edits a batch; alerts are those of the batch as ever. `Absent`: no such batch on the account.
    async fn edit(&self, command: EditBatchCommand) -> Result<Written<BatchSummary>, WriteError<Infallible>>;

    /// Decides a cancellation, and stores the status it says for every payment of the batch. `Absent`: no such batch on
    /// the account.
    async fn cancel(&self, command: CancelBatchCommand) -> Result<Written<PaymentBatch>, WriteError<CancelRefusal>>;
}
