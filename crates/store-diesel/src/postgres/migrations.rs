//! The schema of PostgreSQL and its migrations.

use super::body::departures::require_complete_moves;
use super::body::errors::{Failure, Outcome};
use super::citus::on_one_server;
use super::failures::{classify_migration, still_locked};
use super::{Conn, Db};
use diesel::connection::SimpleConnection;
use diesel::migration::{Migration, MigrationSource};
use diesel::sql_types::{Bool, Text};
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use florin_store_contract::MigrationProgress;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// Maximum number of tries of all migrations.
const MAX_TRIES: u32 = 10;

/// Acquires the lock of migrations, because Diesel's runner acquires none. If several programs start together, one
/// migrates, and the others wait for up to ten minutes: an index may take long to build.
const LOCK: &str = "SET LOCAL lock_timeout = '10min'; SET LOCAL statement_timeout = 0; \
    SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_advisory_xact_lock(7003214871);";

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

#[derive(QueryableByName)]
struct Known {
    #[diesel(sql_type = Bool)]
    known: bool,
}

/// Returns the versions and names of the migrations that this program knows, in order.
pub(crate) fn known_migrations() -> Outcome<Vec<(String, String)>> {
    let migrations = MigrationSource::<Db>::migrations(&MIGRATIONS).map_err(failed)?;
    let named = |migration: &dyn Migration<Db>| (migration.name().version().to_string(), migration.name().to_string());
    Ok(migrations.iter().map(|migration| named(migration.as_ref())).collect())
}

/// Returns the versions of the applied migrations. Changes nothing, even in an empty database.
pub(crate) fn applied_migrations(conn: &mut Conn) -> Outcome<Vec<String>> {
    const TABLE: &str = "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL AS known";
    if !sql_query(TABLE).get_result::<Known>(conn)?.known {
        return Ok(Vec::new());
    }
    let rows = sql_query("SELECT version FROM __diesel_schema_migrations").load::<Version>(conn)?;
    Ok(rows.into_iter().map(|row| row.version).collect())
}

/// Applies all pending migrations or none, in one transaction. Other programs wait for it. Instances that are still
/// writing may lock tables in another order than the migrations. If the server resolves a deadlock with them by ending
/// this transaction, the migrations are tried again.
pub(crate) fn migrate(conn: &mut Conn, progress: MigrationProgress<'_>) -> Outcome<usize> {
    for _ in 1..MAX_TRIES {
        match apply(conn, progress) {
            Err(failure @ Failure::Contended(_)) => {
                tracing::warn!(error = %failure, "trying the migrations again; no change was made");
            }
            applied => return applied,
        }
    }
    apply(conn, progress)
}

fn apply(conn: &mut Conn, progress: MigrationProgress<'_>) -> Outcome<usize> {
    conn.build_transaction().read_committed().run(|conn| {
        conn.batch_execute(LOCK).map_err(still_locked)?;
        let pending = conn.pending_migrations(MIGRATIONS).map_err(failed)?;
        if pending.is_empty() {
            return Ok(0);
        }
        require_complete_moves(conn)?;
        on_one_server(conn, |conn| run(conn, &pending, progress))
    })
}

/// Applies migrations, and returns their number.
fn run(conn: &mut Conn, pending: &[Box<dyn Migration<Db>>], progress: MigrationProgress<'_>) -> Outcome<usize> {
    for (applied, migration) in pending.iter().enumerate() {
        progress(applied, pending.len());
        conn.run_migration(migration.as_ref()).map_err(failed)?;
    }
    progress(pending.len(), pending.len());
    Ok(pending.len())
}

#[allow(clippy::needless_pass_by_value, reason = "it is what map_err hands over")]
fn failed(error: Box<dyn std::error::Error + Send + Sync>) -> Failure {
    match error.downcast::<diesel_migrations::MigrationError>() {
        Ok(error) => Failure::Corrupt(format!("migrations: {error}")),
        Err(error) => classify_migration(format!("migrations: {error}")),
    }
}

/// Returns the text of all migrations.
#[cfg(test)]
pub(crate) fn sources() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/postgres");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().join("up.sql"));
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}
