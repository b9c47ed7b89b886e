//! A client fills a payment batch (contract 3.3).

use crate::BatchServices;
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::batch::{
    CheckBasis, InputFormat, PaymentBatch, PaymentRow, UploadRefusal, UploadRequest, check_rows, decide_upload,
};
use florin_domain::ids::{BudgetId, PaymentBatchId};
use florin_ports::{RepeatClaim, StoreError, UploadOrder, WriteError, Written};
use std::sync::Arc;

/// What the client sends.
#[derive(Clone, Debug)]
pub struct Upload {
    /// How it was written.
    pub format: InputFormat,
    /// Its rows.
    pub rows: Vec<PaymentRow>,
    /// The budget that pays for rows which name none.
    pub default_budget: Option<BudgetId>,
}

/// Replaces the payments of a batch. They are checked before the lock is taken.
pub async fn upload_payments(
    services: &BatchServices,
    account: &Account,
    batch: PaymentBatchId,
    upload: Upload,
    repeat: Option<RepeatClaim<PaymentBatch>>,
) -> Result<Written<PaymentBatch>, WriteError<UploadRefusal>> {
    let at = services.at(account).await?;
    let request = checked(services, account, upload, at.now()).await?;
    let order = UploadOrder {
        account: account.id.clone(),
        batch,
        decide: Arc::new(move |situation| at.rule(|stamp| decide_upload(situation, &request, stamp))),
        repeat,
    };
    services.management.upload(order).await
}

/// The rows, checked against the budgets that the account has now. Should it have others under the lock, the rule checks
/// them again.
pub(crate) async fn checked(
    services: &BatchServices,
    account: &Account,
    upload: Upload,
    now: DateTime<Utc>,
) -> Result<UploadRequest, StoreError> {
    let Upload { format, rows, default_budget } = upload;
    let funding = services.reading.funding(&account.id).await?;
    let basis = CheckBasis { default_budget, funding, modulus: Arc::clone(&services.modulus) };
    Ok(UploadRequest { format, checked: check_rows(rows, basis, now) })
}
