//! Events that are sent again on request, at positions of their own.

use super::body::backend::sql::TimeSql;
use super::body::backend::{Conn, SKIP_LOCKED};
use super::body::driver;
use super::body::errors::Outcome;
use super::body::statements::insert;
use super::body::tables::events::{EventRow, RedeliveryRow, event_redeliveries, outbox_events};
use super::body::types::{Account, Id, Time};
use super::reading::matching;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use florin_domain::event::{EventFilter, EventPosition, Redeliveries, Redelivery, StoredEvent};
use florin_ports::EventReach;
use std::collections::{BTreeMap, BTreeSet};

/// Deletes the oldest rows if they are expired, in the same way as events.
const DELETE_EXPIRED: &str = "DELETE FROM event_redeliveries WHERE recorded_at < $1 AND position IN \
    (SELECT position FROM event_redeliveries ORDER BY position LIMIT $2";

/// Records that stored events of accounts are sent again. The caller queues them in the same transaction.
pub(crate) fn record_redeliveries(conn: &mut Conn, events: Vec<(Account, Id)>, now: Time) -> Outcome<()> {
    if events.is_empty() {
        return Ok(());
    }
    let positions = driver::draw_positions(conn, events.len())?;
    let row = |(position, (account_id, event_id))| RedeliveryRow { position, account_id, event_id, recorded_at: now };
    insert(positions.into_iter().zip(events).map(row).collect(), conn)
}

/// Whether there is a redelivery at a position, and its event is stored and in reach.
pub(super) fn has(conn: &mut Conn, reach: &EventReach, position: EventPosition) -> Outcome<bool> {
    let row = event_redeliveries::table.filter(event_redeliveries::position.eq(position.0));
    let event = row.select(event_redeliveries::event_id).get_result::<Id>(conn).optional()?;
    let Some(event) = event else { return Ok(false) };
    let any = EventFilter::default();
    let stored = matching(reach, &any).filter(outbox_events::id.eq(event));
    Ok(stored.count().get_result::<i64>(conn)? > 0)
}

/// Returns the redeliveries of matching events in a range of positions. Searches at most `max` redeliveries; `until` of
/// the result is the last position that was searched.
pub(super) fn between(
    conn: &mut Conn,
    reach: &EventReach,
    filter: &EventFilter,
    (after, until): (EventPosition, EventPosition),
    max: u32,
) -> Outcome<Redeliveries> {
    let rows = event_redeliveries::table
        .filter(event_redeliveries::position.gt(after.0))
        .filter(event_redeliveries::position.le(until.0))
        .order(event_redeliveries::position)
        .limit(i64::from(max))
        .select((event_redeliveries::position, event_redeliveries::event_id))
        .load::<(i64, Id)>(conn)?;
    let last = rows.last().filter(|_| rows.len() >= max as usize);
    let until = last.map_or(until, |(position, _)| EventPosition(*position));
    let ids: BTreeSet<_> = rows.iter().map(|(_, event)| *event).collect();
    let found = if ids.is_empty() {
        Vec::new()
    } else {
        matching(reach, filter).filter(outbox_events::id.eq_any(ids)).select(EventRow::as_select()).load(conn)?
    };
    let found: BTreeMap<Id, StoredEvent> = found.into_iter().map(|row: EventRow| (row.id, row.read())).collect();
    let redelivery = |(position, event): (i64, Id)| {
        let event = found.get(&event)?.clone();
        Some(Redelivery { position: EventPosition(position), event })
    };
    Ok(Redeliveries { found: rows.into_iter().filter_map(redelivery).collect(), until })
}

/// Deletes the oldest rows if they are expired.
pub(super) fn delete(conn: &mut Conn, before: Time, max: u32) -> Outcome<()> {
    sql_query(format!("{DELETE_EXPIRED}{SKIP_LOCKED})"))
        .bind::<TimeSql, _>(before)
        .bind::<BigInt, _>(i64::from(max))
        .execute(conn)?;
    Ok(())
}
