//! Failures of the database, and their conversion to the errors of the ports.

use florin_ports::{ProcessingError, StoreError, WriteError};
use florin_store_contract::{ExportError, MoveError};
use std::fmt;

/// A failure of the database. Nothing was stored, except perhaps after [`Failure::OutcomeUnknown`]. Texts are for logs
/// only: every decision matches on the variant. A caller whose file is refused receives [`Failure::of_file`].
#[derive(Debug)]
pub(crate) enum Failure {
    /// Conflict with other transactions: a deadlock, a lock timeout, a serialization failure. The same connection can
    /// retry immediately.
    Contended(String),
    /// The connection is lost, or its server accepts no writes any more. A new connection can retry immediately.
    #[allow(dead_code, reason = "only a database with a server constructs it")]
    ConnectionLost(String),
    /// The database can't be used for now: its disk fails, or its schema is missing. An immediate retry fails, too.
    Unavailable(String),
    /// The disk of the database has no space for the write. Nothing was stored, even if the commit failed for this
    /// reason. An immediate retry fails, too.
    NoSpace(String),
    /// The connection was lost or the disk failed during the commit. The transaction may have been stored.
    OutcomeUnknown(String),
    /// A primary key or unique constraint refused a row.
    Duplicate {
        /// The table of the constraint, or an empty text where the database does not name it.
        table: String,
        /// The message of the database.
        cause: String,
    },
    /// A row that another row refers to, or that a change names, does not exist.
    NotFound(String),
    /// The database refused a statement for another reason, such as another constraint, or its answer can't be read: a
    /// bug.
    Refused(String),
    /// A stored value can't be read, or a change has affected an unexpected number of rows: a bug.
    Corrupt(String),
}

/// The result of queries.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Reports a bug: a stored value that can't be read, or a change of an unexpected number of rows.
pub(crate) fn corrupt(what: impl fmt::Display) -> Failure {
    Failure::Corrupt(what.to_string())
}

/// Requires that exactly the expected number of rows was written.
pub(crate) fn exactly(expected: usize, written: usize, table: &str) -> Outcome<()> {
    if written == expected {
        Ok(())
    } else {
        Err(corrupt(format!("{written} rows written instead of {expected}: {table}")))
    }
}

impl Failure {
    /// Whether the same work may succeed later without a change.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Contended(_)
            | Self::ConnectionLost(_)
            | Self::Unavailable(_)
            | Self::NoSpace(_)
            | Self::OutcomeUnknown(_) => true,
            Self::Duplicate { .. } | Self::NotFound(_) | Self::Refused(_) | Self::Corrupt(_) => false,
        }
    }

    /// Whether nothing was stored and an immediate retry may succeed.
    pub(crate) fn may_be_retried(&self) -> bool {
        matches!(self, Self::Contended(_) | Self::ConnectionLost(_))
    }

    /// Whether the connection can still be used.
    pub(crate) fn keeps_connection(&self) -> bool {
        matches!(self, Self::Contended(_)) || !self.is_transient()
    }

    /// Returns the reason that rows of a file can't be stored or read, for the caller who sent the file. It contains no
    /// text of the database: the log has it.
    pub(crate) fn of_file(&self) -> String {
        let reason = match self {
            Self::Corrupt(reason) => return reason.clone(),
            Self::Duplicate { .. } => "a row with its key exists already",
            Self::NotFound(_) => "it refers to a row that is not in the file",
            Self::Refused(_) => "the database refused it",
            Self::Contended(_)
            | Self::ConnectionLost(_)
            | Self::Unavailable(_)
            | Self::NoSpace(_)
            | Self::OutcomeUnknown(_) => "the database is unavailable",
        };
        tracing::warn!(error = %self, reason, "the database refused the rows of a file");
        reason.to_owned()
    }

    /// Converts a failure that happened at the commit. The result is never retried. `failed` converts
    /// [`Failure::Unavailable`].
    pub(crate) fn at_commit(self, failed: fn(String) -> Self) -> Self {
        match self {
            Self::ConnectionLost(cause) => Self::OutcomeUnknown(cause),
            Self::Contended(cause) => Self::Unavailable(cause),
            Self::Unavailable(cause) => failed(cause),
            other => other,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contended(cause)
            | Self::ConnectionLost(cause)
            | Self::Unavailable(cause)
            | Self::NoSpace(cause)
            | Self::OutcomeUnknown(cause)
            | Self::Duplicate { cause, .. }
            | Self::NotFound(cause)
            | Self::Refused(cause)
            | Self::Corrupt(cause) => f.write_str(cause),
        }
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Contended(cause)
            | Failure::ConnectionLost(cause)
            | Failure::Unavailable(cause)
            | Failure::NoSpace(cause) => Self::Unavailable(cause),
            Failure::OutcomeUnknown(cause) => Self::OutcomeUnknown(cause),
            Failure::Duplicate { cause, .. } => Self::Duplicate(cause),
            Failure::NotFound(cause) => Self::NotFound(cause),
            Failure::Refused(cause) | Failure::Corrupt(cause) => Self::Corrupt(cause),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(cause) => Self::Unavailable(cause),
            StoreError::Overloaded | StoreError::Moving(_) => Self::Unavailable(error.to_string()),
            StoreError::OutcomeUnknown(cause) => Self::OutcomeUnknown(cause),
            StoreError::Duplicate(cause) => Self::Duplicate { table: String::new(), cause },
            StoreError::NotFound(cause) => Self::NotFound(cause),
            StoreError::Corrupt(cause) => Self::Corrupt(cause),
        }
    }
}

