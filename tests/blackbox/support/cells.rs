//! Databases of further cells, in the store under test.

use serde_json::Value;

use super::assert::text;
use super::client::Client;
use super::postgres::{Database, connect};
use super::server::{Server, Workspace};
use super::store::is_sqlite;

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};

/// The database of a cell. A PostgreSQL database is dropped with this value.
pub(crate) struct CellDatabase {
    pub(crate) url: String,
    postgres: Option<Database>,
}

impl CellDatabase {
    /// Creates a PostgreSQL database, or chooses the path of a SQLite file, which `florin cells add` creates.
    pub(crate) fn new(workspace: &Workspace, name: &str) -> Self {
        if is_sqlite() {
            return Self { url: format!("sqlite://{}", workspace.path().join(name).display()), postgres: None };
        }
        let database = Database::empty();
        Self { url: database.url.clone(), postgres: Some(database) }
    }

    /// Runs SQL directly on the database.
    pub(crate) fn sql(&self, statements: &str) {
        match &self.postgres {
            None => {
                let mut conn = SqliteConnection::establish(self.url.trim_start_matches("sqlite://")).unwrap();
                conn.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
                conn.batch_execute(statements).unwrap();
            }
            Some(_) => connect(&self.url).unwrap().batch_execute(statements).unwrap(),
        }
    }

    /// Removes the database, even while a server uses it, and returns its URL.
    pub(crate) fn remove(self) -> String {
        if self.postgres.is_none() {
            std::fs::remove_file(self.url.trim_start_matches("sqlite://")).unwrap();
        }
        self.url
    }
}

/// Adds the cells `a` and `b`.
pub(crate) fn add_cells(workspace: Workspace) -> (Workspace, [CellDatabase; 2]) {
    let databases = ["a.db", "b.db"].map(|name| CellDatabase::new(&workspace, name));
    let workspace = workspace.set("FLORIN_CELLS", &cells_setting(&databases));
    for name in ["a", "b"] {
        assert_eq!(workspace.json(&["cells", "add", name, "--json"])["acceptsClients"], true);
    }
    (workspace, databases)
}

/// Returns the value of `FLORIN_CELLS` for the cells `a` and `b`.
pub(crate) fn cells_setting([a, b]: &[CellDatabase; 2]) -> String {
    format!("a={} b={}", a.url, b.url)
}

/// A client in a cell, with one account and a key with all scopes.
pub(crate) struct Tenant {
    pub(crate) id: String,
    account: String,
    key: String,
}

impl Tenant {
    /// Creates a client with this name in a cell.
    pub(crate) fn create(workspace: &Workspace, name: &str, account: &str, cell: &str) -> Self {
        let client = workspace.json(&["clients", "create", "--name", name, "--cell", cell, "--json"]);
        assert_eq!(client["cell"], cell);
        let id = text(&client, "/id").to_owned();
        workspace.json(&["accounts", "create", account, "--client", &id, "--merchant", "--json"]);
        let key = workspace.json(&["keys", "issue", "--client", &id, "--all-scopes", "--json"]);
        Self { id, account: account.to_owned(), key: text(&key, "/key").to_owned() }
    }

    /// Returns a caller with the tenant's key, on its account.
    pub(crate) fn caller(&self, server: &Server) -> Client {
        server.client_of(&self.key, &self.account)
    }
}

/// Moves a client with a command that must succeed.
pub(crate) fn move_to(workspace: &Workspace, client: &str, cell: &str) {
    let moved = workspace.json(&["cells", "move", client, cell, "--json"]);
    assert_eq!((text(&moved, "/client"), text(&moved, "/to")), (client, cell));
}

/// Returns the row of a cell in `florin cells list`.
pub(crate) fn listed_cell(workspace: &Workspace, name: &str) -> Value {
    let list = workspace.json(&["cells", "list", "--json"]);
    list["rows"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone()
}
