//! Classifies PostgreSQL's errors. Only this module reads their texts.
//!
//! Diesel has a kind for some SQLSTATEs, and names the table of a violated constraint. It exposes no other SQLSTATE:
//! those errors are distinguished by their text. The writer sets the language of its session to English for that.

use super::body::errors::Failure;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind};
use florin_store_contract::{ConnectFailure, OpenError};

/// The transaction and others waited for each other, and the server ended this one. Citus has a text of its own for a
/// deadlock of several servers.
const DEADLOCKS: [&str; 2] = ["deadlock detected", "involved in a distributed deadlock"];

/// The transaction was aborted because of other transactions. The connection can still be used.
const CONTENDED: [&str; 5] = [
    "could not serialize access",
    "due to lock timeout",
    "due to statement timeout",
    "could not obtain lock",
    "due to conflict with recovery",
];

/// The server has no free disk space.
const NO_SPACE: [&str; 2] = ["No space left", "could not extend file"];

/// The server has no free memory.
const NO_MEMORY: &str = "out of memory";

/// The connection is lost, or the server accepts no work for now. A new connection may reach another server.
const CONNECTION_LOST: [&str; 12] = [
    // Citus: the commit of a worker failed, or the coordinator has lost the worker meanwhile and can't know.
    "could not commit transaction for shard",
    "terminating connection",
    "the database system is",
    "server closed the connection",
    "connection to server",
    "connection not open",
    "no connection to the server",
    "could not receive data",
    "could not send data",
    "too many clients",
    "connection slots",
    "out of shared memory",
];

/// The table whose primary key or unique constraint was violated.
pub(crate) fn violated_table(info: &dyn DatabaseErrorInformation) -> String {
    info.table_name().unwrap_or_default().to_owned()
}

/// Classifies an error other than a violation of a unique constraint or foreign key.
pub(crate) fn classify(kind: DatabaseErrorKind, message: &str) -> Failure {
    let cause = message.to_owned();
    let has = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    match kind {
        DatabaseErrorKind::SerializationFailure => Failure::Contended(cause),
        DatabaseErrorKind::ClosedConnection
        | DatabaseErrorKind::UnableToSendCommand
        | DatabaseErrorKind::ReadOnlyTransaction => Failure::ConnectionLost(cause),
        DatabaseErrorKind::Unknown if has(&NO_SPACE) => Failure::NoSpace(cause),
        DatabaseErrorKind::Unknown if has(&[NO_MEMORY]) || is_missing_table(message) => Failure::Unavailable(cause),
        DatabaseErrorKind::Unknown if has(&DEADLOCKS) || has(&CONTENDED) => Failure::Contended(cause),
        DatabaseErrorKind::Unknown if has(&CONNECTION_LOST) => Failure::ConnectionLost(cause),
        _ => Failure::Corrupt(cause),
    }
}

/// Classifies an error after which Diesel's transaction manager does not know the state of the connection.
pub(crate) fn broken_connection(cause: String) -> Failure {
    Failure::ConnectionLost(cause)
}

/// Classifies a commit that the server refused: it has rolled back.
pub(crate) fn failed_commit(cause: String) -> Failure {
    Failure::Unavailable(cause)
}

/// Classifies the error of a migration that failed. Diesel does not export its type.
pub(super) fn classify_migration(cause: String) -> Failure {
    let is_deadlock = DEADLOCKS.iter().any(|text| cause.contains(text));
    if is_deadlock { Failure::Contended(cause) } else { Failure::Unavailable(cause) }
}

/// Converts an error of a statement that waits for the locks of others before a migration. A program that has waited
/// for ten minutes does not wait again.
pub(super) fn still_locked(error: diesel::result::Error) -> Failure {
    match Failure::from(error) {
        Failure::Contended(cause) => Failure::Unavailable(cause),
        other => other,
    }
}

/// Whether the message says that a table is missing, because migrations are pending.
fn is_missing_table(message: &str) -> bool {
    message.starts_with("relation ") && message.contains("does not exist")
}

