//! Changes of a database or of its server that are undone when they are dropped, even after a failure of the test.

use std::thread;

use crate::support::postgres::{Database, connect, server_url};

/// Makes the database server apply its settings. Its processes read them shortly after the reload.
const RELOAD: [&str; 2] = ["SELECT pg_reload_conf()", "SELECT pg_sleep(1)"];

const NEWER: &str = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99991231000001')";
const NOT_NEWER: &str = "DELETE FROM __diesel_schema_migrations WHERE version = '99991231000001'";

/// A change that is undone when this is dropped.
pub(crate) struct Change {
    /// The database in which the statements run.
    url: String,
    /// The statements that undo the change.
    undo: Vec<String>,
}

impl Change {
    fn new(url: &str, statements: &[&str], undo: &[&str]) -> Self {
        // This exists before the first statement, so that a failure of a later one undoes the change.
        let change = Self { url: url.to_owned(), undo: undo.iter().map(|statement| (*statement).to_owned()).collect() };
        run(url, statements).unwrap_or_else(|error| panic!("{statements:?}: {error:?}"));
        change
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        let undone = run(&self.url, &self.undo);
        // Another panic would end the process, with all its tests.
        if !thread::panicking() {
            undone.unwrap_or_else(|error| panic!("{:?}: {error:?}", self.undo));
        }
    }
}

/// Runs statements sequentially, each in a transaction of its own.
fn run(url: &str, statements: &[impl AsRef<str>]) -> Result<(), postgres::Error> {
    let mut session = connect(url)?;
    statements.iter().try_for_each(|statement| session.batch_execute(statement.as_ref()))
}

/// Changes a setting of the database server, for all its databases. The user of `DATABASE_URL` must be a superuser.
pub(crate) fn change_setting(name: &str, value: &str) -> Change {
    let set = format!("ALTER SYSTEM SET {name} = '{value}'");
    let reset = format!("ALTER SYSTEM RESET {name}");
    let [reload, wait] = RELOAD;
    Change::new(&server_url(), &[&set, reload, wait], &[&reset, reload, wait])
}

impl Database {
    /// Refuses new sessions, and ends all others.
    pub(crate) fn refuse_sessions(&self) -> Change {
        let allow = |allowed: bool| format!("ALTER DATABASE {} ALLOW_CONNECTIONS {allowed}", self.name);
        let change = Change::new(&server_url(), &[&allow(false)], &[&allow(true)]);
        self.end_sessions();
        change
    }

    /// Makes the schema look newer than this program.
    pub(crate) fn make_newer(&self) -> Change {
        Change::new(&self.url, &[NEWER], &[NOT_NEWER])
    }
}