impl<R> From<Failure> for WriteError<R> {
    fn from(failure: Failure) -> Self {
        Self::Store(failure.into())
    }
}

/// The reason that a task stores nothing.
pub(crate) enum Stop<E> {
    /// The database failed: the transaction is rolled back, and may be retried.
    Failed(Failure),
    /// The caller receives this answer.
    Answer(E),
}

impl<E> From<Failure> for Stop<E> {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl<R> From<WriteError<R>> for Stop<WriteError<R>> {
    fn from(error: WriteError<R>) -> Self {
        match error {
            WriteError::Store(error) => Self::Failed(error.into()),
            answer => Self::Answer(answer),
        }
    }
}

impl<R> From<ProcessingError<R>> for Stop<ProcessingError<R>> {
    fn from(error: ProcessingError<R>) -> Self {
        match error {
            ProcessingError::Store(error) => Self::Failed(error.into()),
            answer => Self::Answer(answer),
        }
    }
}

impl From<ExportError> for Stop<ExportError> {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(error) => Self::Failed(error.into()),
            answer => Self::Answer(answer),
        }
    }
}

impl From<MoveError> for Stop<MoveError> {
    fn from(error: MoveError) -> Self {
        match error {
            MoveError::Store(error) => Self::Failed(error.into()),
            answer => Self::Answer(answer),
        }
    }
}

impl From<Stop<Self>> for ExportError {
    fn from(stop: Stop<Self>) -> Self {
        match stop {
            Stop::Failed(failure) => Self::Store(failure.into()),
            Stop::Answer(error) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_classified_by_what_may_be_retried() {
        let text = String::new;
        let duplicate = Failure::Duplicate { table: text(), cause: text() };
        for (failure, transient, retried, kept) in [
            (Failure::Contended(text()), true, true, true),
            (Failure::ConnectionLost(text()), true, true, false),
            (Failure::Unavailable(text()), true, false, false),
            (Failure::NoSpace(text()), true, false, false),
            (Failure::OutcomeUnknown(text()), true, false, false),
            (duplicate, false, false, true),
            (Failure::NotFound(text()), false, false, true),
            (Failure::Refused(text()), false, false, true),
            (Failure::Corrupt(text()), false, false, true),
        ] {
            let found = (failure.is_transient(), failure.may_be_retried(), failure.keeps_connection());
            assert_eq!(found, (transient, retried, kept), "{failure:?}");
            assert!(!failure.at_commit(Failure::Unavailable).may_be_retried());
        }
        assert!(matches!(Failure::ConnectionLost(text()).at_commit(Failure::Unavailable), Failure::OutcomeUnknown(_)));
        assert!(matches!(Failure::NoSpace(text()).at_commit(Failure::OutcomeUnknown), Failure::NoSpace(_)));
    }

    #[test]
    fn the_sender_of_a_file_receives_no_text_of_the_database() {
        let text = || "SELECT secret".to_owned();
        let duplicate = Failure::Duplicate { table: text(), cause: text() };
        assert_eq!(duplicate.of_file(), "a row with its key exists already");
        assert_eq!(Failure::NotFound(text()).of_file(), "it refers to a row that is not in the file");
        assert_eq!(Failure::Refused(text()).of_file(), "the database refused it");
        assert_eq!(Failure::Unavailable(text()).of_file(), "the database is unavailable");
        assert_eq!(corrupt("`role` is wrong").of_file(), "`role` is wrong");
    }
}
