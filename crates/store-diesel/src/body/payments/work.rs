//! The time from which there is work on a batch, stored with the batch. Workers find work without reading payments.

use super::body::backend::Conn;
use super::body::backend::sql::{IdSql, TimeSql};
use super::body::errors::{Outcome, exactly};
use super::body::types::{Account, Id, Time};
use chrono::DateTime;
use diesel::sql_types::Text;
use diesel::{RunQueryDsl, sql_query};
use florin_domain::ids::{AccountId, PaymentBatchId};

/// Sets `work_at`. Payments that wait to be sent are due immediately. Payments at the bank are due when the bank is to
/// be queried again.
const MARK: &str = "UPDATE payment_batches SET work_at = CASE \
    WHEN status IN ('confirmed', 'started') AND EXISTS (SELECT 1 FROM payments p \
        WHERE p.account_id = payment_batches.account_id AND p.batch_id = payment_batches.id \
        AND p.status = 'confirmed') \
    THEN $1 \
    ELSE (SELECT MIN(p.ask_at) FROM payments p WHERE p.account_id = payment_batches.account_id \
        AND p.batch_id = payment_batches.id AND p.ask_at IS NOT NULL) END \
    WHERE account_id = $2 AND id = $3";

/// Stores the time from which there is work on a batch. Must be called after every change of its status or of its
/// payments.
pub(super) fn update_work_at(conn: &mut Conn, account: &AccountId, batch: PaymentBatchId) -> Outcome<()> {
    let marked = sql_query(MARK)
        .bind::<TimeSql, _>(Time(DateTime::UNIX_EPOCH))
        .bind::<Text, _>(Account(account.clone()))
        .bind::<IdSql, _>(Id(batch.0))
        .execute(conn)?;
    exactly(1, marked, "payment_batches")
}
