//! A store for the tests of the body, on the server of `DATABASE_URL`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test fails by panicking, and names its database")]

use super::{Conn, Store};
use diesel::Connection;
use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use florin_store_contract::StoreSettings;
use std::io::Write;
use uuid::Uuid;

/// A database that is dropped with its test, whether it passed or failed.
pub(crate) struct Database {
    server: String,
    name: String,
}

impl Database {
    /// Creates an empty database. Without a server, prints a line and returns `None`.
    pub(crate) fn new(what: &str) -> Option<Self> {
        let Some(server) = std::env::var("DATABASE_URL").ok().filter(|url| !url.is_empty()) else {
            let line = format!("\nSKIPPED: {what} on PostgreSQL, because DATABASE_URL is not set\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            return None;
        };
        let name = format!("florin_body_{}", Uuid::now_v7().simple());
        let database = Self { server, name };
        database.administer(&format!("CREATE DATABASE {} TEMPLATE template0", database.name));
        Some(database)
    }

    /// Returns the URL of the database.
    pub(crate) fn url(&self) -> String {
        let (rest, options) = self.server.split_once('?').unwrap_or((&self.server, ""));
        let (scheme, rest) = rest.split_once("://").unwrap();
        let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
        format!("{scheme}://{authority}/{}?{options}", self.name).trim_end_matches('?').to_owned()
    }

    fn administer(&self, statement: &str) {
        Conn::establish(&self.server).unwrap().batch_execute(statement).unwrap();
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.administer(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

/// Runs a test on an empty store with a queue of this length.
pub(crate) fn with_store<T>(queue: usize, test: impl FnOnce(Store) -> T) {
    let Some(database) = Database::new("the writer") else { return };
    let store = Store::open(&StoreSettings { queue, readers: Some(1), ..StoreSettings::at(database.url()) }).unwrap();
    store.migrate().unwrap();
    test(store);
}

/// The statement prefix that returns a plan.
pub(crate) const EXPLAIN: &str = "EXPLAIN ";
/// Settings that make the planner treat small tables like large ones.
pub(crate) const PLANNER: &str = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off;";
/// The SQL type of a row of a plan.
pub(crate) type PlanSql = Text;
/// The Rust type of a row of a plan.
pub(crate) type PlanRow = String;

/// Returns the text of a row of a plan.
pub(crate) fn line(line: PlanRow) -> String {
    line
}
