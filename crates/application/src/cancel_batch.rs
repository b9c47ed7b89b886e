//! A client cancels a payment batch before it starts (contract 3.3).

use crate::BatchServices;
use florin_domain::access::Account;
use florin_domain::batch::{CancelRefusal, PaymentBatch, Stamp, decide_cancel};
use florin_domain::ids::PaymentBatchId;
use florin_ports::{CancelBatchOrder, RepeatClaim, WriteError, Written};
use std::sync::Arc;

/// Cancels a batch; what was reserved for it can be spent again.
pub async fn cancel_batch(
    services: &BatchServices,
    account: &Account,
    batch: PaymentBatchId,
    repeat: Option<RepeatClaim<PaymentBatch>>,
) -> Result<Written<PaymentBatch>, WriteError<CancelRefusal>> {
    let (now, ids) = (services.clock.now(), Arc::clone(&services.ids));
    let order = CancelBatchOrder {
        account: account.id.clone(),
        batch,
        decide: Arc::new(move |situation| decide_cancel(situation, &Stamp { now, ids: &|| ids.next_id() })),
        repeat,
    };
    services.management.cancel(order).await
}
