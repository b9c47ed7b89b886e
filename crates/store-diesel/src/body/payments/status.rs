//! What becomes of all payments of a batch at once: it was confirmed, or cancelled.

use super::super::backend::Conn;
use super::super::errors::Outcome;
use super::super::schema::{payment_batches, payments};
use super::super::sets::Stored;
use super::super::types::{Account, Id, Named, Time};
use chrono::DateTime;
use florin_domain::batch::{PaymentBatch, PaymentStatus};
use florin_domain::ids::{AccountId, PaymentBatchId};
use std::collections::BTreeMap;

update_rows! {
    /// The status of all payments of a batch.
    AllNow in payments {
        set { status: Named<PaymentStatus>, updated_at: Time, }
        of { account_id: Account, batch_id: Id, }
        if ""
    }
}

update_rows! {
    /// From when there is work on a batch.
    WorkNow in payment_batches {
        set { work_at: Option<Time>, }
        of { account_id: Account, id: Id, }
        if ""
    }
}

/// What becomes of all payments of batches.
#[derive(Default)]
pub(crate) struct Statuses(BTreeMap<(AccountId, PaymentBatchId), (PaymentStatus, Time)>);

impl Statuses {
    /// Notes what all payments of a batch become, at the time of its last change. A batch that was never filled has none.
    pub(crate) fn all_become(&mut self, batch: &PaymentBatch, status: PaymentStatus) {
        if batch.input.is_some() {
            self.0.insert((batch.account.clone(), batch.id), (status, Time(batch.updated_at)));
        }
    }

    /// Stores what was noted: payments that were confirmed are work at once, and others none.
    pub(crate) fn store(self, conn: &mut Conn) -> Outcome<()> {
        let (mut payments, mut work) = (Vec::new(), Vec::new());
        for ((account, batch), (status, updated_at)) in self.0 {
            let (account_id, id) = (Account(account), Id(batch.0));
            let work_at = (status == PaymentStatus::Confirmed).then_some(Time(DateTime::UNIX_EPOCH));
            work.push(WorkNow { work_at, account_id: account_id.clone(), id });
            payments.push(AllNow { status: Named(status), updated_at, account_id, batch_id: id });
        }
        AllNow::spread(payments, conn)?;
        WorkNow::store(work, conn)
    }
}
