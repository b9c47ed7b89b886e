//! Shared helpers of the checks of failing writes.

use crate::check::{CheckResult, Failure};
use crate::expect::expect_true;
use florin_ports::{ProcessingError, StoreError, WriteError, Written};
use std::fmt::Debug;

/// Result of a command sent while a write fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The command took effect: it does not write at that place.
    Effect,
    /// The stored response was replayed.
    Replayed,
    /// The rule refused, and the intended effect of the refusal was stored.
    Refused,
    /// The store failed.
    Failed,
}

/// Classifies the answer to a command with a rule. The checks send no command that can be absent or a mismatch.
pub(crate) fn end<T: Debug, R: Debug>(answer: Result<Written<T>, WriteError<R>>) -> Result<End, Failure> {
    match answer {
        Ok(Written::New(_)) => Ok(End::Effect),
        Ok(Written::Replayed(_)) => Ok(End::Replayed),
        Err(WriteError::Refused(_)) => Ok(End::Refused),
        Err(WriteError::Store(_)) => Ok(End::Failed),
        other => Err(Failure::new(format!("neither an effect nor a failure: {other:?}"))),
    }
}

/// Classifies the answer to a write without an idempotency key.
pub(crate) fn plain_end<T: Debug, E: Into<PlainError> + Debug>(answer: Result<T, E>) -> Result<End, Failure> {
    match answer.map_err(Into::into) {
        Ok(_) => Ok(End::Effect),
        Err(PlainError::Store) => Ok(End::Failed),
        Err(PlainError::Other(other)) => Err(Failure::new(format!("neither an effect nor a failure: {other}"))),
    }
}

/// Failure of a write without an idempotency key.
#[derive(Debug)]
pub(crate) enum PlainError {
    Store,
    Other(String),
}

impl From<StoreError> for PlainError {
    fn from(_: StoreError) -> Self {
        Self::Store
    }
}

impl<R: Debug> From<WriteError<R>> for PlainError {
    fn from(error: WriteError<R>) -> Self {
        if matches!(error, WriteError::Store(_)) { Self::Store } else { Self::Other(format!("{error:?}")) }
    }
}

impl<R: Debug> From<ProcessingError<R>> for PlainError {
    fn from(error: ProcessingError<R>) -> Self {
        if matches!(error, ProcessingError::Store(_)) { Self::Store } else { Self::Other(format!("{error:?}")) }
    }
}

/// Returns whether writes at a place are of idempotency records. While they fail, no command with a key may take
/// effect.
pub(crate) fn is_of_records(place: &str) -> bool {
    place.ends_with(" idempotency_records")
}

/// A command that a check sends while a write fails, and again after writes succeed.
pub(crate) struct FaultedCommand {
    pub(crate) name: String,
    /// Whether the command has an idempotency key.
    pub(crate) has_key: bool,
    /// Expected result without failing writes.
    pub(crate) expected: End,
}

impl FaultedCommand {
    /// Checks the result of the command while writes fail at `place`, and returns whether the command failed.
    pub(crate) fn failed(&self, ended: End, place: &str) -> Result<bool, Failure> {
        let Self { name, has_key, expected } = self;
        if ended != End::Failed && *has_key && is_of_records(place) {
            return Err(Failure::new(format!("{name} had an effect though its record could not be stored: {ended:?}")));
        }
        if ended != End::Failed && ended != *expected {
            return Err(Failure::new(format!("{name} ended as {ended:?} while writes failed at `{place}`")));
        }
        Ok(ended == End::Failed)
    }

    /// Expects the command to succeed after its failure, which proves that the failure left nothing, not even a record.
    pub(crate) fn works_again(&self, ended: End, place: &str) -> CheckResult {
        let Self { name, expected, .. } = self;
        expect_true(&format!("{name} ended as {ended:?} after its failure at `{place}`"), ended == *expected)
    }
}
