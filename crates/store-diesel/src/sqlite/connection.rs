//! Connections: one that writes, several that read.

use super::Conn;
use super::body::errors::{Outcome, corrupt};
use super::directory::{HAS_TEMPORARY_DIRECTORY, explained};
use super::failures::is_locked;
use super::place::Place;
use super::private;
use diesel::connection::SimpleConnection;
use diesel::r2d2::ConnectionManager;
use diesel::sql_types::{BigInt, Bool, Integer, Text};
use diesel::{Connection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use florin_ports::StoreError;
use florin_store_contract::OpenError;
use r2d2::{CustomizeConnection, Pool};
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Settings of every connection, in addition to the write-ahead log.
const PRAGMAS: &str = "PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;";

/// Settings of the writer: a page cache of 32 MiB, so that a group rarely reads from the file, and a write-ahead log of
/// the same size before SQLite merges it into the file (a checkpoint), because a checkpoint takes as long as many
/// commits. Deleted and replaced values are overwritten if that needs no additional write, so that the file does not
/// keep old secrets.
const WRITER_PRAGMAS: &str =
    "PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 8192; PRAGMA secure_delete = FAST;";

/// The application id in the header of the file, which marks a database of Florin: `FLRN`.
pub(crate) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"FLRN");

/// Checks the whole file, and compares each index with its table. Ends at the first finding.
const WHOLE_CHECK: &str = "SELECT integrity_check AS finding FROM pragma_integrity_check LIMIT 1";
/// Maximum size of a file that is checked as a whole when a server starts, in bytes.
const WHOLE_MAX: i64 = 64 << 20;

/// The version of Florin's first migration.
const FIRST_MIGRATION: &str = "20261121000001";

/// The connections that read.
pub(crate) type Readers = Pool<ConnectionManager<Conn>>;

/// Opens a connection that writes. The files of the database are then readable by their owner only.
pub(crate) fn connect_writer(path: &Place) -> Result<Conn, OpenError> {
    let failed = |error: &dyn std::fmt::Display| unopenable(path, &explained(path, error));
    let mut conn = Conn::establish(&text(path)?).map_err(|error| failed(&error))?;
    // This comes first: a database of another program is not changed.
    let is_foreign = conn.batch_execute(PRAGMAS).and_then(|()| is_foreign(&mut conn));
    if is_foreign.map_err(|error| failed(&error))? {
        return Err(OpenError::Foreign(path.clone()));
    }
    let ready = set_up(&mut conn, *HAS_TEMPORARY_DIRECTORY).and_then(|()| conn.batch_execute(WRITER_PRAGMAS));
    ready.map_err(|error| failed(&error))?;
    private::restrict(path);
    Ok(conn)
}

/// Creates the file if it does not exist, readable by its owner only. SQLite gives the WAL and shared-memory files
/// the same permissions.
pub(crate) fn create(path: &Place, allowed: bool) -> Result<(), OpenError> {
    let directory = absolute(path)?.parent().map(Path::to_path_buf).unwrap_or_default();
    if !directory.is_dir() {
        return Err(OpenError::NoDirectory(directory));
    }
    if path.exists() {
        return Ok(());
    }
    if !allowed {
        return Err(OpenError::NoDatabase(path.clone()));
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(unopenable(path, &error)),
        // Created here, or by another program first (`AlreadyExists`).
        _ => Ok(()),
    }
}

