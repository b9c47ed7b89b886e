//! A schema that a Citus coordinator has distributed: its tables are on one of the workers, and its functions and the
//! sequence of positions are on the coordinator.
//!
//! Citus supports few changes of distributed tables, and none that are sent together. So for migrations the tables
//! return to the coordinator, are migrated there like any others, and are distributed again, in one transaction.

use super::Conn;
use super::body::errors::Outcome;
use super::failures::still_locked;
use diesel::connection::SimpleConnection;
use diesel::sql_types::Bool;
use diesel::{QueryableByName, RunQueryDsl, sql_query};

/// Whether the database has Citus. Other databases do not have this table.
pub(super) const IS_COORDINATOR: &str = "to_regclass('pg_catalog.pg_dist_schema') IS NOT NULL";

const IS_DISTRIBUTED: &str =
    "EXISTS (SELECT FROM pg_dist_schema WHERE schemaid = quote_ident(current_schema())::regnamespace)";

const UNDISTRIBUTE: &str = "SELECT citus_schema_undistribute(quote_ident(current_schema())::regnamespace)";

/// Citus distributes tables with triggers only on request, because a trigger runs on the worker. The triggers of the
/// audit log read only their own table.
const DISTRIBUTE: &str = "SET LOCAL citus.enable_unsafe_triggers = on; \
    SELECT citus_schema_distribute(quote_ident(current_schema())::regnamespace)";

/// On a worker, the rows of the audit log are in a table with another name, and the sessions of the coordinator do not
/// look for it in the schema.
const AUDIT_ON_WORKERS: &str = "
    CREATE OR REPLACE FUNCTION __florin_audit_continues() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        last RECORD;
    BEGIN
        EXECUTE format('SELECT number, hash FROM %s ORDER BY number DESC LIMIT 1', TG_RELID::regclass) INTO last;
        IF NEW.number <> coalesce(last.number, 0) + 1 OR NEW.previous <> coalesce(last.hash, repeat('0', 64)) THEN
            RAISE EXCEPTION 'the audit log is append-only';
        END IF;
        RETURN NEW;
    END;
    $$";

/// The transactions that draw positions commit on the worker. If the coordinator loses the worker, it releases its own
/// locks at once, although the worker may be about to commit. So the lock is on the worker, which reports who holds
/// it. The worker can't tell to which database a lock belongs, so a reader also waits for the transactions of other
/// databases.
const EVENTS_ON_WORKERS: &str = "
    CREATE OR REPLACE FUNCTION __florin_hold_events() RETURNS TEXT LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock_shared(7003214873)::text FROM event_fan_out;
        RETURN '';
    END;
    $$;
    CREATE OR REPLACE FUNCTION __florin_event_writers(OUT server TEXT, OUT writers TEXT[]) LANGUAGE plpgsql STABLE AS $$
    BEGIN
        SELECT concat(pg_postmaster_start_time(), ' ', min(c.redo_lsn)),
            coalesce(array_agg(DISTINCT l.virtualtransaction) FILTER (WHERE l.locktype = 'advisory' AND l.classid = 1
                AND l.objid = 2708247577 AND l.objsubid = 1 AND l.granted), '{}')
        INTO server, writers
        FROM event_fan_out, pg_control_checkpoint() c, pg_lock_status() l;
    END;
    $$";

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    is_true: bool,
}

fn ask(conn: &mut Conn, condition: &str) -> Outcome<bool> {
    Ok(sql_query(format!("SELECT {condition} AS is_true")).get_result::<Answer>(conn)?.is_true)
}

/// Migrates the tables. If they are distributed, they are on the coordinator meanwhile.
pub(super) fn on_one_server<T>(conn: &mut Conn, migrate: impl FnOnce(&mut Conn) -> Outcome<T>) -> Outcome<T> {
    if !ask(conn, IS_COORDINATOR)? {
        return migrate(conn);
    }
    let is_distributed = ask(conn, IS_DISTRIBUTED)?;
    if is_distributed {
        conn.batch_execute(UNDISTRIBUTE).map_err(still_locked)?;
    }
    let migrated = migrate(conn)?;
    conn.batch_execute(AUDIT_ON_WORKERS)?;
    conn.batch_execute(EVENTS_ON_WORKERS)?;
    if is_distributed {
        conn.batch_execute(DISTRIBUTE)?;
    }
    Ok(migrated)
}
