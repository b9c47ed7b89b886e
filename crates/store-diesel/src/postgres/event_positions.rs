//! The positions of events and of movements, drawn from a sequence of PostgreSQL. Concurrent transactions may commit in
//! a different order than they draw.
//!
//! A transaction draws while it holds the locks of its objects, and the next transaction on the same object acquires
//! them after the commit. So positions of one object follow its commits. A reader must not pass the position of a
//! transaction that is still in progress: each transaction that draws holds a shared lock until its end, and the reader
//! waits until every transaction that held the lock has ended. The lock excludes nobody.
//!
//! A crash or a fail-over ends all transactions, and takes back the positions that they drew, if the write-ahead log of
//! the sequence is lost. Then other transactions draw them again. So a reader must not conclude from the end of the
//! transactions that it may pass the position that it read before.

use super::body::errors::{Outcome, corrupt};
use super::body::event_tail::EventTail;
use super::body::statements::identified_by_text;
use super::citus::IS_COORDINATOR;
use super::{Conn, Db};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Text};

/// The last drawn number. Every transaction that drew a number up to it still holds the lock, or has ended.
const DRAWN: &str = "CASE WHEN is_called THEN last_value ELSE 0 END";

/// The transactions that hold the lock, and a text that identifies their server until it restarts or recovers from a
/// crash. The text also changes on other occasions, and then the tail is read again. The migration `event_writers` says
/// more.
const WRITERS: &str = "SELECT server, writers FROM __florin_event_writers()";

const IMPORTED: &str = "SELECT setval('outbox_positions', greatest($1, 1), $1 > 0)";

/// The lock of reservations: two clients may arrive at the same time, and a reservation reads the sequence before it
/// changes it. The sequence does not follow transactions, so the lock does not either: it is released immediately.
const LOCK_RESERVATIONS: &str = "SELECT pg_advisory_lock(7003214874)";
const UNLOCK_RESERVATIONS: &str = "SELECT pg_advisory_unlock(7003214874)";

/// Number of positions that a change of the sequence leaves for others, who may draw between its read of the sequence
/// and its change.
const GAP: i64 = 100_000;

/// A position.
#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Transactions that hold the lock, and their server.
#[derive(QueryableByName)]
struct Writers {
    #[diesel(sql_type = Array<Text>)]
    writers: Vec<String>,
    #[diesel(sql_type = Text)]
    server: String,
}

/// Draws numbers. The condition, which is always true, acquires the lock before the first number is drawn.
struct Draw(i64);

impl QueryFragment<Db> for Draw {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "WITH held AS MATERIALIZED (SELECT __florin_hold_events() AS lock) \
             SELECT nextval('outbox_positions') FROM held, generate_series(1, ",
        );
        out.push_bind_param::<BigInt, _>(&self.0)?;
        out.push_sql(") WHERE held.lock IS NOT NULL");
        Ok(())
    }
}

// Identified by its text, so that it stays prepared.
identified_by_text! {
    Draw => BigInt;
}

/// Draws positions, in order.
pub(crate) fn draw_positions(conn: &mut Conn, count: usize) -> Outcome<Vec<i64>> {
    let mut drawn: Vec<i64> = Draw(i64::try_from(count).map_err(corrupt)?).load(conn)?;
    if drawn.len() != count {
        return Err(corrupt("drawn positions are missing"));
    }
    drawn.sort_unstable();
    Ok(drawn)
}

/// Reserves consecutive positions above `after` and above all that were drawn, and returns the first. Does not acquire
/// the lock of readers, so nobody waits for the transaction. If this fails, the connection must be closed, as after
/// each attempt of a move: it may hold a lock.
pub(crate) fn reserve_positions(conn: &mut Conn, count: i64, after: i64) -> Outcome<i64> {
    sql_query(LOCK_RESERVATIONS).execute(conn)?;
    let reserve = sql_query(format!(
        "SELECT setval('outbox_positions', greatest({DRAWN} + {GAP}, $1) + $2) AS number FROM outbox_positions"
    ));
    let Number { number: end } = reserve.bind::<BigInt, _>(after).bind::<BigInt, _>(count).get_result(conn)?;
    sql_query(UNLOCK_RESERVATIONS).execute(conn)?;
    Ok(end.saturating_sub(count).saturating_add(1))
}

