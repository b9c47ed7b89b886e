//! Locks on whole accounts, on clients and on subscriptions, which SQLite does not need.

use super::Conn;
use super::body::errors::Outcome;
use super::body::types::Id;
use florin_domain::ids::AccountId;
use std::collections::BTreeSet;

/// Locks a whole account. Does nothing: each transaction has the whole database.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn lock_account(_conn: &mut Conn, _account: &AccountId) -> Outcome<()> {
    Ok(())
}

/// Locks the given subscriptions. Does nothing, and returns all ids: each transaction has the whole database.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn lock_free_webhooks(_conn: &mut Conn, ids: BTreeSet<Id>) -> Outcome<BTreeSet<Id>> {
    Ok(ids)
}

/// Lets only one transaction at a time work on moves of a client. Does nothing: each transaction has the whole
/// database.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn lock_move(_conn: &mut Conn, _client: Id) -> Outcome<()> {
    Ok(())
}

/// Locks a client with its accounts. Does nothing: each transaction has the whole database.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn lock_client(_conn: &mut Conn, _client: Id) -> Outcome<()> {
    Ok(())
}
