//! The fan-out: queues the deliveries of events after the commits of the events.
//!
//! A subscription receives the events whose positions are in its range: above `since`, and at most `until` while it is
//! disabled. A transaction that creates, enables or disables a subscription draws the position at which the range
//! begins or ends. So the outcome is the same as if the transaction of each event had queued its deliveries.
//!
//! The cursor is the position up to which all deliveries are queued. It never passes the tail of the events. When a
//! tail is known, all transactions that drew a lower position have ended, so their subscriptions and events are
//! visible.

use super::body::backend::{Conn, SKIP_LOCKED};
use super::body::errors::Outcome;
use super::body::store::Store;
use super::body::tables::events::outbox_events;
use super::body::tables::webhooks::webhooks;
use super::body::types::Id;
use super::body::{driver, events};
use diesel::dsl::{exists, min};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Nullable};
use florin_domain::event::EventPosition;
use florin_domain::ids::AccountId;
use florin_domain::webhook::Webhook;
use florin_ports::StoreError;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The number of events whose deliveries one transaction queues, if no event has several subscriptions. Otherwise they
/// are fewer, so that requests wait for the writer equally long.
const PORTION: i64 = 200;

/// Pause between checks whether another instance has queued a portion.
const PAUSE: Duration = Duration::from_millis(5);

/// Maximum time that a read waits, for example while another program has locked the database.
const READ_WAIT: Duration = Duration::from_secs(1);

/// Maximum time that the command of a request waits. Under load, the deliveries of the events of the last twenty
/// seconds may not be queued yet. The deadline of a write is longer than this time.
const COMMAND_WAIT: Duration = Duration::from_secs(15);

/// The cursor, and the least position after which a subscription may still receive events.
const CURSOR: &str = "SELECT f.position, (SELECT MIN(w.since) FROM webhooks w \
        WHERE w.deleted_at IS NULL AND (w.enabled OR w.until > f.position)) AS since \
    FROM event_fan_out f WHERE f.one = 1";

/// The greatest number of subscriptions that receive the same events after a position.
const WIDTH: &str = "SELECT COUNT(*) AS width FROM webhooks w \
    WHERE w.deleted_at IS NULL AND (w.enabled OR w.until > $1) \
    GROUP BY w.client_id, w.account_id, w.kind ORDER BY COUNT(*) DESC LIMIT 1";

/// The position of the last event of a full portion.
const END: &str = "SELECT position FROM outbox_events WHERE position > $1 AND position <= $2 \
    ORDER BY position LIMIT 1 OFFSET $3";

/// Queues the deliveries of the events in a range of positions. CROSS JOIN makes SQLite begin with the events. An
/// instance of an earlier version may have queued some deliveries in the transaction of their event.
const QUEUE: &str = "INSERT INTO webhook_deliveries (webhook_id, message_id, account_id, object_id, sequence, status, \
        attempts, scheduled, unrecorded, blocked, created_at, queued_at) \
    SELECT w.id, e.id, e.account_id, e.object_id, e.sequence, 'pending', 0, 0, 0, FALSE, e.occurred_at, e.recorded_at \
    FROM outbox_events e CROSS JOIN accounts a CROSS JOIN webhooks w \
    WHERE e.position > $1 AND e.position <= $2 AND a.id = e.account_id AND w.client_id = a.client_id \
        AND (w.account_id IS NULL OR w.account_id = a.id) AND w.kind = e.kind AND w.deleted_at IS NULL \
        AND e.position > w.since AND (w.enabled OR e.position <= w.until) \
        AND (w.checkout_ids IS NULL \
            OR (' ' || w.checkout_ids || ' ') LIKE ('% ' || CAST(e.checkout_id AS TEXT) || ' %')) \
    ON CONFLICT DO NOTHING";

const ADVANCE: &str = "UPDATE event_fan_out SET position = $1";

const LOCK: &str = "UPDATE event_fan_out SET position = position";

#[derive(QueryableByName)]
struct Cursor {
    #[diesel(sql_type = BigInt)]
    position: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    since: Option<i64>,
}

#[derive(QueryableByName)]
struct Width {
    #[diesel(sql_type = BigInt)]
    width: i64,
}

#[derive(QueryableByName)]
struct End {
    #[diesel(sql_type = BigInt)]
    position: i64,
}

/// The positions above one position, up to another.
#[derive(Clone, Copy)]
pub(super) struct PositionRange {
    pub(super) after: i64,
    pub(super) until: i64,
}

impl Cursor {
    /// Returns the position after which events must be searched; `None` if no subscription can receive events up to the
    /// tail. Events from before all subscriptions are skipped.
    fn behind(&self, tail: i64) -> Option<i64> {
        self.since.map(|since| since.max(self.position)).filter(|from| *from < tail)
    }
}

