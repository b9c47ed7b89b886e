//! Subscriptions and deliveries of worlds that are restored or deleted, and of accounts whose clocks change.

use super::body::backend::Conn;
use super::body::backend::sql::TimeSql;
use super::body::errors::Outcome;
use super::body::statements::load;
use super::body::tables::access::accounts;
use super::body::tables::webhooks::{LockedWebhooks, webhooks};
use super::body::types::{Id, Time};
use super::fan_out;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Text;
use florin_domain::ids::AccountId;
use std::collections::BTreeSet;

/// Cancels an account's waiting deliveries of events that no longer exist.
const CANCEL_UNDONE: &str = "UPDATE webhook_deliveries \
    SET status = 'cancelled', blocked = FALSE, due_at = NULL, lease_id = NULL, leased_until = NULL \
    WHERE account_id = $1 AND status IN ('pending', 'failed') AND test_body IS NULL \
    AND NOT EXISTS (SELECT 1 FROM outbox_events e WHERE e.id = webhook_deliveries.message_id)";

/// Releases all deliveries of an account that were set aside, because they may have waited for a cancelled delivery. If
/// some of them must still wait, the next claim sets them aside again.
const UNBLOCK: &str = "UPDATE webhook_deliveries SET blocked = FALSE WHERE account_id = $1 AND blocked";

/// Makes the retries of the account $2 due at the time $1 at the latest.
const LIMIT_RETRIES: &str = "UPDATE webhook_deliveries SET due_at = $1 \
    WHERE due_at > $1 AND account_id = $2 AND status IN ('pending', 'failed')";

const CANCEL_ALL: &str = "UPDATE webhook_deliveries \
    SET status = 'cancelled', blocked = FALSE, due_at = NULL, lease_id = NULL, leased_until = NULL \
    WHERE status IN ('pending', 'failed')";

const DELETE_ATTEMPTS: &str = "DELETE FROM webhook_attempts WHERE (webhook_id, message_id) IN \
    (SELECT d.webhook_id, d.message_id FROM webhook_deliveries d WHERE d.account_id = $1)";

const DELETE_DELIVERIES: &str = "DELETE FROM webhook_deliveries WHERE account_id = $1";

const FORGET_FAILURES: &str = "UPDATE webhooks \
    SET failing_account = NULL, failing_since = NULL, failing_real_since = NULL WHERE failing_account = $1";

const DELETE_REDELIVERIES: &str = "DELETE FROM event_redeliveries WHERE account_id = $1";

/// Deletes the subscriptions that belong to the account itself.
const DELETE_WEBHOOKS: &str = "DELETE FROM webhooks WHERE account_id = $1";

/// Resumes the receivers of an account's events.
const RESUME: &str = "UPDATE webhooks SET resumptions = resumptions + 1 \
    WHERE client_id = (SELECT client_id FROM accounts WHERE id = $1) AND (account_id IS NULL OR account_id = $1)";

/// Locks the subscriptions that receive events of an account, so that no attempt is recorded meanwhile. Subscriptions
/// are locked before deliveries, in the order of their ids, as everywhere.
fn lock_webhooks(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    let of_client = accounts::table.filter(accounts::id.eq(account.as_str())).select(accounts::client_id);
    let is_of_account = webhooks::account_id.is_null().or(webhooks::account_id.eq(account.as_str()));
    let ids = webhooks::table.filter(webhooks::client_id.eq_any(of_client)).filter(is_of_account).select(webhooks::id);
    let ids: BTreeSet<_> = ids.load::<Id>(conn)?.into_iter().map(|id| (id,)).collect();
    load::<LockedWebhooks>(ids, conn).map(drop)
}

/// Cancels all waiting deliveries, so that none is sent after an import.
pub(crate) fn cancel_all(conn: &mut Conn) -> Outcome<()> {
    sql_query(CANCEL_ALL).execute(conn)?;
    Ok(())
}

/// Applies a restore of an account to its deliveries. `to` is the restored time by the account's clock. Waiting
/// deliveries of undone events are cancelled, other retries become due at `to` at the latest, and failures are
/// forgotten.
pub(crate) fn undo(conn: &mut Conn, account: &AccountId, to: Time) -> Outcome<()> {
    // A fan-out in progress may queue deliveries of undone events. The lock waits for its end, so they are cancelled,
    // too.
    fan_out::lock(conn)?;
    lock_webhooks(conn, account)?;
    for statement in [RESUME, FORGET_FAILURES, CANCEL_UNDONE, UNBLOCK] {
        sql_query(statement).bind::<Text, _>(account.as_str()).execute(conn)?;
    }
    sql_query(LIMIT_RETRIES).bind::<TimeSql, _>(to).bind::<Text, _>(account.as_str()).execute(conn)?;
    Ok(())
}

/// Deletes the subscriptions of an account, and all deliveries of its events.
pub(crate) fn forget_account(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    fan_out::lock(conn)?;
    lock_webhooks(conn, account)?;
    for statement in [FORGET_FAILURES, DELETE_WEBHOOKS, DELETE_ATTEMPTS, DELETE_DELIVERIES, DELETE_REDELIVERIES] {
        sql_query(statement).bind::<Text, _>(account.as_str()).execute(conn)?;
    }
    Ok(())
}

/// Resumes the receivers of an account's events, because a change of its clock may have made retries due.
pub(crate) fn resume(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    lock_webhooks(conn, account)?;
    sql_query(RESUME).bind::<Text, _>(account.as_str()).execute(conn)?;
    Ok(())
}
