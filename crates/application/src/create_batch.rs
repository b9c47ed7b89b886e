//! Creates a payment batch, with or without payments (contract 3.3).

use crate::BatchServices;
use florin_domain::access::Account;
use florin_domain::batch::{BatchName, BatchSummary, CreateRequest, UploadRefusal, UploadRequest, decide_create};
use florin_domain::ids::{ClientId, PaymentBatchId};
use florin_ports::{CreateBatchCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// A client's request for a batch.
#[derive(Clone, Debug)]
pub struct NewBatch {
    /// The name; `None` for a default name.
    pub name: Option<BatchName>,
    /// Whether lists include the batch by default.
    pub visible: bool,
    /// The checked payments, if the request contains any.
    pub payments: Option<UploadRequest>,
}

/// Creates a batch.
pub async fn create_batch(
    services: &BatchServices,
    client: ClientId,
    account: &Account,
    new: NewBatch,
    claim: Option<IdempotencyClaim<BatchSummary>>,
) -> Result<Written<BatchSummary>, WriteError<UploadRefusal>> {
    let clock = services.clock_of(account).await?;
    let request = CreateRequest {
        id: PaymentBatchId(clock.next_id()),
        account: account.id.clone(),
        client,
        name: new.name,
        visible: new.visible,
        payments: new.payments,
    };
    let command = CreateBatchCommand {
        account: account.id.clone(),
        decide: Arc::new(move |funding| clock.rule(|stamp| decide_create(funding, &request, stamp))),
        claim,
    };
    services.management.create(command).await
}
