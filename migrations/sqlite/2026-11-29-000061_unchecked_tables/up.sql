-- Only PostgreSQL loses constraints: SQLite checks them in a small part of the time of an insert.

-- The rows of snapshots are as before, so these snapshots can still be restored.
UPDATE world_snapshots SET schema_name = '2026-11-29-000061_unchecked_tables' WHERE schema_name = '2026-11-29-000060_event_writers';
UPDATE imported_snapshots SET schema_name = '2026-11-29-000061_unchecked_tables' WHERE schema_name = '2026-11-29-000060_event_writers';
