//! A lock on a whole account: for what replaces or deletes all that stands on it.

use super::Conn;
use super::body::errors::Outcome;
use diesel::sql_types::Text;
use diesel::{RunQueryDsl, sql_query};
use florin_domain::ids::AccountId;

/// In the order in which groups lock: balances, batches; then the account itself, which every row of it refers to, so that nobody
/// adds any.
const ALL: [&str; 3] = [
    "SELECT 1 FROM balances WHERE account_id = $1 ORDER BY budget_id, currency FOR UPDATE",
    "SELECT 1 FROM payment_batches WHERE account_id = $1 ORDER BY id FOR UPDATE",
    "SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE",
];

/// Waits until nobody else changes anything of an account, and keeps others from it until the end of the transaction.
pub(crate) fn lock_account(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    for lock in ALL {
        sql_query(lock).bind::<Text, _>(account.as_str()).execute(conn)?;
    }
    Ok(())
}
