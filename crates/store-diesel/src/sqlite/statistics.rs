//! The statistics that SQLite's planner reads: the same in each database, so that it has the same plans everywhere.

use super::Conn;
use super::body::errors::Outcome;
use diesel::connection::SimpleConnection;

/// Describes every index as large, with many rows for each account and few for each value of its second column.
///
/// Almost all indexes begin with the account. Without statistics, SQLite assumes that ten rows have the same first
/// value, and reads all rows of an account where an index would find one. `ANALYZE` would describe the rows that a
/// database has when it runs, which are few at first. The first `ANALYZE` here only creates the table of statistics,
/// and the last `ANALYZE` loads the statistics. See "Manual Control Of Query Plans Using `SQLITE_STAT` Tables" in
/// SQLite's documentation.
const STATISTICS: &str = "
    ANALYZE __diesel_schema_migrations;
    DELETE FROM sqlite_stat1;
    INSERT INTO sqlite_stat1 (tbl, idx, stat)
    SELECT t.name, CASE WHEN t.wr AND i.origin = 'pk' THEN t.name ELSE i.name END,
        CASE WHEN i.partial THEN 100000 ELSE 1000000 END || (
            SELECT group_concat(' ' || CASE
                WHEN i.\"unique\" AND c.seqno = (SELECT max(seqno) FROM pragma_index_info(i.name)) THEN 1
                WHEN c.seqno = 0 THEN 10000 WHEN c.seqno = 1 THEN 10 ELSE 1 END, '')
            FROM (SELECT seqno FROM pragma_index_info(i.name) ORDER BY seqno) c
        ) || ' noskipscan'
    FROM pragma_table_list t, pragma_index_list(t.name) i
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\';
    ANALYZE sqlite_schema;";

/// Writes the statistics of all indexes, and loads them.
pub(super) fn write(conn: &mut Conn) -> Outcome<()> {
    Ok(conn.batch_execute(STATISTICS)?)
}
