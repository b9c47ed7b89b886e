//! The statistics that PostgreSQL's planner reads.

use super::Conn;
use super::body::errors::Outcome;
use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{QueryableByName, RunQueryDsl, sql_query};

/// Selects Florin's tables with at least 500 rows that have grown to more than four times the size known to the
/// planner, if this role has the privileges of their owner. Both thresholds are arbitrary. Autovacuum itself analyzes a
/// table when a tenth of it has changed. A table that was never analyzed has `reltuples` -1.
const GROWN: &str = "SELECT CAST(c.oid::regclass AS TEXT) AS name \
    FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid \
    WHERE s.schemaname = current_schema() AND s.n_live_tup >= 500 AND s.n_live_tup > 4 * c.reltuples \
    AND pg_has_role(c.relowner, 'USAGE') ORDER BY c.oid";

#[derive(QueryableByName)]
struct Grown {
    /// The name in quotation marks where SQL needs them.
    #[diesel(sql_type = Text)]
    name: String,
}

/// Analyzes tables that have grown a lot, except for those that somebody else is analyzing.
///
/// For an empty table, all indexes that begin with the account cost the same, and the plan of a prepared statement may
/// walk all rows of an account instead of finding one by its key. The plan stays until the table is analyzed, which the
/// server does by itself only after a minute. (SQLite's statistics are the same from the start.)
pub(crate) fn renew_statistics(conn: &mut Conn) -> Outcome<()> {
    for table in sql_query(GROWN).load::<Grown>(conn)? {
        conn.batch_execute(&format!("ANALYZE (SKIP_LOCKED) {}", table.name))?;
    }
    Ok(())
}
