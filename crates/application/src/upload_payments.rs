//! Uploads payments to a payment batch (contract 3.3).

use crate::BatchServices;
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::batch::{
    CheckBasis, InputFormat, PaymentBatch, PaymentRow, UploadRefusal, UploadRequest, check_rows, decide_upload,
};
use florin_domain::ids::{BudgetId, PaymentBatchId};
use florin_ports::{IdempotencyClaim, StoreError, UploadCommand, WriteError, Written};
use std::sync::Arc;

/// A client's upload of payments.
#[derive(Clone, Debug)]
pub struct Upload {
    /// The format of the upload.
    pub format: InputFormat,
    /// The uploaded rows.
    pub rows: Vec<PaymentRow>,
    /// The budget that funds the rows without a budget of their own.
    pub default_budget: Option<BudgetId>,
}

/// Replaces the payments of a batch with checked rows.
pub async fn upload_payments(
    services: &BatchServices,
    account: &Account,
    batch: PaymentBatchId,
    request: UploadRequest,
    claim: Option<IdempotencyClaim<PaymentBatch>>,
) -> Result<Written<PaymentBatch>, WriteError<UploadRefusal>> {
    let clock = services.clock_of(account).await?;
    let command = UploadCommand {
        account: account.id.clone(),
        batch,
        decide: Arc::new(move |situation| clock.rule(|stamp| decide_upload(situation, &request, stamp))),
        claim,
    };
    services.management.upload(command).await
}

/// Returns what rows are checked against, such as the account's current budgets. If the budgets change before the lock
/// is acquired, the rule checks the rows again.
pub async fn check_basis(
    services: &BatchServices,
    account: &Account,
    default_budget: Option<BudgetId>,
) -> Result<CheckBasis, StoreError> {
    let funding = services.reading.funding(&account.id).await?;
    Ok(CheckBasis { default_budget, funding, modulus: Arc::clone(&services.modulus) })
}

/// Checks the rows before any lock is acquired. Thousands of rows take a while, so don't call this on an async thread.
pub fn check_upload(upload: Upload, basis: CheckBasis, now: DateTime<Utc>) -> UploadRequest {
    UploadRequest { format: upload.format, checked: check_rows(upload.rows, basis, now) }
}