/// Classifies a failure to connect. A missing database or user, or a lack of disk space or memory, is not retried
/// immediately. Any other failure is.
pub(super) fn classify_connect(message: &str) -> ConnectFailure {
    if NO_SPACE.iter().any(|text| message.contains(text)) {
        ConnectFailure::NoSpace
    } else if message.contains("does not exist") || message.contains(NO_MEMORY) {
        ConnectFailure::Unavailable
    } else {
        ConnectFailure::Transient
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let cause = error.to_string();
        match error {
            OpenError::Unreachable { failure, .. } => match failure {
                ConnectFailure::Transient => Self::ConnectionLost(cause),
                ConnectFailure::NoSpace => Self::NoSpace(cause),
                ConnectFailure::Unavailable => Self::Unavailable(cause),
            },
            _ => Self::Unavailable(cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::result::DatabaseErrorKind as Kind;

    #[test]
    fn a_migration_that_a_deadlock_ended_can_be_tried_again() {
        let failed = |text: &str| classify_migration(format!("migrations: Failed to run x with: {text}"));
        for deadlock in DEADLOCKS {
            assert!(matches!(failed(deadlock), Failure::Contended(_)), "{deadlock}");
        }
        assert!(matches!(failed("permission denied"), Failure::Unavailable(_)));
        assert!(matches!(failed("canceling statement due to lock timeout"), Failure::Unavailable(_)));
    }

    #[test]
    fn errors_are_classified() {
        for (kind, text, expected) in [
            (Kind::Unknown, "deadlock detected", "Contended"),
            (Kind::SerializationFailure, "could not serialize access due to concurrent update", "Contended"),
            (Kind::Unknown, "canceling the transaction since it was involved in a distributed deadlock", "Contended"),
            (Kind::Unknown, "could not commit transaction for shard 1 on at least one active node", "ConnectionLost"),
            (Kind::Unknown, "canceling statement due to lock timeout", "Contended"),
            (Kind::Unknown, "canceling statement due to statement timeout", "Contended"),
            (Kind::Unknown, "could not obtain lock on row in relation \"balances\"", "Contended"),
            (Kind::Unknown, "terminating connection due to administrator command", "ConnectionLost"),
            (Kind::ClosedConnection, "server closed the connection unexpectedly", "ConnectionLost"),
            (Kind::UnableToSendCommand, "no connection to the server", "ConnectionLost"),
            (Kind::ReadOnlyTransaction, "cannot execute UPDATE in a read-only transaction", "ConnectionLost"),
            (Kind::Unknown, "sorry, too many clients already", "ConnectionLost"),
            (Kind::Unknown, "relation \"balances\" does not exist", "Unavailable"),
            (Kind::Unknown, "could not extend file \"base/1\": No space left on device", "NoSpace"),
            (Kind::Unknown, "out of memory", "Unavailable"),
            (Kind::Unknown, "column \"x\" does not exist", "Corrupt"),
            (Kind::Unknown, "invalid byte sequence for encoding \"UTF8\": 0x00", "Corrupt"),
            (Kind::Unknown, "bigint out of range", "Corrupt"),
            (Kind::CheckViolation, "new row violates check constraint: terminating connection", "Corrupt"),
            (Kind::NotNullViolation, "null value in column \"x\"", "Corrupt"),
        ] {
            let found = format!("{:?}", classify(kind, text));
            assert!(found.starts_with(expected), "{text}: {found}");
        }
    }

    #[test]
    fn failed_connects_are_classified() {
        for (text, expected) in [
            ("connection to server at \"127.0.0.1\" failed: Connection refused", ConnectFailure::Transient),
            ("FATAL: the database system is starting up", ConnectFailure::Transient),
            ("FATAL: database \"florin\" does not exist", ConnectFailure::Unavailable),
            ("FATAL: out of memory", ConnectFailure::Unavailable),
            ("FATAL: could not write init file: No space left on device", ConnectFailure::NoSpace),
        ] {
            assert_eq!(classify_connect(text), expected, "{text}");
        }
    }

    #[test]
    fn the_kind_of_a_failed_connect_counts_and_not_its_text() {
        let of = |failure| Failure::from(OpenError::Unreachable { reason: "does not exist".into(), failure });
        assert!(matches!(of(ConnectFailure::Transient), Failure::ConnectionLost(_)));
        assert!(matches!(of(ConnectFailure::Unavailable), Failure::Unavailable(_)));
        assert!(matches!(of(ConnectFailure::NoSpace), Failure::NoSpace(_)));
        assert!(of(ConnectFailure::Transient).may_be_retried() && !of(ConnectFailure::Unavailable).may_be_retried());
        assert_eq!(of(ConnectFailure::Transient).to_string(), "the database can't be reached: does not exist");
    }
}