/// Whether the database belongs to another program. An empty database does not. A database with tables does if it has
/// another application id, or if it has neither an application id nor Florin's first migration. Early versions of
/// Florin set no application id.
fn is_foreign(conn: &mut Conn) -> QueryResult<bool> {
    const FACTS: &str = "SELECT (SELECT count(*) > 0 FROM sqlite_master) AS has_tables, \
        (SELECT count(*) > 0 FROM sqlite_master WHERE name = '__diesel_schema_migrations') AS has_migrations, \
        (SELECT application_id FROM pragma_application_id) AS application_id";
    const IS_FIRST_APPLIED: &str = "SELECT count(*) > 0 AS yes FROM __diesel_schema_migrations WHERE version = $1";
    #[derive(QueryableByName)]
    struct Facts {
        #[diesel(sql_type = Bool)]
        has_tables: bool,
        #[diesel(sql_type = Bool)]
        has_migrations: bool,
        #[diesel(sql_type = Integer)]
        application_id: i32,
    }
    #[derive(QueryableByName)]
    struct Answer {
        #[diesel(sql_type = Bool)]
        yes: bool,
    }
    let facts = sql_query(FACTS).get_result::<Facts>(conn)?;
    if !facts.has_tables || facts.application_id == APPLICATION_ID {
        return Ok(false);
    }
    if facts.application_id != 0 || !facts.has_migrations {
        return Ok(true);
    }
    Ok(!sql_query(IS_FIRST_APPLIED).bind::<Text, _>(FIRST_MIGRATION).get_result::<Answer>(conn)?.yes)
}

/// Opens the first read-only connection. Others are opened when concurrent reads need them, up to `max`. Each first
/// parses the whole schema, which takes some milliseconds.
pub(crate) fn open_readers(path: &Place, max: u32, wait: Duration) -> Result<Readers, OpenError> {
    let readers = Pool::builder()
        .max_size(max)
        .min_idle(Some(0))
        .connection_timeout(wait)
        // No check before each use: unlike a server, a file does not go away.
        .test_on_check_out(false)
        // A connection to a file does not age, either. Without these limits, no timer keeps the threads of a dropped
        // pool alive.
        .idle_timeout(None)
        .max_lifetime(None)
        .connection_customizer(Box::new(ReadOnly))
        .build_unchecked(ConnectionManager::new(text(path)?));
    let first = readers.get();
    drop(first.map_err(|error| OpenError::Unopenable { path: path.clone(), reason: error.to_string() })?);
    Ok(readers)
}

#[derive(Debug)]
struct ReadOnly;

impl CustomizeConnection<Conn, diesel::r2d2::Error> for ReadOnly {
    fn on_acquire(&self, conn: &mut Conn) -> Result<(), diesel::r2d2::Error> {
        set_up(conn, *HAS_TEMPORARY_DIRECTORY)
            .and_then(|()| conn.batch_execute("PRAGMA query_only = ON;"))
            .map_err(diesel::r2d2::Error::QueryError)
    }
}

/// Applies the settings of every connection. If two programs switch a new file to WAL concurrently, one fails
/// immediately, regardless of its `busy_timeout`, so it retries.
fn set_up(conn: &mut Conn, has_temporary_directory: bool) -> QueryResult<()> {
    const TRIES: u32 = 250;
    conn.batch_execute(PRAGMAS)?;
    if !has_temporary_directory {
        conn.batch_execute("PRAGMA temp_store = MEMORY;")?;
    }
    for _ in 1..TRIES {
        match conn.batch_execute("PRAGMA journal_mode = WAL;") {
            Err(error) if is_locked(&error) => std::thread::sleep(Duration::from_millis(20)),
            done => return done,
        }
    }
    conn.batch_execute("PRAGMA journal_mode = WAL;")
}

/// Runs a write transaction. It is immediate: a deferred transaction that reads before it writes may find the database
/// locked.
pub(crate) fn write<T>(conn: &mut Conn, work: impl FnOnce(&mut Conn) -> Outcome<T>) -> Outcome<T> {
    conn.immediate_transaction(work)
}

/// Runs a read.
pub(crate) fn read<T>(readers: &Readers, work: impl Fn(&mut Conn) -> Outcome<T>) -> Result<T, StoreError> {
    let mut conn = readers.get().map_err(|error| StoreError::Unavailable(error.to_string()))?;
    Ok(work(&mut conn)?)
}

/// Does nothing: only one write transaction runs at a time, so operator commands are already serialized.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn lock_operators(_conn: &mut Conn) -> Outcome<()> {
    Ok(())
}