/// Leaves a gap, if the database has Citus. A commit on a worker does not write the log of the coordinator, so a crash
/// of the coordinator can take back positions that rows of a worker have. Such a crash ends all connections, and the
/// log is written at least every few seconds. So each connection that writes first leaves a gap that is larger than
/// what is drawn meanwhile.
pub(super) fn skip_lost_positions(conn: &mut Conn) -> QueryResult<()> {
    conn.batch_execute(&format!(
        "DO $$ BEGIN \
            IF {IS_COORDINATOR} AND to_regclass('outbox_positions') IS NOT NULL AND NOT pg_is_in_recovery() THEN \
                PERFORM pg_advisory_xact_lock(7003214874); \
                PERFORM setval('outbox_positions', last_value + {GAP}) FROM outbox_positions; \
            END IF; \
        END $$"
    ))
}

/// Reads the last number that was drawn, and then the holders of the lock. These are two statements, because within one
/// statement, PostgreSQL might read the holders first. If the server crashes in between, it has either stored the rows
/// of the holders or lost them when it answers again.
pub(crate) fn event_tail(conn: &mut Conn) -> Outcome<EventTail> {
    let drawn = sql_query(format!("SELECT {DRAWN} AS number FROM outbox_positions"));
    let Number { number: last } = drawn.get_result(conn)?;
    let Writers { writers, server } = sql_query(WRITERS).get_result(conn)?;
    Ok(EventTail { last, writers, server })
}

/// Returns the tail with those of its transactions that still hold the lock. `None` if the text that identifies the
/// server has changed since the tail was read.
pub(crate) fn still_writing(conn: &mut Conn, tail: &EventTail) -> Outcome<Option<EventTail>> {
    let Writers { mut writers, server } = sql_query(WRITERS).get_result(conn)?;
    writers.retain(|writer| tail.writers.contains(writer));
    Ok((server == tail.server).then_some(EventTail { last: tail.last, writers, server }))
}

/// Continues after the greatest position that was imported.
pub(crate) fn events_imported(conn: &mut Conn, last: i64) -> Outcome<()> {
    sql_query(IMPORTED).bind::<BigInt, _>(last).execute(conn)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::postgres::testing::Database;
    use diesel::Connection;

    /// Returns a tail, and the same tail after another read. Repeats both if there was a checkpoint in between, which
    /// other tests cause when they drop their databases.
    fn tail_read_twice(reader: &mut Conn) -> (EventTail, EventTail) {
        let mut read = || {
            let tail = event_tail(reader).unwrap();
            still_writing(reader, &tail).unwrap().map(|still| (tail, still))
        };
        (0..100).find_map(|_| read()).unwrap()
    }

    #[test]
    fn a_tail_is_not_used_on_another_server() {
        let Some(database) = Database::new("tails") else { return };
        let connect = || Conn::establish(&database.url()).unwrap();
        let (mut writer, mut reader) = (connect(), connect());
        crate::postgres::migrate(&mut writer, &|_, _| {}).unwrap();
        writer.batch_execute("BEGIN").unwrap();
        draw_positions(&mut writer, 3).unwrap();
        let (tail, still) = tail_read_twice(&mut reader);
        assert_eq!((tail.last, tail.writers.len()), (3, 1));
        assert_eq!((still.last, &still.writers), (3, &tail.writers));
        let elsewhere = EventTail { server: "another".into(), ..still };
        assert!(still_writing(&mut reader, &elsewhere).unwrap().is_none());
        // Recovery from a crash ends with a checkpoint.
        reader.batch_execute("CHECKPOINT").unwrap();
        assert!(still_writing(&mut reader, &tail).unwrap().is_none());
        writer.batch_execute("COMMIT").unwrap();
        let (tail, still) = tail_read_twice(&mut reader);
        assert_eq!((tail.last, tail.writers.len(), still.last, still.writers.len()), (3, 0, 3, 0));
    }
}
