//! Reads and changes a database directly, without the instances.

use std::sync::Arc;

use postgres::Client;

use crate::support::folder::directory;
use crate::support::postgres::{Database, connect, server_url};
use crate::support::store::Store;
use crate::support::{Server, Workspace};

impl Workspace {
    /// Creates a workspace for another instance: a new directory, with the same database and settings.
    pub(crate) fn beside(&self) -> Self {
        Self { dir: directory(), store: Arc::clone(&self.store), settings: self.settings.clone(), shell: self.shell }
    }

    /// Returns the PostgreSQL database.
    pub(crate) fn database(&self) -> &Database {
        match &*self.store {
            Store::Postgres(database) => database,
            Store::Sqlite => panic!("this needs a PostgreSQL database, not a SQLite file"),
        }
    }
}

impl Server {
    pub(crate) fn database(&self) -> &Database {
        self.workspace().database()
    }
}

impl Database {
    /// Runs statements.
    pub(crate) fn execute(&self, statements: &str) {
        self.connect().batch_execute(statements).unwrap_or_else(|error| panic!("{statements}: {error:?}"));
    }

    /// Returns the number that a query selects.
    pub(crate) fn count(&self, query: &str) -> i64 {
        self.connect().query_one(query, &[]).unwrap_or_else(|error| panic!("{query}: {error:?}")).get(0)
    }

    /// Ends every session on the database. Returns their number.
    pub(crate) fn end_sessions(&self) -> u64 {
        let query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";
        connect(&server_url()).unwrap().execute(query, &[&self.name]).unwrap()
    }

    /// Runs a statement in a transaction of a new session. The session keeps the statement's locks until it is dropped.
    pub(crate) fn hold(&self, statement: &str) -> Client {
        let mut session = self.connect();
        session.batch_execute(&format!("BEGIN; {statement}")).unwrap_or_else(|error| panic!("{statement}: {error:?}"));
        session
    }
}
