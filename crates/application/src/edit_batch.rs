//! Renames, hides or shows a payment batch (contract 3.3).

use crate::BatchServices;
use florin_domain::access::Account;
use florin_domain::batch::{BatchEdit, BatchSummary, decide_edit};
use florin_domain::ids::PaymentBatchId;
use florin_ports::{EditBatchCommand, IdempotencyClaim, WriteError, Written};
use std::convert::Infallible;
use std::sync::Arc;

/// Edits a batch, in any state.
pub async fn edit_batch(
    services: &BatchServices,
    account: &Account,
    batch: PaymentBatchId,
    edit: BatchEdit,
    claim: Option<IdempotencyClaim<BatchSummary>>,
) -> Result<Written<BatchSummary>, WriteError<Infallible>> {
    let now = services.time.now_of(account);
    let decide = Arc::new(move |batch: &_| decide_edit(batch, &edit, now));
    services.management.edit(EditBatchCommand { account: account.id.clone(), batch, decide, claim }).await
}