/// Does nothing: every SQLite transaction reads one snapshot.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn set_repeatable_read(_conn: &mut Conn) -> Outcome<()> {
    Ok(())
}

/// Does nothing: the statistics make the planner follow indexes.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn by_index(_conn: &mut Conn) -> Outcome<()> {
    Ok(())
}

/// Does nothing: the plans that the statistics lead to are good for all values.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn plan_by_values(_conn: &mut Conn) -> Outcome<()> {
    Ok(())
}

/// Does nothing: the statistics make the planner get sorted rows from an index.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn sort_by_index(_conn: &mut Conn, _by_index: bool) -> Outcome<()> {
    Ok(())
}

/// Does nothing: the migrations write statistics that fit every database.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn renew_statistics(_conn: &mut Conn) -> Outcome<()> {
    Ok(())
}

/// Does nothing: SQLite has no time limits.
#[allow(clippy::unnecessary_wraps, reason = "every backend has it, and elsewhere it may fail")]
pub(crate) fn without_time_limits(_conn: &mut Conn) -> Outcome<()> {
    Ok(())
}

/// Checks the structure of the whole file: pages, rows and indexes.
pub(crate) fn check_integrity(conn: &mut Conn) -> Outcome<()> {
    check_structure(conn, WHOLE_CHECK)
}

/// Returns the statements that check the structure of the file while a server works on it. A small file is checked as a
/// whole.
pub(crate) fn structure_checks(conn: &mut Conn) -> Outcome<Vec<String>> {
    structure_checks_of(conn, WHOLE_MAX)
}

/// Returns the statements that check the structure of a file, as a whole if it has at most `max` bytes.
///
/// A check of the whole file searches every index for every row. In a large file it takes long, and keeps a processor
/// busy. Its snapshot prevents checkpoints, so the write-ahead log grows, and reads and commits take longer. So the
/// tables of a file that is larger than `max` are checked one by one, and not compared with their indexes.
fn structure_checks_of(conn: &mut Conn, max: i64) -> Outcome<Vec<String>> {
    #[derive(QueryableByName)]
    struct Size {
        #[diesel(sql_type = BigInt)]
        bytes: i64,
    }
    #[derive(QueryableByName)]
    struct Table {
        #[diesel(sql_type = Text)]
        name: String,
    }
    const SIZE: &str = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
    const TABLES: &str = "SELECT quote(name) AS name FROM sqlite_master WHERE type = 'table' \
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    if sql_query(SIZE).get_result::<Size>(conn)?.bytes <= max {
        return Ok(vec![WHOLE_CHECK.to_owned()]);
    }
    let check = |Table { name }| format!("SELECT quick_check AS finding FROM pragma_quick_check({name})");
    Ok(sql_query(TABLES).load::<Table>(conn)?.into_iter().map(check).collect())
}

/// Runs a statement that checks the structure of the file.
pub(crate) fn check_structure(conn: &mut Conn, statement: &str) -> Outcome<()> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Text)]
        finding: String,
    }
    let found = sql_query(statement).load::<Found>(conn)?;
    match found.first().map(|found| found.finding.as_str()) {
        Some("ok") => Ok(()),
        finding => Err(corrupt(format!("the database file is damaged: {}", finding.unwrap_or_default()))),
    }
}

/// Checks that the file is writable: toggles `user_version` in its header, which nothing else uses.
pub(crate) fn probe(conn: &mut Conn) -> Outcome<()> {
    #[derive(QueryableByName)]
    struct Number {
        #[diesel(sql_type = Integer)]
        user_version: i32,
    }
    let number = sql_query("SELECT user_version FROM pragma_user_version").get_result::<Number>(conn)?.user_version;
    Ok(conn.batch_execute(&format!("PRAGMA user_version = {};", i32::from(number == 0)))?)
}

/// Merges the write-ahead log into the database file, as far as the snapshots of readers allow. Waiting for readers
/// would block other writers.
pub(crate) fn finish(conn: &mut Conn) -> Outcome<()> {
    Ok(conn.batch_execute("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);")?)
}

