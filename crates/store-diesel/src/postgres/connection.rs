//! Connections: how they are opened and set up, and how their errors are classified.

use super::Conn;
use super::body::errors::{Failure, Outcome};
use super::citus::IS_COORDINATOR;
use super::event_positions::skip_lost_positions;
use super::failures::classify_connect;
use super::url::PostgresUrl;
use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{Connection, QueryableByName, RunQueryDsl, sql_query};
use florin_store_contract::OpenError;

/// Settings of every connection: no wait is unlimited. (Diesel sets the time zone to UTC and the encoding to UTF-8.)
const LIMITS: &str = "SET statement_timeout = '5s'; SET lock_timeout = '2s'; \
    SET idle_in_transaction_session_timeout = '10s';";

/// Setting of the writer: a commit is on the disk when it is answered. A stricter setting of the server stays.
const DURABLE: &str =
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';";

/// Returns the settings of the writer. Its statements find rows by keys in arrays, whose lengths the planner can't
/// know. A plan is created once, for few keys, and stays right for many: an index scan for each key, never a full scan,
/// whatever the statistics say while a table grows. A Citus coordinator can't plan an insert from arrays without their
/// values, and its workers plan each statement again in any case.
fn by_key() -> String {
    format!(
        "SELECT set_config('plan_cache_mode', \
            CASE WHEN {IS_COORDINATOR} THEN 'force_custom_plan' ELSE 'force_generic_plan' END, false); \
        SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off;"
    )
}

/// Settings of readers: they can't write, and each transaction has one consistent view. A plan is created once. By
/// default PostgreSQL would plan each page again, because it prefers a plan with a known `LIMIT`, and a page would take
/// 50% longer. Starting parallel workers, or compiling a plan, takes several milliseconds, longer than almost any page.
const READ_ONLY: &str = "SET default_transaction_isolation = 'repeatable read'; \
    SET default_transaction_read_only = on; \
    SET plan_cache_mode = force_generic_plan; SET max_parallel_workers_per_gather = 0; SET jit = off;";

/// Reads the language of the server's messages. Errors that Diesel does not classify are recognized by their text,
/// which must be English.
const LANGUAGE: &str = "SELECT current_setting('lc_messages') AS value";

#[derive(QueryableByName)]
struct Setting {
    #[diesel(sql_type = Text)]
    value: String,
}

/// Opens a connection that writes.
pub(crate) fn connect_writer(place: &PostgresUrl) -> Result<Conn, OpenError> {
    let mut conn = connect(place)?;
    let ready = conn.batch_execute(DURABLE).and_then(|()| conn.batch_execute(&by_key()));
    let ready = ready.and_then(|()| skip_lost_positions(&mut conn));
    let ready = ready.and_then(|()| speak_english(&mut conn));
    ready.map_err(|error| unreachable(place, &error))?;
    Ok(conn)
}

/// Does nothing: operators of the server create databases.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn create(_place: &PostgresUrl, _allowed: bool) -> Result<(), OpenError> {
    Ok(())
}

/// Does nothing: PostgreSQL checks pages when it reads them, and its operators check the whole with `pg_amcheck`.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn check_integrity(_conn: &mut Conn) -> Outcome<()> {
    Ok(())
}

/// Returns no statement: see [`check_integrity`].
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn structure_checks(_conn: &mut Conn) -> Outcome<Vec<String>> {
    Ok(Vec::new())
}

/// Does nothing: see [`check_integrity`].
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn check_structure(_conn: &mut Conn, _statement: &str) -> Outcome<()> {
    Ok(())
}

/// Writes a message that nobody reads to the write-ahead log.
pub(crate) fn probe(conn: &mut Conn) -> Outcome<()> {
    let mode = sql_query("SELECT current_setting('transaction_read_only') AS value").get_result::<Setting>(conn)?;
    if mode.value == "on" {
        return Err(Failure::ConnectionLost("the server accepts no writes".into()));
    }
    sql_query("SELECT pg_logical_emit_message(true, 'florin', '')").execute(conn)?;
    Ok(())
}

/// Opens a connection that reads.
pub(super) fn connect_reader(place: &PostgresUrl) -> Result<Conn, OpenError> {
    let mut conn = connect(place)?;
    conn.batch_execute(READ_ONLY).map_err(|error| unreachable(place, &error))?;
    Ok(conn)
}

