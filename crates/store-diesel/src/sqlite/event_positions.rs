//! The positions of events and of movements. SQLite has one write transaction at a time, so the positions have the
//! order of the commits.

use super::body::errors::{Outcome, corrupt};
use super::body::event_tail::EventTail;
use super::body::statements::identified_by_text;
use super::{Conn, Db};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_query;
use diesel::sql_types::BigInt;

/// The greatest position that was ever drawn. AUTOINCREMENT keeps it, and continues after it.
const LAST: &str = "SELECT coalesce(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'outbox_events'";

/// Reads the greatest position that was ever drawn.
struct Last;

impl QueryFragment<Db> for Last {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(LAST);
        Ok(())
    }
}

/// Advances the greatest position, and returns it. Returns no row if no position was ever drawn.
struct Advance(i64);

impl QueryFragment<Db> for Advance {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("UPDATE sqlite_sequence SET seq = seq + ");
        out.push_bind_param::<BigInt, _>(&self.0)?;
        out.push_sql(" WHERE name = 'outbox_events' RETURNING seq");
        Ok(())
    }
}

/// Stores the greatest position, in a database in which none was ever drawn.
struct Begin(i64);

impl QueryFragment<Db> for Begin {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox_events', ");
        out.push_bind_param::<BigInt, _>(&self.0)?;
        out.push_sql(")");
        Ok(())
    }
}

// Identified by their texts, so that they stay prepared.
identified_by_text! {
    Advance => BigInt;
    Begin => BigInt;
    Last => BigInt;
}

/// Draws positions, in order. They count as drawn, even if no event uses them.
pub(crate) fn draw_positions(conn: &mut Conn, count: usize) -> Outcome<Vec<i64>> {
    let number = i64::try_from(count).map_err(corrupt)?;
    let last = if let Some(last) = Advance(number).get_result(conn).optional()? {
        last
    } else {
        Begin(number).execute(conn)?;
        number
    };
    Ok((last.saturating_sub(number).saturating_add(1)..=last).collect())
}

/// Reserves consecutive positions above `after` and above all that were drawn, and returns the first.
pub(crate) fn reserve_positions(conn: &mut Conn, count: i64, after: i64) -> Outcome<i64> {
    let last = Last.get_result::<i64>(conn)?.max(after);
    events_imported(conn, last.saturating_add(count))?;
    Ok(last.saturating_add(1))
}

/// Returns the last position that was committed. SQLite has one write transaction at a time, so no transaction in
/// progress can commit a lower position.
pub(crate) fn event_tail(conn: &mut Conn) -> Outcome<EventTail> {
    Ok(EventTail { last: Last.get_result(conn)?, writers: Vec::new(), server: String::new() })
}

/// Returns a tail without transactions in progress: see [`event_tail`].
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn still_writing(_conn: &mut Conn, tail: &EventTail) -> Outcome<Option<EventTail>> {
    Ok(Some(EventTail { last: tail.last, writers: Vec::new(), server: tail.server.clone() }))
}

/// Continues after the greatest position that was imported. Without any event, AUTOINCREMENT has no row yet.
pub(crate) fn events_imported(conn: &mut Conn, last: i64) -> Outcome<()> {
    sql_query("DELETE FROM sqlite_sequence WHERE name = 'outbox_events'").execute(conn)?;
    sql_query("INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox_events', $1)")
        .bind::<BigInt, _>(last)
        .execute(conn)?;
    Ok(())
}
