//! Converts Diesel's errors to failures.

use super::driver;
use super::errors::{Failure, Stop};
use diesel::result::{DatabaseErrorKind, Error};

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::DatabaseError(DatabaseErrorKind::UniqueViolation, info) => {
                Self::Duplicate { table: driver::violated_table(info.as_ref()), cause: info.message().to_owned() }
            }
            Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, info) => {
                Self::NotFound(info.message().to_owned())
            }
            Error::DatabaseError(kind, info) => match driver::classify(kind, info.message()) {
                Self::Corrupt(cause) => Self::Refused(cause),
                other => other,
            },
            Error::RollbackErrorOnCommit { .. }
            | Error::RollbackTransaction
            | Error::AlreadyInTransaction
            | Error::NotInTransaction
            | Error::BrokenTransactionManager => driver::broken_connection(error.to_string()),
            // A stored value can't be read.
            Error::DeserializationError(cause) => Self::Corrupt(cause.to_string()),
            _ => Self::Refused(error.to_string()),
        }
    }
}

/// Diesel's transactions require this conversion.
impl<E> From<Error> for Stop<E> {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violated_check_is_a_refusal() {
        let info: Box<String> = Box::new("CHECK constraint failed: x".to_owned());
        let failure = Failure::from(Error::DatabaseError(DatabaseErrorKind::CheckViolation, info));
        assert!(matches!(failure, Failure::Refused(_)), "{failure:?}");
    }

    #[test]
    fn errors_of_diesel_itself_are_bugs() {
        assert!(matches!(Failure::from(Error::NotFound), Failure::Refused(_)));
        assert!(matches!(Failure::from(Error::DeserializationError("unknown value".into())), Failure::Corrupt(_)));
        assert!(Failure::from(Error::BrokenTransactionManager).is_transient());
    }
}
