//! Claims of due deliveries.

use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{self, Conn};
use super::body::errors::Outcome;
use super::body::statements::{load, update};
use super::body::tables::access::clients;
use super::body::tables::webhooks::{DeliveryRow, LockedDeliveries, LockedWebhooks, WebhookRow, webhooks};
use super::body::types::{Account, Id, Time};
use super::rows;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use florin_domain::webhook::Webhook;
use florin_ports::{ClaimDeliveriesCommand, ClaimedDeliveries, ClaimedDelivery};

/// The condition that a delivery `d` waits, is not set aside, and has no lease at $1. It fits the indexes of waiting
/// deliveries.
const FREE: &str = "d.status IN ('pending', 'failed') AND NOT d.blocked \
    AND (d.leased_until IS NULL OR d.leased_until <= $1)";

/// The sequence of the first waiting delivery of the object of `d`.
const FIRST: &str = "(SELECT e.sequence FROM webhook_deliveries e WHERE e.webhook_id = d.webhook_id \
    AND e.object_id = d.object_id AND e.status IN ('pending', 'failed') ORDER BY e.sequence LIMIT 1)";

const UNBLOCK: &str = "UPDATE webhook_deliveries SET blocked = FALSE WHERE webhook_id = $1 AND message_id IN \
    (SELECT d.message_id FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.blocked ORDER BY d.object_id LIMIT $2)";

/// Selects a delivery that is set aside until an earlier delivery about its object ends.
pub(super) const BLOCKED: &str = "SELECT d.webhook_id FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.blocked \
    ORDER BY d.object_id LIMIT 1";

/// Number of deliveries that a claim of an ordered subscription checks, even if it takes fewer. Those that wait for
/// earlier ones are set aside.
const CHECKED: u32 = 256;

#[derive(QueryableByName)]
struct WebhookKey {
    #[diesel(sql_type = IdSql)]
    webhook_id: Id,
}

#[derive(QueryableByName)]
struct DueAccount {
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = TimeSql)]
    shown: Time,
}

/// A delivery that can be claimed.
#[derive(QueryableByName)]
struct Candidate {
    #[diesel(sql_type = IdSql)]
    message_id: Id,
    #[diesel(sql_type = Bool)]
    is_first: bool,
}

/// Selects the enabled subscriptions that may have deliveries to claim. Each condition reads the first row of an index.
/// The subqueries are scalar, because a planner may turn EXISTS into a join of all rows.
pub(super) fn due_subscriptions() -> String {
    let clock = backend::CLOCK;
    let waiting = "SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND";
    let by_queue = "ORDER BY d.queued_at, d.sequence, d.message_id LIMIT 1";
    let by_time = "ORDER BY d.due_at, d.sequence, d.message_id LIMIT 1";
    format!(
        "SELECT w.id AS webhook_id FROM webhooks w JOIN clients c ON c.id = w.client_id \
            WHERE w.enabled AND w.deleted_at IS NULL AND c.disabled_at IS NULL AND ( \
            ({waiting} {FREE} AND d.due_at IS NULL {by_queue}) IS NOT NULL \
            OR (NOT w.ordered AND ({waiting} d.blocked ORDER BY d.object_id LIMIT 1) IS NOT NULL) \
            OR (({waiting} {FREE} AND d.due_at IS NOT NULL ORDER BY d.account_id LIMIT 1) IS NOT NULL \
                AND (SELECT 1 FROM accounts a LEFT JOIN timelines t ON t.account_id = a.id \
                WHERE a.client_id = w.client_id AND (w.account_id IS NULL OR a.id = w.account_id) \
                AND ({waiting} d.account_id = a.id AND {FREE} AND d.due_at <= {clock} {by_time}) IS NOT NULL \
                LIMIT 1) IS NOT NULL))"
    )
}

/// Returns the enabled subscriptions that may have deliveries to claim.
pub(super) fn due(conn: &mut Conn, now: DateTime<Utc>) -> Outcome<Vec<Webhook>> {
    let keys = sql_query(due_subscriptions()).bind::<TimeSql, _>(Time(now)).load::<WebhookKey>(conn)?;
    let keys: Vec<_> = keys.into_iter().map(|key| key.webhook_id).collect();
    let rows = webhooks::table.filter(webhooks::id.eq_any(keys)).select(WebhookRow::as_select()).load(conn)?;
    rows.into_iter().map(WebhookRow::read).collect()
}

/// Selects deliveries that can be claimed, and whether they are the first ones of their objects.
fn found(is_ordered: bool) -> String {
    let first = if is_ordered { format!("d.sequence <= {FIRST}") } else { "TRUE".into() };
    format!("SELECT d.message_id, {first} AS is_first FROM webhook_deliveries d WHERE {FREE} AND d.webhook_id = $2")
}

