//! Converts the database's errors to those of the ports.

use super::backend;
use diesel::result::{DatabaseErrorKind, Error};
use florin_ports::{ProcessingError, StoreError, WriteError};

/// A [`StoreError`] on its way out. It is a local type, so that `?` converts Diesel's errors.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) StoreError);

/// The result of a query.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Reports a bug: a stored value that can't be read, or a change of an unexpected number of rows.
pub(crate) fn corrupt(what: impl std::fmt::Display) -> Failure {
    Failure(StoreError::Corrupt(what.to_string()))
}

/// Requires that exactly the expected number of rows was written.
pub(crate) fn exactly(expected: usize, written: usize, table: &str) -> Outcome<()> {
    if written == expected {
        Ok(())
    } else {
        Err(corrupt(format!("{written} rows written instead of {expected}: {table}")))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        Self(match error {
            Error::DatabaseError(kind, _) => of_database(kind, text),
            Error::RollbackErrorOnCommit { .. }
            | Error::RollbackTransaction
            | Error::AlreadyInTransaction
            | Error::NotInTransaction
            | Error::BrokenTransactionManager => StoreError::Unavailable(text),
            _ => StoreError::Corrupt(text),
        })
    }
}

fn of_database(kind: DatabaseErrorKind, text: String) -> StoreError {
    match kind {
        DatabaseErrorKind::UniqueViolation => StoreError::Duplicate(text),
        DatabaseErrorKind::ForeignKeyViolation => StoreError::NotFound(text),
        DatabaseErrorKind::ClosedConnection
        | DatabaseErrorKind::SerializationFailure
        | DatabaseErrorKind::UnableToSendCommand
        | DatabaseErrorKind::ReadOnlyTransaction => StoreError::Unavailable(text),
        DatabaseErrorKind::Unknown if backend::is_passing(&text) => StoreError::Unavailable(text),
        _ => StoreError::Corrupt(text),
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

impl<R> From<Failure> for WriteError<R> {
    fn from(failure: Failure) -> Self {
        Self::Store(failure.0)
    }
}

impl<R> From<Failure> for ProcessingError<R> {
    fn from(failure: Failure) -> Self {
        Self::Store(failure.0)
    }
}

/// An error of a unit of work: a failure of the store, or another answer to the caller.
pub(crate) trait MayFail: From<StoreError> + Send + 'static {
    /// Returns the failure of the store, or the other answer.
    fn failure(self) -> Result<StoreError, Self>;
}

impl<R: Send + 'static> MayFail for WriteError<R> {
    fn failure(self) -> Result<StoreError, Self> {
        match self {
            Self::Store(error) => Ok(error),
            answer => Err(answer),
        }
    }
}

impl<R: Send + 'static> MayFail for ProcessingError<R> {
    fn failure(self) -> Result<StoreError, Self> {
        match self {
            Self::Store(error) => Ok(error),
            answer => Err(answer),
        }
    }
}

impl MayFail for StoreError {
    fn failure(self) -> Result<StoreError, Self> {
        Ok(self)
    }
}
