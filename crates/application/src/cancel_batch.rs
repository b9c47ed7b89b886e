//! Cancels a payment batch before its processing starts (contract 3.3).

use crate::BatchServices;
use florin_domain::access::Account;
use florin_domain::batch::{CancelRefusal, PaymentBatch, decide_cancel};
use florin_domain::ids::PaymentBatchId;
use florin_ports::{CancelBatchCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// Cancels a batch, and releases its reservations if it was confirmed.
pub async fn cancel_batch(
    services: &BatchServices,
    account: &Account,
    batch: PaymentBatchId,
    claim: Option<IdempotencyClaim<PaymentBatch>>,
) -> Result<Written<PaymentBatch>, WriteError<CancelRefusal>> {
    let clock = services.clock_of(account).await?;
    let command = CancelBatchCommand {
        account: account.id.clone(),
        batch,
        decide: Arc::new(move |situation| clock.rule(|stamp| decide_cancel(situation, stamp))),
        claim,
    };
    services.management.cancel(command).await
}
