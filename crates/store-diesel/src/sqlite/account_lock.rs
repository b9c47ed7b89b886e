//! A lock on a whole account.

use super::Conn;
use super::body::errors::Outcome;
use florin_domain::ids::AccountId;

/// Locks a whole account. Does nothing: each transaction has the whole database.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn lock_account(_conn: &mut Conn, _account: &AccountId) -> Outcome<()> {
    Ok(())
}
