//! Why a store could not be opened.

use std::path::PathBuf;

/// Why a store could not be opened: one line an operator can act on, without the URL, which may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL names a kind of database that there is no adapter for.
    #[error("the database URL begins with `{0}:`; known is `sqlite:`")]
    UnknownScheme(String),
    /// PostgreSQL was asked for.
    #[error("this build has no PostgreSQL yet; use a `sqlite:` URL")]
    NoPostgres,
    /// An in-memory database was asked for.
    #[error("`:memory:` can't be used: each connection would have a database of its own; name a file")]
    InMemory,
    /// The URL names no file.
    #[error("the database URL names no file")]
    NoFile,
    /// The URL has options.
    #[error("a `sqlite:` URL takes no options: remove what follows the `?`")]
    Options,
    /// The directory of the file is not there.
    #[error("the directory of the database file is not there: {}", .0.display())]
    NoDirectory(PathBuf),
    /// The file can't be opened as a database.
    #[error("the database {} can't be opened: {reason}", path.display())]
    Unopenable {
        /// The file.
        path: PathBuf,
        /// What the database said.
        reason: String,
    },
    /// The writer could not be started.
    #[error("the writer could not be started: {0}")]
    NoThread(#[source] std::io::Error),
}
