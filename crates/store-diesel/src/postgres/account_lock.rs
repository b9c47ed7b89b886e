//! Locks on a whole account and on a client, for changes that replace or delete all their rows.

use super::Conn;
use super::body::errors::{Failure, Outcome};
use super::body::types::Id;
use diesel::sql_types::{Bool, Text, Uuid as UuidSql};
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use florin_domain::ids::AccountId;

/// The locks in the order in which groups acquire them: balances, batches, the counters, then the account itself. All
/// rows of the account refer to it, or the statement that stores them locks it ([`super::changes`]). So nobody can add
/// a row.
const ALL: [&str; 4] = [
    "SELECT 1 FROM balances WHERE account_id = $1 ORDER BY budget_id, currency FOR UPDATE",
    "SELECT 1 FROM payment_batches WHERE account_id = $1 ORDER BY id FOR UPDATE",
    "SELECT 1 FROM credit_counters WHERE account_id = $1 FOR UPDATE",
    "SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE",
];

/// Locks a whole account until the end of the transaction. Waits for other changes of the account first.
pub(crate) fn lock_account(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    for lock in ALL {
        sql_query(lock).bind::<Text, _>(account.as_str()).execute(conn)?;
    }
    Ok(())
}

/// The subscriptions of a client, then the locks of [`ALL`] for all its accounts, then the client itself. Each kind of
/// row is locked by one statement, because groups lock the rows of several accounts kind by kind. The rows of a
/// subscription are changed only under its lock, and all other rows of a client refer to the client.
const OF_CLIENT: [&str; 6] = [
    "SELECT 1 FROM webhooks WHERE client_id = $1 ORDER BY id FOR UPDATE",
    "SELECT 1 FROM balances WHERE account_id IN (SELECT a.id FROM accounts AS a WHERE a.client_id = $1) \
        ORDER BY account_id, budget_id, currency FOR UPDATE",
    "SELECT 1 FROM payment_batches WHERE account_id IN (SELECT a.id FROM accounts AS a WHERE a.client_id = $1) \
        ORDER BY account_id, id FOR UPDATE",
    "SELECT 1 FROM credit_counters WHERE account_id IN (SELECT a.id FROM accounts AS a WHERE a.client_id = $1) \
        ORDER BY account_id FOR UPDATE",
    "SELECT 1 FROM accounts WHERE client_id = $1 ORDER BY id FOR UPDATE",
    "SELECT 1 FROM clients WHERE id = $1 FOR UPDATE",
];

/// Locks a client with its subscriptions and its whole accounts until the end of the transaction. Waits for other
/// changes of them first.
pub(crate) fn lock_client(conn: &mut Conn, client: Id) -> Outcome<()> {
    for lock in OF_CLIENT {
        sql_query(lock).bind::<UuidSql, _>(client).execute(conn)?;
    }
    Ok(())
}

/// Moves of one client are serialized. Nothing else waits for this lock.
const MOVE: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1, 7003214873))";

/// Shares the lock of migrations, so that no migration begins before the end of the transaction. This must not wait:
/// the view of a departure begins with its first statement, so after a wait it would show the state before the
/// migration.
const NOT_MIGRATING: &str = "SELECT pg_try_advisory_xact_lock_shared(7003214871) AS locked";

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    locked: bool,
}

/// Lets only one transaction at a time work on moves of a client, until the end of the transaction. No migration runs
/// meanwhile.
pub(crate) fn lock_move(conn: &mut Conn, client: Id) -> Outcome<()> {
    if !sql_query(NOT_MIGRATING).get_result::<Locked>(conn)?.locked {
        return Err(Failure::Contended("a migration is in progress".to_owned()));
    }
    sql_query(MOVE).bind::<Text, _>(client.0.to_string()).execute(conn)?;
    Ok(())
}
