//! The schema of SQLite and its migrations.

use super::body::departures::require_complete_moves;
use super::body::errors::{Failure, Outcome};
use super::connection::APPLICATION_ID;
use super::{Conn, Db, statistics};
use diesel::connection::SimpleConnection;
use diesel::migration::MigrationSource;
use diesel::sql_types::Text;
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use florin_store_contract::MigrationProgress;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

/// Returns the versions and names of the migrations that this program knows, in order.
pub(crate) fn known_migrations() -> Outcome<Vec<(String, String)>> {
    let migrations = MigrationSource::<Db>::migrations(&MIGRATIONS).map_err(failed)?;
    let named = |migration: &dyn diesel::migration::Migration<Db>| {
        (migration.name().version().to_string(), migration.name().to_string())
    };
    Ok(migrations.iter().map(|migration| named(migration.as_ref())).collect())
}

/// Returns the versions of the applied migrations. Changes nothing, even in an empty database.
pub(crate) fn applied_migrations(conn: &mut Conn) -> Outcome<Vec<String>> {
    const TABLE: &str = "SELECT name AS version FROM sqlite_master WHERE name = '__diesel_schema_migrations'";
    if sql_query(TABLE).load::<Version>(conn)?.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sql_query("SELECT version FROM __diesel_schema_migrations").load::<Version>(conn)?;
    Ok(rows.into_iter().map(|row| row.version).collect())
}

/// Applies all pending migrations or none. Diesel's runner acquires no lock, but the immediate transaction around it
/// does. If two programs start together, one finds the migrations applied. After migrations, writes the planner's
/// statistics for the new schema.
pub(crate) fn migrate(conn: &mut Conn, progress: MigrationProgress<'_>) -> Outcome<usize> {
    // Data that migrations remove may be secret. Without this setting it would stay readable in free pages.
    conn.batch_execute("PRAGMA secure_delete = ON;")?;
    conn.immediate_transaction(|conn| {
        let pending = conn.pending_migrations(MIGRATIONS).map_err(failed)?;
        if !pending.is_empty() {
            require_complete_moves(conn)?;
        }
        for (applied, migration) in pending.iter().enumerate() {
            progress(applied, pending.len());
            conn.run_migration(migration.as_ref()).map_err(failed)?;
        }
        conn.batch_execute(&format!("PRAGMA application_id = {APPLICATION_ID};"))?;
        if !pending.is_empty() {
            progress(pending.len(), pending.len());
            statistics::write(conn)?;
        }
        Ok(pending.len())
    })
}

#[allow(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn failed(error: Box<dyn std::error::Error + Send + Sync>) -> Failure {
    match error.downcast::<diesel_migrations::MigrationError>() {
        Ok(error) => Failure::Corrupt(format!("migrations: {error}")),
        Err(error) => Failure::Unavailable(format!("migrations: {error}")),
    }
}

/// Returns the text of all migrations.
#[cfg(test)]
pub(crate) fn sources() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/sqlite");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().join("up.sql"));
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}
