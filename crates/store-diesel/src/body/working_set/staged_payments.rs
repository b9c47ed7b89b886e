//! Staged changes of payments. A confirmation or cancellation changes all payments of a batch; all other commands
//! change single payments.

use super::body::backend::Changes;
use super::body::errors::Outcome;
use super::body::tables::batches::{PaymentChange, PaymentWait, StatusOfAllChange};
use super::body::types::{Account, Id, Named, Time};
use florin_domain::batch::{Payment, PaymentBatch, PaymentStatus};
use florin_domain::ids::{AccountId, PaymentBatchId};
use std::collections::BTreeMap;

/// The changes of payments that a group stores at its end.
#[derive(Default)]
pub(crate) struct StagedPayments {
    of_all: BTreeMap<(AccountId, PaymentBatchId), StatusOfAll>,
    /// Payments whose status changed.
    moved: Vec<Payment>,
    /// Payments that keep their status.
    waiting: Vec<Payment>,
}

/// The new status of all payments of a batch.
struct StatusOfAll {
    status: PaymentStatus,
    updated_at: Time,
    confirmed_at: Option<Time>,
}

impl StagedPayments {
    /// Stages the new status of all payments of a batch, at the time of the batch's last change. A batch without an
    /// input has no payments.
    pub(crate) fn change_all(&mut self, batch: &PaymentBatch, status: PaymentStatus) {
        if batch.input.is_some() {
            let (updated_at, confirmation) = (Time(batch.updated_at), batch.state.confirmation());
            let confirmed_at = confirmation.map(|confirmation| Time(confirmation.at));
            let all = StatusOfAll { status, updated_at, confirmed_at };
            self.of_all.insert((batch.account.clone(), batch.id), all);
        }
    }

    /// Stages the progress of single payments. `before` contains them with their previous statuses.
    pub(crate) fn progress(&mut self, before: &[Payment], after: &[Payment]) {
        let had: BTreeMap<_, _> = before.iter().map(|payment| (payment.id, payment.status())).collect();
        for payment in after {
            let list =
                if had.get(&payment.id) == Some(&payment.status()) { &mut self.waiting } else { &mut self.moved };
            list.push(payment.clone());
        }
    }

    /// Whether the status of a payment is staged.
    pub(crate) fn changes_activity(&self) -> bool {
        !(self.of_all.is_empty() && self.moved.is_empty())
    }

    /// Stores the staged changes. Payments with a changed status receive this position.
    pub(crate) fn store(self, changes: &mut Changes<'_>, position: i64) -> Outcome<()> {
        let of_all = |((account, batch), all): ((AccountId, PaymentBatchId), StatusOfAll)| StatusOfAllChange {
            status: Named(all.status),
            updated_at: all.updated_at,
            confirmed_at: all.confirmed_at,
            position: all.confirmed_at.map(|_| position),
            account_id: Account(account),
            batch_id: Id(batch.0),
        };
        changes.update_all(self.of_all.into_iter().map(of_all).collect())?;
        changes.update(self.moved.iter().map(|payment| PaymentChange::of(payment, position)).collect())?;
        changes.update(self.waiting.iter().map(PaymentWait::from).collect())
    }
}