/// Selects the deliveries that can be claimed and are due immediately: first attempts.
pub(super) fn first_attempts(is_ordered: bool) -> String {
    let found = found(is_ordered);
    format!("{found} AND d.due_at IS NULL ORDER BY d.queued_at, d.sequence, d.message_id LIMIT $3")
}

/// Selects the retries of an account that can be claimed and are due by the account's clock.
pub(super) fn retries(is_ordered: bool) -> String {
    let found = found(is_ordered);
    format!("{found} AND d.account_id = $3 AND d.due_at <= $4 ORDER BY d.due_at, d.sequence, d.message_id LIMIT $5")
}

/// Selects the accounts that have due retries, and the times that their clocks show.
pub(super) fn accounts_with_retries() -> String {
    let clock = backend::CLOCK;
    format!(
        "SELECT a.id AS account_id, {clock} AS shown FROM accounts a LEFT JOIN timelines t ON t.account_id = a.id \
            WHERE a.client_id = $2 AND (CAST($3 AS TEXT) IS NULL OR a.id = $3) \
            AND (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = $4 AND {FREE} \
                AND d.due_at IS NOT NULL ORDER BY d.account_id LIMIT 1) IS NOT NULL \
            AND (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = $4 AND d.account_id = a.id AND {FREE} \
                AND d.due_at <= {clock} ORDER BY d.due_at, d.sequence, d.message_id LIMIT 1) IS NOT NULL LIMIT $5"
    )
}

/// Returns the deliveries that can be claimed: first attempts and retries in turns. The id of the lease decides at
/// random which of the two begins, so that neither starves if each claim takes one delivery.
fn candidates(
    conn: &mut Conn,
    webhook: &Webhook,
    command: &ClaimDeliveriesCommand,
    max: u32,
) -> Outcome<Vec<Candidate>> {
    let now = Time(command.now);
    let first_attempts = sql_query(first_attempts(webhook.ordered))
        .bind::<TimeSql, _>(now)
        .bind::<IdSql, _>(Id(webhook.id.0))
        .bind::<BigInt, _>(i64::from(max))
        .load::<Candidate>(conn)?;
    let accounts = due_accounts(conn, webhook, now, max)?;
    let share = max.div_ceil(u32::try_from(accounts.len().max(1)).unwrap_or(u32::MAX));
    let of_account = retries(webhook.ordered);
    let mut others = Vec::new();
    for DueAccount { account_id, shown } in accounts {
        let due = sql_query(&of_account)
            .bind::<TimeSql, _>(now)
            .bind::<IdSql, _>(Id(webhook.id.0))
            .bind::<Text, _>(account_id)
            .bind::<TimeSql, _>(shown)
            .bind::<BigInt, _>(i64::from(share));
        others.extend(due.load::<Candidate>(conn)?);
    }
    let (mut one, mut other) = (first_attempts.into_iter(), others.into_iter());
    if command.lease.0.as_u128() & 1 == 1 {
        (one, other) = (other, one);
    }
    let mut found = Vec::new();
    while found.len() < max as usize {
        let before = found.len();
        found.extend(one.next());
        found.extend(other.next());
        if found.len() == before {
            break;
        }
    }
    found.truncate(max as usize);
    Ok(found)
}

/// Returns the accounts that have due retries.
fn due_accounts(conn: &mut Conn, webhook: &Webhook, now: Time, max: u32) -> Outcome<Vec<DueAccount>> {
    let found = sql_query(accounts_with_retries())
        .bind::<TimeSql, _>(now)
        .bind::<IdSql, _>(Id(webhook.client.0))
        .bind::<Nullable<Text>, _>(webhook.account.clone().map(Account))
        .bind::<IdSql, _>(Id(webhook.id.0))
        .bind::<BigInt, _>(i64::from(max));
    Ok(found.load(conn)?)
}

/// The result of a search for deliveries to claim.
pub(super) enum Search {
    /// The subscription receives no deliveries now.
    Inactive,
    /// The subscription has no deliveries to claim.
    Nothing(Box<Webhook>),
    /// The subscription may have deliveries to claim.
    MayClaim,
}

