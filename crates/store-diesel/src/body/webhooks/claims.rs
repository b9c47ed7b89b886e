//! Claims of due deliveries.

use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{self, Conn};
use super::body::driver;
use super::body::errors::Outcome;
use super::body::statements::{load, update};
use super::body::tables::access::clients;
use super::body::tables::webhooks::{DeliveryRow, LockedDeliveries, LockedWebhooks, WebhookRow, webhooks};
use super::body::types::{Account, Id, Time};
use super::rows;
use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use florin_domain::ids::WebhookId;
use florin_domain::webhook::Webhook;
use florin_ports::{ClaimDeliveriesCommand, ClaimedDeliveries, ClaimedDelivery};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The condition that a delivery `d` waits, is not set aside, and has no lease at $1. It fits the indexes of waiting
/// deliveries.
const FREE: &str = "d.status IN ('pending', 'failed') AND NOT d.blocked \
    AND (d.leased_until IS NULL OR d.leased_until <= $1)";

/// The sequence of the first waiting delivery of the object of `d`.
const FIRST: &str = "(SELECT e.sequence FROM webhook_deliveries e WHERE e.webhook_id = d.webhook_id \
    AND e.object_id = d.object_id AND e.status IN ('pending', 'failed') ORDER BY e.sequence LIMIT 1)";

const UNBLOCK: &str = "UPDATE webhook_deliveries SET blocked = FALSE WHERE webhook_id = $1 AND message_id IN \
    (SELECT d.message_id FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.blocked \
    ORDER BY d.object_id LIMIT $2)";

/// The condition that a subscription has a delivery that is set aside until an earlier delivery about its object ends.
pub(super) const HAS_BLOCKED: &str = "(SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = webhooks.id \
    AND d.blocked ORDER BY d.object_id LIMIT 1) IS NOT NULL";

/// Maximum number of deliveries that the claims of several subscriptions in one transaction take together, or one for
/// each claim if that is more. Requests wait for the transaction.
const CLAIMED: u32 = 128;
/// Number of deliveries that the claims of ordered subscriptions in one transaction check, even if they take fewer.
/// Deliveries that wait for earlier ones are set aside.
const CHECKED: u32 = 256;
/// Minimum number of deliveries that a claim of an ordered subscription checks.
const CHECKED_AT_LEAST: u32 = 16;

