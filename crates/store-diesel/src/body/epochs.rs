//! Epochs of accounts.

use super::backend::Conn;
use super::errors::Outcome;
use super::tables::worlds::worlds;
use diesel::prelude::*;
use florin_domain::ids::AccountId;

/// Returns the epoch of an account. The creation and every restore of a world begin a new epoch. An account that is not
/// a world is always in epoch 0.
pub(crate) fn current(conn: &mut Conn, account: &AccountId) -> Outcome<i64> {
    let row = worlds::table.filter(worlds::account_id.eq(account.as_str())).select(worlds::epoch);
    Ok(row.get_result(conn).optional()?.unwrap_or_default())
}