/// Searches for deliveries to claim, so that a search without result costs no write.
pub(super) fn search(conn: &mut Conn, command: &ClaimDeliveriesCommand) -> Outcome<Search> {
    let row = webhooks::table.filter(webhooks::id.eq(Id(command.webhook.0)));
    let row = row.select(WebhookRow::as_select()).get_result(conn).optional()?;
    let Some(webhook) = live(conn, row)? else { return Ok(Search::Inactive) };
    let has_blocked = !webhook.ordered && has_blocked(conn, Id(webhook.id.0))?;
    let is_any = has_blocked || !candidates(conn, &webhook, command, 1)?.is_empty();
    Ok(if is_any { Search::MayClaim } else { Search::Nothing(Box::new(webhook)) })
}

pub(super) fn has_blocked(conn: &mut Conn, id: Id) -> Outcome<bool> {
    Ok(sql_query(BLOCKED).bind::<IdSql, _>(id).get_result::<WebhookKey>(conn).optional()?.is_some())
}

/// Returns the subscription if it receives deliveries now.
fn live(conn: &mut Conn, row: Option<WebhookRow>) -> Outcome<Option<Webhook>> {
    let Some(row) = row.filter(|row| row.enabled && row.deleted_at.is_none()) else { return Ok(None) };
    let client = clients::table.filter(clients::id.eq(row.client_id)).select(clients::disabled_at);
    let disabled_at = client.get_result::<Option<Time>>(conn).optional()?.flatten();
    if disabled_at.is_some() { Ok(None) } else { row.read().map(Some) }
}

pub(super) fn claim(conn: &mut Conn, command: &ClaimDeliveriesCommand) -> Outcome<Option<ClaimedDeliveries>> {
    let now = Time(command.now);
    // Every change of a subscription's deliveries holds this lock, except the fan-out, which only queues deliveries.
    let locked = load::<LockedWebhooks>([(Id(command.webhook.0),)], conn)?.pop();
    let Some(webhook) = live(conn, locked)? else { return Ok(None) };
    let max = if webhook.ordered { command.max.max(CHECKED) } else { command.max };
    if !webhook.ordered {
        // The subscription may have been ordered before: release deliveries that were set aside.
        let unblock = sql_query(UNBLOCK).bind::<IdSql, _>(Id(webhook.id.0)).bind::<BigInt, _>(i64::from(CHECKED));
        unblock.execute(conn)?;
    }
    let found = candidates(conn, &webhook, command, max)?;
    let key = |candidate: &Candidate| (Id(webhook.id.0), candidate.message_id);
    let (first, later): (Vec<_>, Vec<_>) = found.iter().partition(|candidate| candidate.is_first);
    let has_more = !later.is_empty();
    block(conn, later.into_iter().map(key), now)?;
    let order: Vec<_> = first.iter().take(command.max as usize).map(|candidate| candidate.message_id).collect();
    let mut rows = load::<LockedDeliveries>(first.into_iter().take(command.max as usize).map(key), conn)?;
    // A restore may have cancelled some meanwhile.
    rows.retain(|row| row.is_free(now));
    for row in &mut rows {
        let mut delivery = row.read()?;
        delivery.begin_attempt();
        (row.attempts, row.unrecorded) = (delivery.attempts.into(), delivery.unrecorded.into());
        (row.lease_id, row.leased_until) = (Some(Id(command.lease.0)), Some(Time(command.until)));
    }
    update(rows.iter().map(DeliveryRow::claim_change).collect(), conn)?;
    rows.sort_by_key(|row| order.iter().position(|message| *message == row.message_id));
    let deliveries = claimed(conn, rows, command)?;
    Ok(Some(ClaimedDeliveries { webhook, deliveries, has_more }))
}

/// Sets deliveries aside until an earlier delivery about the same object has ended.
fn block(conn: &mut Conn, keys: impl Iterator<Item = (Id, Id)>, now: Time) -> Outcome<()> {
    let mut rows = load::<LockedDeliveries>(keys, conn)?;
    rows.retain(|row| row.is_free(now));
    for row in &mut rows {
        row.blocked = true;
    }
    update(rows.iter().map(DeliveryRow::change).collect(), conn)
}

fn claimed(conn: &mut Conn, rows: Vec<DeliveryRow>, command: &ClaimDeliveriesCommand) -> Outcome<Vec<ClaimedDelivery>> {
    let mut bodies = rows::event_bodies(conn, rows.iter().map(|row| row.message_id).collect())?;
    let clocks = rows::clocks(conn, rows.iter().map(|row| row.account_id.clone()).collect())?;
    rows.into_iter()
        .map(|row| {
            let body = bodies.remove(&row.message_id).or_else(|| row.test_body.clone());
            let clock = clocks.get(&row.account_id).copied().unwrap_or_default();
            Ok(ClaimedDelivery { delivery: row.read()?, lease: command.lease, clock, body: body.map(Into::into) })
        })
        .collect()
}
