-- Only the checks of SQLite change: PostgreSQL evaluates long lists without building anything.

-- The rows of snapshots are as before, so these snapshots can still be restored.
UPDATE world_snapshots SET schema_name = '2026-11-26-000056_checks_without_lists'
WHERE schema_name = '2026-11-26-000055_hash_chains';
UPDATE imported_snapshots SET schema_name = '2026-11-26-000056_checks_without_lists'
WHERE schema_name = '2026-11-26-000055_hash_chains';
