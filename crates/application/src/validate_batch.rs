//! Checks whether a payment batch could be confirmed now (contract 3.3).

use crate::BatchServices;
use florin_domain::access::Account;
use florin_domain::batch::{Confirmability, PaymentBatch, check_confirmable};
use florin_domain::ids::PaymentBatchId;
use florin_ports::StoreError;

/// Returns the batch, and what prevents its confirmation. `None`: the account has no such batch.
pub async fn validate_batch(
    services: &BatchServices,
    account: &Account,
    batch: PaymentBatchId,
) -> Result<Option<(PaymentBatch, Confirmability)>, StoreError> {
    let Some(funds) = services.reading.funds(&account.id, batch).await? else { return Ok(None) };
    let overflow = |error: florin_domain::ledger::AmountOutOfRange| StoreError::Corrupt(error.to_string());
    let check = check_confirmable(&funds.batch, &funds.balances).map_err(overflow)?;
    Ok(Some((funds.batch, check)))
}
