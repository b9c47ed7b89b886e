//! Status changes of all payments of a batch, by its confirmation or cancellation.

use super::body::backend::Changes;
use super::body::errors::Outcome;
use super::body::tables::batches::StatusOfAllChange;
use super::body::types::{Account, Id, Named, Time};
use florin_domain::batch::{PaymentBatch, PaymentStatus};
use florin_domain::ids::{AccountId, PaymentBatchId};
use std::collections::BTreeMap;

/// The new statuses that apply to all payments of a batch.
#[derive(Default)]
pub(crate) struct Statuses(BTreeMap<(AccountId, PaymentBatchId), (PaymentStatus, Time)>);

impl Statuses {
    /// Stages the new status of all payments of a batch, at the time of the batch's last change. A batch without an
    /// input has no payments.
    pub(crate) fn all_become(&mut self, batch: &PaymentBatch, status: PaymentStatus) {
        if batch.input.is_some() {
            self.0.insert((batch.account.clone(), batch.id), (status, Time(batch.updated_at)));
        }
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        let row = |((account, batch), (status, updated_at)): ((AccountId, PaymentBatchId), _)| StatusOfAllChange {
            status: Named(status),
            updated_at,
            account_id: Account(account),
            batch_id: Id(batch.0),
        };
        changes.update_all(self.0.into_iter().map(row).collect())
    }
}
