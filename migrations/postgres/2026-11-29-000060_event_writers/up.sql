-- Where the transactions that draw positions are seen: on this server. On a Citus coordinator, `florin migrate` replaces
-- both functions, because these transactions commit on a worker.

-- Holds a lock until the end of the transaction. It excludes nobody.
CREATE FUNCTION __florin_hold_events() RETURNS TEXT LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock_shared(7003214873)::text
$$;

-- The transactions that hold the lock. `pg_locks` shows its key in two halves. A transaction releases the lock after others
-- see its rows.
-- `server` identifies the server until it restarts or recovers from a crash. A recovery ends with a checkpoint. Other
-- checkpoints change the text, too.
CREATE FUNCTION __florin_event_writers(OUT server TEXT, OUT writers TEXT[]) LANGUAGE sql STABLE AS $$
    SELECT concat(pg_postmaster_start_time(), ' ', redo_lsn), ARRAY(
        SELECT DISTINCT l.virtualtransaction FROM pg_locks l
        JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
        WHERE l.locktype = 'advisory' AND l.classid = 1 AND l.objid = 2708247577 AND l.objsubid = 1 AND l.granted
    ) FROM pg_control_checkpoint()
$$;

-- The rows of snapshots are as before, so these snapshots can still be restored.
UPDATE world_snapshots SET schema_name = '2026-11-29-000060_event_writers'
WHERE schema_name = '2026-11-29-000059_people_counts';
UPDATE imported_snapshots SET schema_name = '2026-11-29-000060_event_writers'
WHERE schema_name = '2026-11-29-000059_people_counts';