/// A subscription that may have deliveries to claim.
#[derive(QueryableByName)]
struct DueWebhook {
    #[diesel(sql_type = IdSql)]
    webhook_id: Id,
    #[diesel(sql_type = Bool)]
    ordered: bool,
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
        "SELECT w.id AS webhook_id, w.ordered FROM webhooks w JOIN clients c ON c.id = w.client_id \
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

/// Selects a subscription if it is enabled and may have deliveries to claim.
pub(super) fn due_subscription() -> String {
    due_subscriptions() + " AND w.id = $2"
}

/// Returns the enabled subscriptions that may have deliveries to claim. Runs in a transaction.
pub(super) fn due(conn: &mut Conn, now: DateTime<Utc>) -> Outcome<Vec<Webhook>> {
    driver::sort_by_index(conn, true)?;
    let keys = sql_query(due_subscriptions()).bind::<TimeSql, _>(Time(now)).load::<DueWebhook>(conn)?;
    let keys: Vec<_> = keys.into_iter().map(|key| key.webhook_id).collect();
    let rows = webhooks::table.filter(webhooks::id.eq_any(keys)).select(WebhookRow::as_select()).load(conn)?;
    rows.into_iter().map(WebhookRow::read).collect()
}

/// Selects deliveries that can be claimed, and whether they are the first ones of their objects.
fn claimable(is_ordered: bool) -> String {
    let first = if is_ordered { format!("d.sequence <= {FIRST}") } else { "TRUE".into() };
    format!("SELECT d.message_id, {first} AS is_first FROM webhook_deliveries d WHERE {FREE} AND d.webhook_id = $2")
}

/// Selects the deliveries that can be claimed and are due immediately: first attempts.
pub(super) fn first_attempts(is_ordered: bool) -> String {
    let claimable = claimable(is_ordered);
    format!("{claimable} AND d.due_at IS NULL ORDER BY d.queued_at, d.sequence, d.message_id LIMIT $3")
}

/// Selects the retries of an account that can be claimed and are due by the account's clock.
pub(super) fn retries(is_ordered: bool) -> String {
    let claimable = claimable(is_ordered);
    format!("{claimable} AND d.account_id = $3 AND d.due_at <= $4 ORDER BY d.due_at, d.sequence, d.message_id LIMIT $5")
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

/// Returns the deliveries that can be claimed: first attempts and retries alternately. The id of the lease decides at
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

/// Searches for deliveries to claim, so that a search without result costs no write. Runs in a transaction.
pub(super) fn search(conn: &mut Conn, command: &ClaimDeliveriesCommand) -> Outcome<Search> {
    driver::sort_by_index(conn, true)?;
    let id = Id(command.webhook.0);
    let due = sql_query(due_subscription()).bind::<TimeSql, _>(Time(command.now)).bind::<IdSql, _>(id);
    let due = due.get_result::<DueWebhook>(conn).optional()?;
    if due.as_ref().is_some_and(|due| !due.ordered) {
        return Ok(Search::MayClaim);
    }
    let row = webhooks::table.filter(webhooks::id.eq(id)).select(WebhookRow::as_select());
    let row = row.get_result::<WebhookRow>(conn).optional()?;
    let Some(webhook) = live(conn, row)?.remove(&id) else { return Ok(Search::Inactive) };
    // The first delivery of an ordered subscription may be in flight, and the others wait for it.
    let is_any = due.is_some() && !candidates(conn, &webhook, command, 1)?.is_empty();
    Ok(if is_any { Search::MayClaim } else { Search::Nothing(Box::new(webhook)) })
}

/// Returns the given subscriptions that have blocked deliveries, which are set aside.
pub(super) fn with_blocked(conn: &mut Conn, ids: Vec<Id>) -> Outcome<BTreeSet<Id>> {
    if ids.is_empty() {
        return Ok(BTreeSet::new());
    }
    let found = webhooks::table.filter(webhooks::id.eq_any(ids)).filter(sql::<Bool>(HAS_BLOCKED)).select(webhooks::id);
    Ok(found.load::<Id>(conn)?.into_iter().collect())
}

/// Returns the subscriptions that receive deliveries now.
fn live(conn: &mut Conn, rows: impl IntoIterator<Item = WebhookRow>) -> Outcome<BTreeMap<Id, Webhook>> {
    let rows: Vec<_> = rows.into_iter().filter(|row| row.enabled && row.deleted_at.is_none()).collect();
    let of_rows: BTreeSet<_> = rows.iter().map(|row| row.client_id).collect();
    let disabled = clients::table.filter(clients::id.eq_any(of_rows)).filter(clients::disabled_at.is_not_null());
    let disabled: BTreeSet<_> = disabled.select(clients::id).load::<Id>(conn)?.into_iter().collect();
    let live = rows.into_iter().filter(|row| !disabled.contains(&row.client_id));
    live.map(|row| Ok((row.id, row.read()?))).collect()
}

/// The deliveries that a claim selects.
struct Selection<'c> {
    command: &'c ClaimDeliveriesCommand,
    webhook: Webhook,
    /// The deliveries to claim, in the order in which they are sent.
    first: Vec<Id>,
    /// The deliveries that must wait for earlier deliveries of their objects.
    later: Vec<Id>,
}

impl<'c> Selection<'c> {
    /// Selects the deliveries of one claim. Its transaction makes `claims` claims, `ordered` of them for ordered
    /// subscriptions.
    fn of(
        conn: &mut Conn,
        (command, webhook): (&'c ClaimDeliveriesCommand, Webhook),
        (claims, ordered): (u32, u32),
    ) -> Outcome<Self> {
        let max = if claims == 1 { command.max } else { command.max.min((CLAIMED / claims).max(1)) };
        let checked = if webhook.ordered { max.max(CHECKED / ordered.max(1)).max(CHECKED_AT_LEAST) } else { max };
        let found = candidates(conn, &webhook, command, checked)?;
        let (first, later): (Vec<_>, Vec<_>) = found.into_iter().partition(|candidate| candidate.is_first);
        let first = first.into_iter().take(max as usize).map(|candidate| candidate.message_id).collect();
        let later = later.into_iter().map(|candidate| candidate.message_id).collect();
        Ok(Self { command, webhook, first, later })
    }

    /// Returns the keys of some of its deliveries.
    fn keys(&self, messages: &[Id]) -> impl Iterator<Item = (Id, Id)> {
        let webhook = Id(self.webhook.id.0);
        messages.iter().map(move |message| (webhook, *message))
    }
}

/// Claims due deliveries of different subscriptions, at most one claim for each. The result omits subscriptions that
/// receive no deliveries now.
pub(super) fn claim(
    conn: &mut Conn,
    commands: &[&ClaimDeliveriesCommand],
) -> Outcome<BTreeMap<WebhookId, ClaimedDeliveries>> {
    // Every change of a subscription's deliveries holds this lock, except the fan-out, which only queues deliveries.
    let ids: BTreeSet<_> = commands.iter().map(|command| (Id(command.webhook.0),)).collect();
    let locked = load::<LockedWebhooks>(ids, conn)?;
    let mut webhooks = live(conn, locked)?;
    unblock(conn, &webhooks)?;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let ordered = webhooks.values().filter(|webhook| webhook.ordered).count();
    let claims = (number(webhooks.len()), number(ordered));
    driver::sort_by_index(conn, true)?;
    let mut selections = BTreeMap::new();
    for &command in commands {
        let id = Id(command.webhook.0);
        if let Some(webhook) = webhooks.remove(&id) {
            selections.insert(id, Selection::of(conn, (command, webhook), claims)?);
        }
    }
    driver::sort_by_index(conn, false)?;
    block(conn, &selections)?;
    let keys = selections.values().flat_map(|selection| selection.keys(&selection.first));
    let mut rows = Vec::new();
    for mut row in load::<LockedDeliveries>(keys, conn)? {
        let Some(Selection { command, .. }) = selections.get(&row.webhook_id) else { continue };
        // A restore may have cancelled some deliveries meanwhile.
        if row.is_free(Time(command.now)) {
            let mut delivery = row.read()?;
            delivery.begin_attempt();
            (row.attempts, row.unrecorded) = (delivery.attempts.into(), delivery.unrecorded.into());
            (row.lease_id, row.leased_until) = (Some(Id(command.lease.0)), Some(Time(command.until)));
            rows.push(row);
        }
    }
    update(rows.iter().map(DeliveryRow::claim_change).collect(), conn)?;
    claimed(conn, selections, rows)
}

/// Releases deliveries that were set aside while their subscriptions were ordered.
fn unblock(conn: &mut Conn, webhooks: &BTreeMap<Id, Webhook>) -> Outcome<()> {
    let unordered = webhooks.iter().filter(|(_, webhook)| !webhook.ordered).map(|(id, _)| *id).collect();
    let blocked = with_blocked(conn, unordered)?;
    let each = (i64::from(CHECKED) / i64::try_from(blocked.len().max(1)).unwrap_or(i64::MAX)).max(1);
    for id in blocked {
        sql_query(UNBLOCK).bind::<IdSql, _>(id).bind::<BigInt, _>(each).execute(conn)?;
    }
    Ok(())
}

/// Sets deliveries aside until an earlier delivery about the same object has ended.
fn block(conn: &mut Conn, selections: &BTreeMap<Id, Selection<'_>>) -> Outcome<()> {
    let keys = selections.values().flat_map(|selection| selection.keys(&selection.later));
    let mut rows = load::<LockedDeliveries>(keys, conn)?;
    rows.retain(|row| {
        selections.get(&row.webhook_id).is_some_and(|selection| row.is_free(Time(selection.command.now)))
    });
    for row in &mut rows {
        row.blocked = true;
    }
    update(rows.iter().map(DeliveryRow::change).collect(), conn)
}

/// Returns the claimed deliveries of each subscription, with their bodies. Several subscriptions may receive the same
/// event.
fn claimed(
    conn: &mut Conn,
    selections: BTreeMap<Id, Selection<'_>>,
    rows: Vec<DeliveryRow>,
) -> Outcome<BTreeMap<WebhookId, ClaimedDeliveries>> {
    let messages: BTreeSet<_> = rows.iter().map(|row| row.message_id).collect();
    let bodies = rows::event_bodies(conn, messages.into_iter().collect())?.into_iter();
    let bodies: BTreeMap<_, Arc<str>> = bodies.map(|(message, body)| (message, body.into())).collect();
    let clocks = rows::clocks(conn, rows.iter().map(|row| row.account_id.clone()).collect())?;
    let mut rows_of: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in rows {
        rows_of.entry(row.webhook_id).or_default().push(row);
    }
    let read = |lease, row: DeliveryRow| -> Outcome<ClaimedDelivery> {
        let body = bodies.get(&row.message_id).cloned().or_else(|| row.test_body.as_deref().map(Into::into));
        let clock = clocks.get(&row.account_id).copied().unwrap_or_default();
        Ok(ClaimedDelivery { delivery: row.read()?, lease, clock, body })
    };
    let of_each = selections.into_iter().map(|(id, selection)| {
        let Selection { command, webhook, first, later } = selection;
        let mut rows = rows_of.remove(&id).unwrap_or_default();
        rows.sort_by_key(|row| first.iter().position(|message| *message == row.message_id));
        let deliveries = rows.into_iter().map(|row| read(command.lease, row)).collect::<Outcome<_>>()?;
        Ok((webhook.id, ClaimedDeliveries { has_more: !later.is_empty(), webhook, deliveries }))
    });
    of_each.collect()
}