fn connect(place: &PostgresUrl) -> Result<Conn, OpenError> {
    let mut conn = Conn::establish(place.as_str()).map_err(|error| unreachable(place, &error))?;
    conn.batch_execute(LIMITS).map_err(|error| unreachable(place, &error))?;
    Ok(conn)
}

/// Asks a server with another language for English. Not every user has the right to do so.
fn speak_english(conn: &mut Conn) -> diesel::QueryResult<()> {
    let language = sql_query(LANGUAGE).get_result::<Setting>(conn)?.value;
    let is_english =
        ["", "C", "POSIX"].contains(&language.as_str()) || language.starts_with("en") || language.starts_with("C.");
    if !is_english && conn.batch_execute("SET lc_messages = 'C'").is_err() {
        tracing::warn!(
            lc_messages = language,
            "transient server errors may not be recognised and retried: set lc_messages = 'C' for this user"
        );
    }
    Ok(())
}

/// Runs a write transaction.
pub(crate) fn write<T>(conn: &mut Conn, work: impl FnOnce(&mut Conn) -> Outcome<T>) -> Outcome<T> {
    conn.build_transaction().read_committed().run(work)
}

/// Makes all statements of a transaction see one state. Must be called before the first one.
pub(crate) fn set_repeatable_read(conn: &mut Conn) -> Outcome<()> {
    Ok(conn.batch_execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")?)
}

/// Does nothing: PostgreSQL needs no last work of the writer.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn finish(_conn: &mut Conn) -> Outcome<()> {
    Ok(())
}

/// Makes the reads of a transaction follow indexes: a plan is created for any range of ids, and must be right for a
/// short one.
pub(crate) fn by_index(conn: &mut Conn) -> Outcome<()> {
    const BY_INDEX: &str =
        "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off";
    Ok(conn.batch_execute(BY_INDEX)?)
}

/// Makes the planner estimate rows from the values of each statement of a transaction.
pub(crate) fn plan_by_values(conn: &mut Conn) -> Outcome<()> {
    Ok(conn.batch_execute("SET LOCAL plan_cache_mode = force_custom_plan")?)
}

/// Makes the further statements of a transaction get sorted rows from an index (`true`), or allows them to sort again
/// (`false`).
pub(crate) fn sort_by_index(conn: &mut Conn, by_index: bool) -> Outcome<()> {
    Ok(conn.batch_execute(if by_index {
        "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off"
    } else {
        "SET LOCAL enable_sort TO DEFAULT; SET LOCAL enable_incremental_sort TO DEFAULT"
    })?)
}

/// Removes the time limits of this transaction, and allows full scans.
pub(crate) fn without_time_limits(conn: &mut Conn) -> Outcome<()> {
    const NO_LIMITS: &str = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; \
        SET LOCAL plan_cache_mode TO DEFAULT; SET LOCAL enable_seqscan TO DEFAULT; \
        SET LOCAL enable_hashjoin TO DEFAULT; SET LOCAL enable_mergejoin TO DEFAULT; SET LOCAL jit TO DEFAULT; \
        SET LOCAL max_parallel_workers_per_gather TO DEFAULT";
    Ok(conn.batch_execute(NO_LIMITS)?)
}

/// Classifies a failure to connect, and removes the secrets of the URL from its text.
fn unreachable(place: &PostgresUrl, error: &dyn std::fmt::Display) -> OpenError {
    let message = error.to_string();
    OpenError::Unreachable { reason: place.redact(&message), failure: classify_connect(&message) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::postgres::body::plans::plan;
    use crate::postgres::testing::Database;

    /// Whether rows are read and sorted, although an index has them in order. The planner expects a single row.
    fn sorts(conn: &mut Conn) -> bool {
        plan(conn, sql_query("SELECT number FROM numbers ORDER BY number")).unwrap().contains("Sort")
    }

    #[test]
    fn rows_are_sorted_by_index_only_while_that_is_set() {
        let Some(database) = Database::new("sorting") else { return };
        let mut conn = Conn::establish(&database.url()).unwrap();
        conn.batch_execute("CREATE TABLE numbers (number BIGINT PRIMARY KEY); INSERT INTO numbers VALUES (1); ANALYZE")
            .unwrap();
        write(&mut conn, |conn| {
            assert!(sorts(conn));
            sort_by_index(conn, true)?;
            assert!(!sorts(conn));
            sort_by_index(conn, false)?;
            assert!(sorts(conn));
            sort_by_index(conn, true)
        })
        .unwrap();
        assert!(sorts(&mut conn), "the setting outlives its transaction");
    }
}
