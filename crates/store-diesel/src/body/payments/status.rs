//! What becomes of all payments of a batch at once.

use super::super::backend::Conn;
use super::super::backend::sql::{IdSql, TimeSql};
use super::super::errors::Outcome;
use super::super::types::{Account, Id, Named, Time};
use super::work;
use chrono::{DateTime, Utc};
use diesel::sql_types::Text;
use diesel::{RunQueryDsl, sql_query};
use florin_domain::batch::{PaymentBatch, PaymentStatus};
use florin_domain::ids::{AccountId, PaymentBatchId};
use std::collections::BTreeMap;

const ALL_BECOME: &str = "UPDATE payments SET status = $1, updated_at = $2 WHERE account_id = $3 AND batch_id = $4";

/// What becomes of all payments of batches.
#[derive(Default)]
pub(crate) struct Statuses(BTreeMap<(AccountId, PaymentBatchId), (PaymentStatus, DateTime<Utc>)>);

impl Statuses {
    /// Notes what all payments of a batch become, at the time of its last change.
    pub(crate) fn all_become(&mut self, batch: &PaymentBatch, status: PaymentStatus) {
        self.0.insert((batch.account.clone(), batch.id), (status, batch.updated_at));
    }

    /// Stores what was noted.
    pub(crate) fn store(self, conn: &mut Conn) -> Outcome<()> {
        for ((account, batch), (status, at)) in self.0 {
            sql_query(ALL_BECOME)
                .bind::<Text, _>(Named(status))
                .bind::<TimeSql, _>(Time(at))
                .bind::<Text, _>(Account(account.clone()))
                .bind::<IdSql, _>(Id(batch.0))
                .execute(conn)?;
            work::mark(conn, &account, batch)?;
        }
        Ok(())
    }
}