/// Returns the absolute path, which Diesel can't mistake for a URL.
fn absolute(path: &Path) -> Result<PathBuf, OpenError> {
    std::path::absolute(path).map_err(|error| unopenable(path, &error))
}

fn text(path: &Path) -> Result<String, OpenError> {
    let absolute = absolute(path)?.into_os_string();
    absolute.into_string().map_err(|_| unopenable(path, &"the path is not UTF-8"))
}

fn unopenable(path: &Path, reason: &dyn std::fmt::Display) -> OpenError {
    OpenError::Unopenable { path: path.to_path_buf(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::migrations::migrate;

    #[derive(QueryableByName)]
    struct Value {
        #[diesel(sql_type = Text)]
        value: String,
    }

    fn pragma(conn: &mut Conn, name: &str) -> String {
        let query = format!("SELECT CAST({name} AS TEXT) AS value FROM pragma_{name}");
        sql_query(query).get_result::<Value>(conn).unwrap().value
    }

    fn pragmas(conn: &mut Conn) -> Vec<String> {
        ["journal_mode", "synchronous", "foreign_keys", "query_only"].map(|name| pragma(conn, name)).into()
    }

    /// There may be no directory for temporary files, for example on a read-only root. A migration that used a
    /// temporary file would fail there.
    #[test]
    fn migrations_need_no_directory_for_temporary_files() {
        let directory = tempfile::tempdir().unwrap();
        let location = directory.path().join("florin.db");
        let mut conn = Conn::establish(location.to_str().unwrap()).unwrap();
        set_up(&mut conn, false).unwrap();
        assert_eq!(pragma(&mut conn, "temp_store"), "2", "in memory");
        assert!(migrate(&mut conn, &|_, _| {}).unwrap() > 0);
        assert_eq!(pragma(&mut conn, "temp_store"), "2", "no migration changes it");
        check_integrity(&mut conn).unwrap();
        let mut with_directory = connect_writer(&location).unwrap();
        assert_eq!(pragma(&mut with_directory, "temp_store"), "0");
    }

    #[test]
    fn tables_of_a_large_file_are_checked_one_by_one() {
        let directory = tempfile::tempdir().unwrap();
        let location = directory.path().join("florin.db");
        let mut conn = connect_writer(&location).unwrap();
        migrate(&mut conn, &|_, _| {}).unwrap();
        assert_eq!(structure_checks(&mut conn).unwrap(), [WHOLE_CHECK]);
        let checks = structure_checks_of(&mut conn, 0).unwrap();
        for table in ["accounts", "outbox_events"] {
            assert!(checks.iter().any(|check| check.contains(&format!("'{table}'"))), "{checks:?}");
        }
        for check in checks {
            check_structure(&mut conn, &check).unwrap();
        }
        let damage =
            "CREATE TABLE t (a INTEGER CHECK (a > 1)); PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (1);";
        conn.batch_execute(damage).unwrap();
        drop(conn);
        let mut conn = connect_writer(&location).unwrap();
        let checks = structure_checks_of(&mut conn, 0).unwrap();
        let failed = checks.iter().filter(|check| check_structure(&mut conn, check).is_err());
        assert_eq!(failed.count(), 1);
    }

    #[test]
    fn every_connection_is_durable_and_readers_cannot_write() {
        let directory = tempfile::tempdir().unwrap();
        let location = directory.path().join("florin.db");
        let mut writer = connect_writer(&location).unwrap();
        assert_eq!(pragmas(&mut writer), ["wal", "2", "1", "0"]);
        writer.batch_execute("CREATE TABLE t (a)").unwrap();
        let readers = open_readers(&location, 2, Duration::from_secs(1)).unwrap();
        let (mut one, mut two) = (readers.get().unwrap(), readers.get().unwrap());
        for reader in [&mut one, &mut two] {
            assert_eq!(pragmas(reader), ["wal", "2", "1", "1"]);
            assert!(reader.batch_execute("INSERT INTO t VALUES (1)").is_err());
        }
    }
}
