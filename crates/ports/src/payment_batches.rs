//! Confirming payment batches.

use crate::{Decide, IdempotencyClaim, Mode, WriteError, Written};
use async_trait::async_trait;
use florin_domain::batch::{ConfirmDecision, ConfirmRefusal, ConfirmSituation, PaymentBatch};
use florin_domain::ids::{AccountId, MfaSessionId, PaymentBatchId};

/// A command to confirm a batch.
pub struct ConfirmCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The batch, which must be the account's.
    pub batch: PaymentBatchId,
    /// The MFA session that the caller named.
    pub session: Option<MfaSessionId>,
    /// The rule. The MFA session and the enrolment that it returns are stored even if it refuses, because attempts
    /// count.
    pub decide: Decide<ConfirmSituation, ConfirmDecision>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<PaymentBatch>>,
}

/// Stores confirmations of payment batches, with the promises of [`crate::CardLedger`].
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PaymentBatches: Send + Sync {
    /// Decides a confirmation. `Absent`: no such batch on the account.
    async fn confirm(&self, command: ConfirmCommand) -> Result<Written<PaymentBatch>, WriteError<ConfirmRefusal>>;
}
