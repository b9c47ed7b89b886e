//! The log of deliveries.

use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{Conn, Db};
use super::body::errors::Outcome;
use super::body::statements::load;
use super::body::tables::webhooks::{
    AttemptRow, DeliveryRow, LockedDeliveries, LockedWebhooks, webhook_attempts, webhook_deliveries,
};
use super::body::types::{Id, Named, Time};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool};
use florin_domain::ids::WebhookId;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{DeliveryFilter, LoggedDelivery};
use std::collections::{BTreeMap, BTreeSet};

/// Selects old deliveries that do not wait any more.
pub(super) const OLD_DELIVERIES: &str = "SELECT d.webhook_id, d.message_id FROM webhook_deliveries d \
    WHERE d.queued_at < $1 AND d.status NOT IN ('pending', 'failed') \
    ORDER BY d.queued_at, d.webhook_id, d.message_id LIMIT $2";

/// Selects a deleted subscription that has deliveries.
pub(super) const DELETED_WEBHOOK: &str = "SELECT w.id AS webhook_id FROM webhooks w WHERE w.deleted_at IS NOT NULL \
    AND (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id LIMIT 1) IS NOT NULL \
    ORDER BY w.deleted_at LIMIT 1";

/// Selects deliveries of a subscription.
const OF_WEBHOOK: &str = "SELECT d.webhook_id, d.message_id FROM webhook_deliveries d WHERE d.webhook_id = $1 LIMIT $2";

/// Deletes the rows of subscriptions that were marked as deleted so long ago that no fan-out in progress can still
/// queue an event for them.
const DELETE_WEBHOOKS: &str = "DELETE FROM webhooks WHERE deleted_at < $1 \
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = webhooks.id)";

#[derive(QueryableByName)]
struct WebhookKey {
    #[diesel(sql_type = IdSql)]
    webhook_id: Id,
}

#[derive(QueryableByName)]
struct DeliveryKey {
    #[diesel(sql_type = IdSql)]
    webhook_id: Id,
    #[diesel(sql_type = IdSql)]
    message_id: Id,
}

fn selected(webhook: WebhookId, filter: &DeliveryFilter) -> webhook_deliveries::BoxedQuery<'static, Db> {
    let mut rows = webhook_deliveries::table.filter(webhook_deliveries::webhook_id.eq(Id(webhook.0))).into_boxed();
    if let Some(status) = filter.status {
        rows = rows.filter(webhook_deliveries::status.eq(Named(status)));
    }
    if let Some(event) = filter.event {
        rows = rows.filter(webhook_deliveries::message_id.eq(Id(event.0)));
    }
    if let Some(from) = filter.from {
        rows = rows.filter(webhook_deliveries::created_at.ge(Time(from)));
    }
    if let Some(to) = filter.to {
        rows = rows.filter(webhook_deliveries::created_at.le(Time(to)));
    }
    rows
}

/// Lists deliveries with their attempts.
pub(super) fn list(
    conn: &mut Conn,
    webhook: WebhookId,
    filter: &DeliveryFilter,
    page: PageRequest,
) -> Outcome<Page<LoggedDelivery>> {
    let count = selected(webhook, filter).count().get_result(conn)?;
    let rows = selected(webhook, filter)
        .order((webhook_deliveries::queued_at.desc(), webhook_deliveries::message_id.desc()))
        .limit(page.limit)
        .offset(page.offset)
        .select(DeliveryRow::as_select())
        .load(conn)?;
    let messages: Vec<_> = rows.iter().map(|row| row.message_id).collect();
    let delivery = webhook_deliveries::webhook_id
        .eq(webhook_attempts::webhook_id)
        .and(webhook_deliveries::message_id.eq(webhook_attempts::message_id));
    let is_last = diesel::dsl::sql::<Bool>("webhook_attempts.number > webhook_deliveries.attempts - ");
    let attempts = webhook_attempts::table
        .inner_join(webhook_deliveries::table.on(delivery))
        .filter(is_last.bind::<BigInt, _>(i64::from(filter.attempts)))
        .filter(webhook_attempts::webhook_id.eq(Id(webhook.0)))
        .filter(webhook_attempts::message_id.eq_any(messages))
        .order((webhook_attempts::message_id, webhook_attempts::number))
        .select(AttemptRow::as_select())
        .load(conn)?;
    let mut of_message: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for attempt in attempts {
        of_message.entry(attempt.message_id).or_default().push(attempt.read()?);
    }
    let rows = rows.into_iter().map(|row| {
        let attempts = of_message.remove(&row.message_id).unwrap_or_default();
        Ok(LoggedDelivery { delivery: row.read()?, attempts })
    });
    Ok(Page { count, rows: rows.collect::<Outcome<_>>()? })
}

/// Deletes old deliveries and the deliveries of deleted subscriptions, with their attempts.
pub(super) fn delete(conn: &mut Conn, before: DateTime<Utc>, max: u32) -> Outcome<u64> {
    let deleted = sql_query(DELETED_WEBHOOK).get_result::<WebhookKey>(conn).optional()?.map(|row| row.webhook_id);
    let of_deleted = match deleted {
        Some(id) => {
            let all = sql_query(OF_WEBHOOK).bind::<IdSql, _>(id).bind::<BigInt, _>(i64::from(max));
            all.load::<DeliveryKey>(conn)?
        }
        None => Vec::new(),
    };
    let remaining = i64::from(max) - i64::try_from(of_deleted.len()).unwrap_or(i64::MAX);
    let old = sql_query(OLD_DELIVERIES)
        .bind::<TimeSql, _>(Time(before))
        .bind::<BigInt, _>(remaining)
        .load::<DeliveryKey>(conn)?;
    let found = of_deleted.into_iter().chain(old).map(|row| (row.webhook_id, row.message_id)).collect();
    // A redelivery may have restarted some deliveries meanwhile.
    let removed = remove(conn, &found, |row| Some(row.webhook_id) == deleted || !row.status.0.is_waiting())?;
    sql_query(DELETE_WEBHOOKS).bind::<TimeSql, _>(Time(before)).execute(conn)?;
    Ok(removed as u64)
}

/// Locks deliveries, deletes the deliveries that meet a condition, with their attempts, and returns their number. All
/// subscriptions are locked first, as everywhere.
fn remove(conn: &mut Conn, found: &BTreeSet<(Id, Id)>, condition: impl Fn(&DeliveryRow) -> bool) -> Outcome<usize> {
    let webhooks: BTreeSet<_> = found.iter().map(|(webhook, _)| (*webhook,)).collect();
    load::<LockedWebhooks>(webhooks, conn)?;
    let mut rows = load::<LockedDeliveries>(found.iter().copied(), conn)?;
    rows.retain(condition);
    let mut of_webhook: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    for row in &rows {
        of_webhook.entry(row.webhook_id).or_default().push(row.message_id);
    }
    for (webhook, messages) in of_webhook {
        let attempts = webhook_attempts::table.filter(webhook_attempts::webhook_id.eq(webhook));
        diesel::delete(attempts.filter(webhook_attempts::message_id.eq_any(messages.clone()))).execute(conn)?;
        let own = webhook_deliveries::table.filter(webhook_deliveries::webhook_id.eq(webhook));
        let own = own.filter(webhook_deliveries::message_id.eq_any(messages));
        diesel::delete(own).execute(conn)?;
    }
    Ok(rows.len())
}
