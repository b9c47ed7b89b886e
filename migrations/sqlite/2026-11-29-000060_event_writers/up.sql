-- Only functions of PostgreSQL are new: SQLite has one writer at a time.

-- The rows of snapshots are as before, so these snapshots can still be restored.
UPDATE world_snapshots SET schema_name = '2026-11-29-000060_event_writers'
WHERE schema_name = '2026-11-29-000059_people_counts';
UPDATE imported_snapshots SET schema_name = '2026-11-29-000060_event_writers'
WHERE schema_name = '2026-11-29-000059_people_counts';
