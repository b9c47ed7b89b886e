//! Classifies SQLite's errors. Only this module reads their texts.
//!
//! Diesel exposes result codes of constraints only. Other errors are distinguished by their text.

use super::body::errors::Failure;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use florin_store_contract::OpenError;

/// Another connection writes. SQLite has already waited for it for the `busy_timeout`.
const LOCKED: &str = "is locked";

/// The disk has no space for the write.
const NO_SPACE: &str = "disk is full";

/// The file can't be used for now.
const TEMPORARY: [&str; 7] = [
    "disk I/O error",
    "unable to open database file",
    "readonly database",
    "out of memory",
    "interrupted",
    "locking protocol",
    // The migrations are pending.
    "no such table",
];

/// Whether another connection holds the lock that a statement needs.
pub(super) fn is_locked(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(DatabaseErrorKind::Unknown, info) if info.message().contains(LOCKED))
}

/// The table whose primary key or unique constraint was violated: `UNIQUE constraint failed: table.column, …`.
pub(crate) fn violated_table(info: &dyn DatabaseErrorInformation) -> String {
    let columns = info.message().rsplit(": ").next().unwrap_or_default();
    columns.split_once('.').map(|(table, _)| table.to_owned()).unwrap_or_default()
}

/// Classifies an error other than a violation of a unique constraint or foreign key. An immediate retry never helps: if
/// waiting helps, SQLite has already waited.
pub(crate) fn classify(kind: DatabaseErrorKind, message: &str) -> Failure {
    let cause = message.to_owned();
    let is_temporary = || message.contains(LOCKED) || TEMPORARY.iter().any(|text| message.contains(text));
    match kind {
        DatabaseErrorKind::ClosedConnection
        | DatabaseErrorKind::SerializationFailure
        | DatabaseErrorKind::UnableToSendCommand
        | DatabaseErrorKind::ReadOnlyTransaction => Failure::Unavailable(cause),
        DatabaseErrorKind::Unknown if message.contains(NO_SPACE) => Failure::NoSpace(cause),
        DatabaseErrorKind::Unknown if is_temporary() => Failure::Unavailable(cause),
        _ => Failure::Corrupt(cause),
    }
}

/// Classifies an error after which Diesel's transaction manager does not know the state of the connection.
pub(crate) fn broken_connection(cause: String) -> Failure {
    Failure::Unavailable(cause)
}

/// Classifies a commit that failed although the disk had space for it. All of it may be in the write-ahead log: if only
/// the sync failed and the program ends before it writes again, the next start finds a committed transaction.
pub(crate) fn failed_commit(cause: String) -> Failure {
    Failure::OutcomeUnknown(cause)
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::result::DatabaseErrorKind as Kind;

    #[test]
    fn errors_are_classified() {
        for (kind, text, expected) in [
            (Kind::Unknown, "database is locked", "Unavailable"),
            (Kind::Unknown, "database or disk is full", "NoSpace"),
            (Kind::Unknown, "disk I/O error", "Unavailable"),
            (Kind::Unknown, "attempt to write a readonly database", "Unavailable"),
            (Kind::Unknown, "no such table: balances", "Unavailable"),
            (Kind::Unknown, "no such column: x", "Corrupt"),
            (Kind::CheckViolation, "CHECK constraint failed: is locked", "Corrupt"),
            (Kind::NotNullViolation, "NOT NULL constraint failed: cards.id", "Corrupt"),
        ] {
            let found = format!("{:?}", classify(kind, text));
            assert!(found.starts_with(expected), "{text}: {found}");
            assert!(!classify(kind, text).may_be_retried(), "{text}");
        }
    }

    #[test]
    fn a_failed_commit_is_unknown_unless_the_disk_is_full() {
        let failed = |text| classify(Kind::Unknown, text).at_commit(failed_commit);
        assert!(matches!(failed("disk I/O error"), Failure::OutcomeUnknown(_)));
        assert!(matches!(failed("database or disk is full"), Failure::NoSpace(_)));
    }

    #[test]
    fn a_violated_constraint_names_its_table() {
        let table = |text: &str| violated_table(&text.to_owned());
        assert_eq!(
            table("UNIQUE constraint failed: idempotency_records.account_id, idempotency_records.key"),
            "idempotency_records"
        );
        assert_eq!(table("UNIQUE constraint failed: accounts.id"), "accounts");
        assert_eq!(table("UNIQUE constraint failed"), "");
    }
}
