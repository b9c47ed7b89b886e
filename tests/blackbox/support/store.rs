//! The store under test: `FLORIN_TEST_STORE` is `sqlite` (the default) or `postgres`.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::OnceLock;

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};

use super::postgres::Database;

const FILE: &str = "florin.db";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sqlite,
    Postgres,
}

fn kind() -> Kind {
    static KIND: OnceLock<Kind> = OnceLock::new();
    *KIND.get_or_init(|| match std::env::var("FLORIN_TEST_STORE").as_deref() {
        _ if crate::ONLY_POSTGRES => Kind::Postgres,
        Err(_) | Ok("sqlite") => Kind::Sqlite,
        Ok("postgres") => Kind::Postgres,
        Ok(other) => panic!("FLORIN_TEST_STORE must be sqlite or postgres (got {other:?})"),
    })
}

/// Whether the store under test is a file.
pub(crate) fn is_sqlite() -> bool {
    kind() == Kind::Sqlite
}

/// The database of a workspace.
pub(crate) enum Store {
    /// A file in the workspace's directory.
    Sqlite,
    Postgres(Database),
}

impl Store {
    /// Creates an empty store.
    pub(crate) fn empty() -> Self {
        match kind() {
            Kind::Sqlite => Self::Sqlite,
            Kind::Postgres => Self::Postgres(Database::empty()),
        }
    }

    /// Turns the store in its current state into a template for copies. Nobody may use it afterwards.
    pub(crate) fn into_template(self, directory: &Path) -> Template {
        match self {
            Self::Sqlite => Template::Files(files(directory)),
            Self::Postgres(database) => Template::Database(database),
        }
    }

    pub(crate) fn url(&self, directory: &Path) -> String {
        match self {
            Self::Sqlite => format!("sqlite://{}", directory.join(FILE).display()),
            Self::Postgres(database) => database.url.clone(),
        }
    }

    /// Runs SQL directly on the database. Returns its error, if there is one.
    pub(crate) fn sql(&self, directory: &Path, statements: &str) -> Result<(), String> {
        match self {
            Self::Sqlite => {
                let path = directory.join(FILE).display().to_string();
                let mut conn = SqliteConnection::establish(&path).unwrap();
                conn.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
                conn.batch_execute(statements).map_err(|error| error.to_string())
            }
            Self::Postgres(database) => {
                let refused = |error: postgres::Error| error.as_db_error().unwrap().message().to_owned();
                database.connect().batch_execute(statements).map_err(refused)
            }
        }
    }

    /// Returns name and contents of every file or table.
    pub(crate) fn contents(&self, directory: &Path) -> Vec<(String, Vec<u8>)> {
        let contents = match self {
            Self::Sqlite => files(directory),
            Self::Postgres(database) => database.tables(),
        };
        assert!(!contents.is_empty(), "the database of {} is empty", directory.display());
        contents
    }
}

/// A template that stores are copied from.
pub(crate) enum Template {
    /// Name and contents of each file.
    Files(Vec<(String, Vec<u8>)>),
    Database(Database),
}

impl Template {
    /// Creates a copy of the template.
    pub(crate) fn copy(&self, directory: &Path) -> Store {
        match self {
            Self::Files(files) => {
                for (name, bytes) in files {
                    // Florin warns about files that other users can read.
                    let mut file = File::options();
                    let file = file.write(true).create_new(true).mode(0o600).open(directory.join(name));
                    file.unwrap().write_all(bytes).unwrap();
                }
                Store::Sqlite
            }
            Self::Database(database) => Store::Postgres(Database::copy_of(database)),
        }
    }
}

fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(FILE) {
            files.push((name, fs::read(entry.path()).unwrap()));
        }
    }
    files
}
