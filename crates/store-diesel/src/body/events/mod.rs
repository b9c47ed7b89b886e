//! Events: who may see them, and how they are read.

mod numbers;
mod reading;
mod redeliveries;

pub(crate) use numbers::misnumbered;
pub(crate) use redeliveries::record_redeliveries;

use super::backend::{Conn, SKIP_LOCKED};
use super::body;
use super::driver;
use super::errors::Outcome;
use super::store::Store;
use super::tables::events::{EventRow, outbox_events};
use super::types::{Id, Time};
use super::webhooks;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use florin_domain::event::{EventFilter, EventPosition, Redeliveries, Redelivery, StoredEvent};
use florin_domain::ids::{ClientId, EventId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{EventReach, EventRecording, Events, StoreError};
use reading::matching;
use std::time::Duration;
use tokio::time::sleep;

/// Deletes the oldest events if they are expired. Positions are in the order of real time, so no index on times is
/// needed. Another instance may delete events at the same time.
const DELETE_EXPIRED: &str = "DELETE FROM outbox_events WHERE recorded_at < $1 AND position <= $2 AND position IN \
    (SELECT position FROM outbox_events ORDER BY position LIMIT $3";

/// Maximum number of checks whether transactions have ended. [`PAUSE`] is the time before each check.
const CHECKS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(5);

/// Returns the tail of the events, which all clients share. `None`: transactions that may still add events did not end
/// in time, or the database server was restarted or replaced meanwhile.
pub(super) async fn tail(store: &Store) -> Result<Option<EventPosition>, StoreError> {
    let mut tail = store.read(driver::event_tail).await?;
    for _ in 0..CHECKS {
        if tail.writers.is_empty() {
            return Ok(Some(EventPosition(tail.last)));
        }
        // The pause holds no connection, so that others can read.
        sleep(PAUSE).await;
        // This read has another connection, so it may reach another database server, or the same one after a crash.
        match store.read(move |conn| driver::still_writing(conn, &tail)).await? {
            Some(still) => tail = still,
            None => return Ok(None),
        }
    }
    Ok(None)
}

#[async_trait]
impl Events for Store {
    fn start_recording_events(&self, recording: EventRecording) {
        self.set_recording(recording);
    }

    async fn list(
        &self,
        reach: EventReach,
        filter: EventFilter,
        page: PageRequest,
    ) -> Result<Page<StoredEvent>, StoreError> {
        self.read_in_one_transaction(move |conn| {
            let rows = matching(&reach, &filter)
                .order(outbox_events::position.desc())
                .limit(page.limit)
                .offset(page.offset)
                .select(EventRow::as_select())
                .load(conn)?;
            let count = matching(&reach, &filter).select(count_star()).get_result(conn)?;
            Ok(Page { count, rows: rows.into_iter().map(EventRow::read).collect() })
        })
        .await
    }

    async fn position_of(&self, reach: EventReach, event: EventId) -> Result<Option<EventPosition>, StoreError> {
        self.read(move |conn| {
            if let Some(position) = Redelivery::position_in(event) {
                return redeliveries::has(conn, &reach, position).map(|has| has.then_some(position));
            }
            let found = matching(&reach, &EventFilter::default())
                .filter(outbox_events::id.eq(Id(event.0)))
                .select(outbox_events::position)
                .get_result::<i64>(conn)
                .optional()?;
            Ok(found.map(EventPosition))
        })
        .await
    }

    /// The position is the same for all clients, because their events share one sequence.
    async fn tail(&self, _client: ClientId) -> Result<Option<EventPosition>, StoreError> {
        tail(self).await
    }

    async fn between(
        &self,
        reach: EventReach,
        filter: EventFilter,
        (after, until): (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        self.read(move |conn| {
            let rows = matching(&reach, &filter)
                .filter(outbox_events::position.gt(after.0))
                .filter(outbox_events::position.le(until.0))
                .order(outbox_events::position)
                .limit(i64::from(max))
                .select(EventRow::as_select())
                .load(conn)?;
            Ok(rows.into_iter().map(EventRow::read).collect())
        })
        .await
    }

    async fn redeliveries(
        &self,
        reach: EventReach,
        filter: EventFilter,
        range: (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Redeliveries, StoreError> {
        self.read(move |conn| redeliveries::between(conn, &reach, &filter, range, max)).await
    }

    async fn delete_events(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        // An event is deleted after its deliveries are queued.
        let queued_until = webhooks::fan_out_to_the_end(self).await?;
        self.write(move |conn| delete_expired(conn, before, queued_until, max)).await
    }
}

fn delete_expired(conn: &mut Conn, before: DateTime<Utc>, queued_until: i64, max: u32) -> Outcome<u64> {
    use super::backend::sql::TimeSql;
    let deleted = sql_query(format!("{DELETE_EXPIRED}{SKIP_LOCKED})"))
        .bind::<TimeSql, _>(Time(before))
        .bind::<BigInt, _>(queued_until)
        .bind::<BigInt, _>(i64::from(max))
        .execute(conn)?;
    redeliveries::delete(conn, Time(before), max)?;
    Ok(deleted as u64)
}
