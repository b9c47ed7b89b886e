//! Why a store could not be opened.

use std::path::PathBuf;

/// Why a store could not be opened: one line an operator can act on, without the URL, which may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL names a kind of database that there is no adapter for.
    #[error("the database URL begins with `{0}:`; known are `sqlite:` and `postgres:`")]
    UnknownScheme(String),
    /// The kind of database was left out of this build.
    #[error("this build has no {0}: use another database URL, or build it in")]
    NotBuilt(&'static str),
    /// An adapter was given the URL of another one's database.
    #[error("the database URL is for another kind of database")]
    WrongAdapter,
    /// The URL can't be read. It is not quoted: it may hold a password.
    #[error(
        "the database URL can't be read: it must look like postgres://user:password@host:5432/database, and special \
         characters in it must be percent-encoded"
    )]
    UnreadableUrl,
    /// Another machine would be reached in plain text.
    #[error(
        "the database host {0} is not this machine, and this build has no TLS: build with the feature `postgres-tls`, \
         or add `sslmode=disable` to the database URL if the network is to be trusted"
    )]
    PlainText(String),
    /// The server can't be reached, or refuses.
    #[error("the database can't be reached: {0}")]
    Unreachable(String),
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