/// Returns the number of events of a portion after a position.
pub(super) fn portion(conn: &mut Conn, position: i64) -> Outcome<i64> {
    let width = sql_query(WIDTH).bind::<BigInt, _>(position).get_result::<Width>(conn).optional()?;
    Ok((PORTION / width.map_or(1, |found| found.width.max(1))).max(1))
}

/// Returns the part of a range that contains its first `count` events, or the whole range if it contains fewer events.
pub(super) fn first_of(conn: &mut Conn, range: PositionRange, count: i64) -> Outcome<PositionRange> {
    let PositionRange { after, until } = range;
    let end = sql_query(END).bind::<BigInt, _>(after).bind::<BigInt, _>(until).bind::<BigInt, _>(count - 1);
    let until = end.get_result::<End>(conn).optional()?.map_or(until, |end| end.position);
    Ok(PositionRange { after, until })
}

/// Queues the deliveries of one portion of the events up to a tail. Returns `false` if another instance is doing it.
fn queue(conn: &mut Conn, tail: i64) -> Outcome<bool> {
    let cursor = sql_query(format!("{CURSOR}{SKIP_LOCKED}")).get_result::<Cursor>(conn).optional()?;
    let Some(cursor) = cursor else { return Ok(false) };
    let Some(after) = cursor.behind(tail) else { return Ok(true) };
    let portion = portion(conn, cursor.position)?;
    let PositionRange { after, until } = first_of(conn, PositionRange { after, until: tail }, portion)?;
    sql_query(QUEUE).bind::<BigInt, _>(after).bind::<BigInt, _>(until).execute(conn)?;
    sql_query(ADVANCE).bind::<BigInt, _>(until).execute(conn)?;
    Ok(true)
}

/// The caller of the fan-out, which determines how long it waits for other instances.
#[derive(Clone, Copy)]
enum Caller {
    /// The worker. It does not wait for another instance.
    Worker,
    /// A read. It does not wait for long.
    Read,
    /// A command, or a job that needs the deliveries like a command.
    Command,
}

impl Caller {
    /// Maximum number of portions. A worker and a read leave the remaining events to later calls. A command needs the
    /// deliveries of all events. If a request waits for the command, the time is limited instead.
    const fn max_portions(self) -> u32 {
        match self {
            Self::Worker | Self::Read => 10,
            Self::Command => u32::MAX,
        }
    }

    /// Maximum number of checks whether another instance has queued a portion. [`PAUSE`] is the time after each.
    const fn max_checks(self) -> u32 {
        match self {
            Self::Worker => 0,
            Self::Read => 40,
            Self::Command => 400,
        }
    }

    /// Maximum number of searches for the tail. Each waits for concurrent writes, such as the restore of a large world.
    const fn max_searches(self) -> u32 {
        match self {
            Self::Worker | Self::Read => 1,
            Self::Command => 40,
        }
    }
}

/// Returns a tail of the events. `None`: concurrent writes did not end in time.
async fn tail(store: &Store, caller: Caller) -> Result<Option<i64>, StoreError> {
    for _ in 0..caller.max_searches() {
        if let Some(EventPosition(tail)) = events::tail(store).await? {
            return Ok(Some(tail));
        }
    }
    Ok(None)
}

/// Queues the deliveries of all events whose commits were acknowledged before the call, in portions. Returns the
/// position up to which they are queued. `None`: concurrent writes did not end in time, or there are too many events.
async fn to_the_tail(store: &Store, caller: Caller) -> Result<Option<i64>, StoreError> {
    // The tail must be known before a transaction of the caller draws a position, because the search for the tail waits
    // for such transactions.
    let Some(tail) = tail(store, caller).await? else { return Ok(None) };
    let (mut portions, mut checks) = (0, 0);
    loop {
        let behind = store.read(move |conn| Ok(cursor(conn)?.behind(tail))).await?;
        let is_late = store.fan_out_is_late(behind.unwrap_or(tail), tail);
        if behind.is_none() {
            return Ok(Some(tail));
        }
        if portions >= caller.max_portions() {
            return Ok(None);
        }
        let is_queued = match caller {
            Caller::Worker if !is_late => store.write_in_background(move |conn| queue(conn, tail)).await?,
            Caller::Worker | Caller::Read | Caller::Command => store.write(move |conn| queue(conn, tail)).await?,
        };
        if is_queued {
            (portions, checks) = (portions + 1, 0);
        } else if checks < caller.max_checks() {
            checks += 1;
            sleep(PAUSE).await;
        } else {
            return Ok(None);
        }
    }
}

