//! Databases on the PostgreSQL server of `DATABASE_URL`, created for one workspace and dropped after it. If the server
//! is the coordinator of `scripts/with-citus`, each database is on the workers, too.
//!
//! A Rust client creates them, not the server's `psql`. The client is `postgres`, a dev-dependency in pure Rust that
//! mostly consists of packages that the service uses anyway. A server from `DATABASE_URL` or Docker comes without
//! programs, and tests of faults need sessions that hold locks, for which a client is better than a shell with pipes.

use std::env;
use std::fmt::Write as _;
use std::io::Read;
use std::iter::once;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use postgres::{Client, NoTls};

use super::server::MAX_WAIT;

/// The environment variable with the prefix of the databases that the janitor drops.
const JANITOR_PREFIX: &str = "FLORIN_TEST_JANITOR";

/// A database, which is dropped with this value. When the process ends, the janitor drops all remaining ones.
pub(crate) struct Database {
    pub(crate) name: String,
    pub(crate) url: String,
}

impl Database {
    /// Creates a database without tables.
    pub(crate) fn empty() -> Self {
        Self::created_from(&citus_template().unwrap_or_else(|| "template0".to_owned()))
    }

    /// Copies another database, which must have no connections.
    pub(crate) fn copy_of(other: &Self) -> Self {
        Self::created_from(&other.name)
    }

    fn created_from(template: &str) -> Self {
        static CREATED: AtomicUsize = AtomicUsize::new(0);
        start_janitor();
        let name = format!("{}{}", prefix(), CREATED.fetch_add(1, Ordering::Relaxed));
        create(&name, template).unwrap();
        let url = url_of(&server_url(), &name);
        wait_for_standbys(&url);
        Self { name, url }
    }

    /// Opens a session for the test itself.
    pub(crate) fn connect(&self) -> Client {
        connect(&self.url).unwrap()
    }

    /// Returns name and contents of every table, in the server's binary format.
    pub(crate) fn tables(&self) -> Vec<(String, Vec<u8>)> {
        let mut client = self.connect();
        let query = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()";
        let names: Vec<String> = client.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect();
        let mut read = |name: String| {
            let mut bytes = Vec::new();
            let mut reader = client.copy_out(&format!("COPY {name} TO STDOUT (FORMAT binary)")).unwrap();
            reader.read_to_end(&mut bytes).unwrap();
            drop(reader);
            (name, bytes)
        };
        names.into_iter().map(&mut read).collect()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // If this fails, the janitor tries again.
        let _ = administer(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

/// Returns the URL of the server.
pub(crate) fn server_url() -> String {
    env::var("DATABASE_URL").unwrap_or_else(|_| panic!("no DATABASE_URL: run this through scripts/with-postgres"))
}

/// Returns the URL of another database on the same server.
fn url_of(server: &str, name: &str) -> String {
    let (place, options) = server.split_once('?').map_or((server, None), |(place, options)| (place, Some(options)));
    let (scheme, rest) = place.split_once("://").unwrap_or_else(|| panic!("DATABASE_URL is not a URL"));
    let host = rest.split_once('/').map_or(rest, |(host, _)| host);
    let mut url = format!("{scheme}://{host}/{name}");
    if let Some(options) = options {
        write!(url, "?{options}").unwrap();
    }
    url
}

/// Waits until every server that a URL names has the database. With several servers, libpq gives up at one that does
/// not have the database yet.
fn wait_for_standbys(url: &str) {
    let Some((user, rest)) = url.split_once('@') else { return };
    let Some((hosts, rest)) = rest.split_once('/').filter(|(hosts, _)| hosts.contains(',')) else { return };
    let rest = rest.replace("target_session_attrs=read-write", "target_session_attrs=any");
    for host in hosts.split(',') {
        let start = Instant::now();
        while let Err(error) = connect(&format!("{user}@{host}/{rest}")) {
            assert!(start.elapsed() < MAX_WAIT, "{host}: {error}");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Opens a session on a database.
pub(crate) fn connect(url: &str) -> Result<Client, postgres::Error> {
    Client::connect(url, NoTls)
}

/// Runs a statement on the server, and on the workers of a coordinator.
pub(crate) fn administer(statement: &str) -> Result<(), postgres::Error> {
    let (server, workers) = (server_url(), env::var("WITH_CITUS_WORKERS").unwrap_or_default());
    once(server.as_str())
        .chain(workers.split(' ').filter(|url| !url.is_empty()))
        .try_for_each(|url| connect(url)?.batch_execute(statement))
}

/// Returns the template of the databases of `scripts/with-citus`.
fn citus_template() -> Option<String> {
    env::var("WITH_CITUS_TEMPLATE").ok()
}

/// Creates a copy of a database.
fn create(name: &str, template: &str) -> Result<(), postgres::Error> {
    if citus_template().is_some() {
        // Citus keeps a session in each database, which would prevent a copy.
        administer(&format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{template}'"))?;
    }
    administer(&format!("CREATE DATABASE {name} TEMPLATE {template}"))
}

/// Returns the prefix of the names of this process's databases.
fn prefix() -> &'static str {
    static PREFIX: OnceLock<String> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        format!("florin_test_{}_{now:x}_", std::process::id())
    })
}

/// Starts the janitor, a second copy of this program. It waits on a pipe that closes when this process ends for any
/// reason, and then drops the databases of this process. Without the janitor, databases in statics and databases of a
/// killed process would remain, because this process never drops their values.
fn start_janitor() {
    static JANITOR: OnceLock<Child> = OnceLock::new();
    JANITOR.get_or_init(|| {
        let (_, module) = module_path!().split_once("::").unwrap();
        Command::new(env::current_exe().unwrap())
            .args(["--exact", &format!("{module}::the_janitor_drops_the_databases_of_an_ended_process")])
            .env(JANITOR_PREFIX, prefix())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    });
}

/// Drops the databases of an ended process, if this process was started as the janitor.
#[test]
fn the_janitor_drops_the_databases_of_an_ended_process() {
    let Ok(prefix) = env::var(JANITOR_PREFIX) else {
        assert!(prefix().starts_with("florin_test_"), "a janitor could drop databases of others");
        return;
    };
    assert!(prefix.starts_with("florin_test_"), "{prefix}");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    let query = "SELECT datname FROM pg_database WHERE starts_with(datname, $1)";
    for row in connect(&server_url()).unwrap().query(query, &[&prefix]).unwrap() {
        let name: String = row.get(0);
        administer(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).unwrap();
    }
}

#[test]
fn the_url_of_another_database_differs_only_in_the_name() {
    for (server, expected) in [
        ("postgres://u:p@host:5432/postgres", "postgres://u:p@host:5432/x"),
        ("postgres://host", "postgres://host/x"),
        ("postgresql://host/a?sslmode=disable", "postgresql://host/x?sslmode=disable"),
        ("postgres:///a?host=/tmp", "postgres:///x?host=/tmp"),
    ] {
        assert_eq!(url_of(server, "x"), expected);
    }
}
