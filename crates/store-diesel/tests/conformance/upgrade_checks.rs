//! A database with snapshots from before the checks of SQLite changed, and its expected state after an upgrade.

/// The first migration that is missing.
pub(crate) const MIGRATION: &str = "2026-11-26-000056";
/// Rows added to those of the first schema: snapshots of the schema before the migration, and one of an earlier
/// schema.
pub(crate) const ROWS: &str = "
    INSERT INTO worlds (account_id, client_id, template, created_at, expires_at)
    VALUES ('F1', '00000000-0000-0000-0000-0000000000c1', 'demo', @time, @time);
    INSERT INTO world_snapshots (account_id, id, created_at, row_count, schema_name, contents)
    VALUES ('F1', '00000000-0000-0000-0000-000000000051', @time, 0, '2026-11-26-000055_hash_chains', '');
    INSERT INTO world_snapshots (account_id, id, created_at, row_count, schema_name, contents)
    VALUES ('F1', '00000000-0000-0000-0000-000000000052', @time, 0, '2026-11-26-000054_acquirer_fees', '');
    INSERT INTO imported_snapshots (client_id, id, created_at, imported_at, expires_at, schema_name, contents)
    VALUES (
        '00000000-0000-0000-0000-0000000000c1', '00000000-0000-0000-0000-000000000053', @time, @time, @time,
        '2026-11-26-000055_hash_chains', ''
    )";

/// The schemas of the snapshots. Migrations 56 to 58 do not change the rows of snapshots. Migration 59 does, and
/// empties the snapshots of worlds, which then have no schema.
pub(crate) const SCHEMAS: &str = "SELECT schema_name AS line FROM world_snapshots \
    UNION ALL SELECT schema_name FROM imported_snapshots ORDER BY 1";
/// The expected lines of [`SCHEMAS`].
pub(crate) const EXPECTED: [&str; 3] = ["", "", "2026-11-28-000058_client_moves"];
