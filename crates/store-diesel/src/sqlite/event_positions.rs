//! The positions of events: SQLite has one write transaction at a time, so their order is that of the commits.

use super::body::errors::Outcome;
use super::body::event_tail::EventTail;
use super::body::statements::identified_by_text;
use super::{Conn, Db};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_query;
use diesel::sql_types::BigInt;

/// AUTOINCREMENT keeps the greatest position that was ever given.
const LAST: &str = "SELECT coalesce(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'outbox_events'";

/// Reads that position.
struct Last;

impl QueryFragment<Db> for Last {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(LAST);
        Ok(())
    }
}

// Identified by its text, so that it stays prepared.
identified_by_text! {
    Last => BigInt;
}

/// Returns new positions of events, in order.
pub(crate) fn event_positions(conn: &mut Conn, count: usize) -> Outcome<Vec<i64>> {
    let last: i64 = Last.get_result(conn)?;
    Ok((last.saturating_add(1)..).take(count).collect())
}

/// Returns the position of the last event that was committed. Nobody else writes while a reader sees it.
pub(crate) fn event_tail(conn: &mut Conn) -> Outcome<EventTail> {
    Ok(EventTail { last: Last.get_result(conn)?, writers: Vec::new() })
}

/// Returns none: see [`event_tail`].
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn still_writing(_conn: &mut Conn, _writers: &[String]) -> Outcome<Vec<String>> {
    Ok(Vec::new())
}

/// Continues after the greatest position that was imported. Without any event, AUTOINCREMENT has no row yet.
pub(crate) fn events_imported(conn: &mut Conn, last: i64) -> Outcome<()> {
    sql_query("DELETE FROM sqlite_sequence WHERE name = 'outbox_events'").execute(conn)?;
    sql_query("INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox_events', $1)")
        .bind::<BigInt, _>(last)
        .execute(conn)?;
    Ok(())
}
