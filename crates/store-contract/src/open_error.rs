//! Reasons that a store could not be opened.

use std::path::PathBuf;

/// The reason that a store could not be opened, in one line for operators. It never contains the URL, which may hold a
/// password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No adapter accepts the scheme of the URL.
    #[error("the database URL begins with `{scheme}:`; known schemes are {known}")]
    UnknownScheme {
        /// The scheme of the URL.
        scheme: String,
        /// The known schemes, as a readable list.
        known: String,
    },
    /// The adapter for this kind of database was left out of this build.
    #[error("this build does not include {0}; use another database URL, or rebuild with it")]
    NotBuilt(&'static str),
    /// The URL is for a database of another adapter.
    #[error("the database URL is for another kind of database")]
    WrongAdapter,
    /// The adapter can't use this URL. The text says why, without quoting the URL.
    #[error("{0}")]
    InvalidUrl(String),
    /// The server can't be reached, or refuses the connection.
    #[error("the database can't be reached: {reason}")]
    Unreachable {
        /// The message of the database, for the log. Code matches on `failure` instead.
        reason: String,
        /// The kind of the failure: whether an immediate retry may succeed.
        failure: ConnectFailure,
    },
    /// The directory of the database file does not exist.
    #[error("the directory of the database file does not exist: {}", .0.display())]
    NoDirectory(PathBuf),
    /// The database file does not exist, and the settings don't allow its creation.
    #[error("the database {} does not exist; create it with `florin init`", .0.display())]
    NoDatabase(PathBuf),
    /// The file is a database of another program.
    #[error("the database {} is not one of Florin", .0.display())]
    Foreign(PathBuf),
    /// The file can't be opened as a database.
    #[error("the database {} can't be opened: {reason}", path.display())]
    Unopenable {
        /// The file.
        path: PathBuf,
        /// The error of the database.
        reason: String,
    },
    /// A thread of the store could not be started.
    #[error("the writer could not be started: {0}")]
    NoThread(#[source] std::io::Error),
}

/// The kind of a failure to connect to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectFailure {
    /// The server did not respond, or accepts no connections for now. An immediate retry may succeed.
    Transient,
    /// The server can't serve this database, for example because it does not exist. An immediate retry fails, too.
    Unavailable,
    /// The disk of the server has no free space. An immediate retry fails, too.
    NoSpace,
}