fn cursor(conn: &mut Conn) -> Outcome<Cursor> {
    Ok(sql_query(CURSOR).get_result(conn)?)
}

/// Queues deliveries for a worker, like [`to_the_tail`]. `false`: some are not queued yet.
pub(super) async fn round(store: &Store) -> Result<bool, StoreError> {
    Ok(to_the_tail(store, Caller::Worker).await?.is_some())
}

/// Queues deliveries, like [`to_the_tail`], before a command or a job that needs the deliveries of all earlier events,
/// however many there are.
pub(crate) async fn to_the_end(store: &Store) -> Result<i64, StoreError> {
    let tail = to_the_tail(store, Caller::Command).await?;
    tail.ok_or_else(|| StoreError::Unavailable("concurrent writes did not end in time".into()))
}

/// Queues deliveries, like [`to_the_end`], before the command of a request. If it takes too long, the command fails.
/// What was queued stays queued, so a repetition of the command continues.
pub(crate) async fn before_command(store: &Store) -> Result<i64, StoreError> {
    before_command_within(COMMAND_WAIT, store).await
}

/// Does the work of [`before_command`], within a time limit.
pub(super) async fn before_command_within(limit: Duration, store: &Store) -> Result<i64, StoreError> {
    timeout(limit, to_the_end(store)).await.unwrap_or(Err(StoreError::Overloaded))
}

/// Queues deliveries, like [`to_the_tail`], before a read. If it fails or takes long, the read shows the deliveries
/// that are queued. The worker logs the failures of its own rounds.
pub(super) async fn before_read(store: &Store) {
    if let Ok(Err(error)) = timeout(READ_WAIT, to_the_tail(store, Caller::Read)).await
        && store.must_warn_of_fan_out()
    {
        tracing::warn!(%error, "could not queue the deliveries of the last events (repeated at most once a minute)");
    }
}

/// Prevents others from queueing deliveries until the end of the transaction.
pub(super) fn lock(conn: &mut Conn) -> Outcome<()> {
    sql_query(LOCK).execute(conn)?;
    Ok(())
}

/// Sets the cursor of an empty store after an import: deliveries of imported events are not queued.
pub(crate) fn imported(conn: &mut Conn, last: i64) -> Outcome<()> {
    sql_query(ADVANCE).bind::<BigInt, _>(last).execute(conn)?;
    Ok(())
}

/// Whether the deliveries of all events of a client are queued. `accounts` are the accounts of the client.
pub(crate) fn are_queued(conn: &mut Conn, client: Id, accounts: &[AccountId]) -> Outcome<bool> {
    let until = cursor(conn)?.position;
    let receives = webhooks::enabled.eq(true).or(webhooks::until.gt(Some(until)));
    let receiving = webhooks::table.filter(webhooks::client_id.eq(client)).filter(webhooks::deleted_at.is_null());
    let since = receiving.filter(receives).select(min(webhooks::since)).get_result::<Option<i64>>(conn)?;
    let Some(since) = since else { return Ok(true) };
    for account in accounts {
        let later = outbox_events::table
            .filter(outbox_events::account_id.eq(account.as_str()))
            .filter(outbox_events::position.gt(since.max(until)));
        if diesel::select(exists(later)).get_result::<bool>(conn)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Draws the position at which a subscription is created, enabled or disabled.
pub(super) fn draw_boundary(conn: &mut Conn) -> Outcome<i64> {
    driver::draw_position(conn)
}

/// Stores the range of a subscription that was enabled or disabled.
pub(super) fn set_range(conn: &mut Conn, before: &Webhook, after: &Webhook) -> Outcome<()> {
    if before.state.is_enabled() == after.state.is_enabled() {
        return Ok(());
    }
    let boundary = draw_boundary(conn)?;
    let row = diesel::update(webhooks::table.filter(webhooks::id.eq(Id(after.id.0))));
    if after.state.is_enabled() {
        row.set((webhooks::since.eq(boundary), webhooks::until.eq(None::<i64>))).execute(conn)?;
    } else {
        row.set(webhooks::until.eq(Some(boundary))).execute(conn)?;
    }
    Ok(())
}

/// Whether deliveries of events from before a subscription was disabled may not be queued yet. Then it can't be enabled
/// yet, because its range would lose these events.
pub(super) fn is_behind(conn: &mut Conn, webhook: &Webhook, queued_until: i64) -> Outcome<bool> {
    if webhook.state.is_enabled() {
        return Ok(false);
    }
    let row = webhooks::table.filter(webhooks::id.eq(Id(webhook.id.0))).select(webhooks::until);
    let until = row.get_result::<Option<i64>>(conn).optional()?.flatten();
    Ok(until.is_some_and(|until| until > queued_until))
}
