//! Idempotency records outside of groups.

use super::backend::Conn;
use super::errors::{Failure, Outcome};
use super::footprint::record_key;
use super::tables::service::idempotency_records;
use diesel::prelude::*;
use florin_ports::IdempotencyClaim;

/// Deletes the record of a claim, if it exists.
pub(crate) fn forget<T>(conn: &mut Conn, claim: &IdempotencyClaim<T>) -> Outcome<()> {
    let (account, client, key) = record_key(claim);
    let record = idempotency_records::table
        .filter(idempotency_records::account_id.eq(account))
        .filter(idempotency_records::client_id.eq(client))
        .filter(idempotency_records::idempotency_key.eq(key));
    diesel::delete(record).execute(conn)?;
    Ok(())
}

/// Whether another instance stored a record under the same key or accepted the same payment meanwhile. A retry finds
/// the stored row.
pub(crate) fn is_stored_elsewhere(failure: &Failure) -> bool {
    const ONCE: [&str; 3] = ["client_records", "idempotency_records", "sandbox_payments"];
    matches!(failure, Failure::Duplicate { table, .. } if ONCE.contains(&table.as_str()))
}
