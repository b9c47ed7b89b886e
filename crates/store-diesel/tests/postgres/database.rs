//! Databases that are dropped with their tests. With `scripts/with-citus`, each database is on the workers, too.

use crate::Store;
use diesel::connection::SimpleConnection;
use diesel::sql_types::BigInt;
use diesel::{Connection, PgConnection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use florin_store_contract::StoreSettings;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A database for one test.
pub(crate) struct Database {
    pub(crate) url: String,
    name: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

impl Database {
    /// Creates a database without tables. Without a server, this ends the test program.
    pub(crate) fn new() -> Self {
        Self::created_from(&citus_template().unwrap_or_else(|| "template0".to_owned()))
    }

    /// Returns an empty, migrated database to copy. Copying it is much cheaper than applying every migration. It is
    /// dropped with its last holder, so tests that run one after another each create it again.
    pub(crate) fn template() -> Arc<Self> {
        static TEMPLATE: Mutex<Weak<Database>> = Mutex::new(Weak::new());
        let mut template = TEMPLATE.lock().unwrap_or_else(PoisonError::into_inner);
        template.upgrade().unwrap_or_else(|| {
            let database = Arc::new(Self::new());
            let settings = StoreSettings { readers: Some(1), ..StoreSettings::at(&database.url) };
            Store::open(&settings).unwrap().migrate().unwrap();
            *template = Arc::downgrade(&database);
            database
        })
    }

    /// Creates a copy of another database, which must have no sessions.
    pub(crate) fn copy_of(other: &Self) -> Self {
        Self::created_from(&other.name)
    }

    fn created_from(template: &str) -> Self {
        let name = format!("florin_test_{}", random());
        if citus_template().is_some() {
            // Citus keeps a session in each database, which would prevent a copy.
            administer(&format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{template}'"));
        }
        administer(&format!("CREATE DATABASE {name} TEMPLATE {template}"));
        Self { url: url_of(&name), name }
    }

    /// Returns the name of the database.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Runs SQL directly on the database, without the store.
    pub(crate) fn sql(&self, statements: &str) {
        let mut conn = self.connect();
        if citus_template().is_some() {
            // Citus allows triggers on tables of workers only on request.
            conn.batch_execute("SET citus.enable_unsafe_triggers = on").unwrap();
        }
        conn.batch_execute(statements).unwrap();
    }

    pub(crate) fn connect(&self) -> PgConnection {
        PgConnection::establish(&self.url).unwrap()
    }

    /// Returns the number that a query selects as `value`.
    pub(crate) fn number(&self, query: &str) -> i64 {
        sql_query(query).get_result::<Number>(&mut self.connect()).unwrap().value
    }

    /// Kills every session of the database, busy or not, and returns their number.
    pub(crate) fn kill_sessions(&self) -> i64 {
        let sessions = format!("FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()", self.name);
        let query = format!("SELECT COUNT(pg_terminate_backend(pid)) AS value {sessions}");
        sql_query(query).get_result::<Number>(&mut connect()).unwrap().value
    }

    /// Prevents new sessions.
    pub(crate) fn keep_sessions_away(&self) {
        administer(&format!("UPDATE pg_database SET datallowconn = false WHERE datname = '{}'", self.name));
    }

    /// Allows new sessions again.
    pub(crate) fn allow_sessions(&self) {
        administer(&format!("UPDATE pg_database SET datallowconn = true WHERE datname = '{}'", self.name));
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        // Citus opens sessions of its own, which may prevent the first attempts.
        let dropped = (0..5).any(|_| try_to_administer(&statement).is_ok());
        assert!(dropped || std::thread::panicking(), "{statement}");
    }
}

fn server() -> String {
    std::env::var("DATABASE_URL").ok().filter(|url| !url.is_empty()).unwrap_or_else(|| {
        skipped("the tests on PostgreSQL, because DATABASE_URL is not set");
        std::process::exit(0)
    })
}

/// Returns the template of the databases of `scripts/with-citus`.
fn citus_template() -> Option<String> {
    std::env::var("WITH_CITUS_TEMPLATE").ok()
}

fn connect() -> PgConnection {
    PgConnection::establish(&server()).unwrap()
}

fn administer(statement: &str) {
    try_to_administer(statement).unwrap();
}

/// Runs a statement on the server, and on the workers of a coordinator.
fn try_to_administer(statement: &str) -> QueryResult<()> {
    connect().batch_execute(statement)?;
    let workers = std::env::var("WITH_CITUS_WORKERS").unwrap_or_default();
    let mut workers = workers.split(' ').filter(|url| !url.is_empty());
    workers.try_for_each(|worker| PgConnection::establish(worker).unwrap().batch_execute(statement))
}

/// Returns the server's URL with another database name.
fn url_of(database: &str) -> String {
    let server = server();
    let (rest, options) = server.split_once('?').map_or((server.as_str(), ""), |(rest, options)| (rest, options));
    let (scheme, rest) = rest.split_once("://").unwrap();
    let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
    let mark = if options.is_empty() { "" } else { "?" };
    format!("{scheme}://{authority}/{database}{mark}{options}")
}

/// Returns a name that no other test uses.
fn random() -> String {
    let part = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", part(), part())
}

/// Prints what is not tested, bypassing the output capture of the test harness.
pub(crate) fn skipped(what: &str) {
    std::io::stderr().write_all(format!("\nSKIPPED: {what}\n").as_bytes()).unwrap();
}
