//! Expectations of checks and the failures that they report.

use crate::check::{CheckResult, Failure};
use florin_ports::{DryRun, RecordedRequest, StoreError, StoredResponse, WriteError, Written};
use std::fmt::Debug;

/// Expects two values to be equal.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers pass values that they have just created")]
pub(crate) fn same<A: PartialEq<B> + Debug, B: Debug>(what: &str, found: A, expected: B) -> CheckResult {
    if found == expected { Ok(()) } else { Err(Failure::new(format!("{what}: expected {expected:?}, got {found:?}"))) }
}

/// Expects a condition to hold. `what` says what is wrong if it does not.
#[track_caller]
pub(crate) fn expect_true(what: &str, holds: bool) -> CheckResult {
    if holds { Ok(()) } else { Err(Failure::new(what)) }
}

/// Expects a value to exist.
#[track_caller]
pub(crate) fn expect_some<T>(what: &str, value: Option<T>) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::new(format!("{what} is missing")))
}

/// Expects a new effect, not a replay.
#[track_caller]
pub(crate) fn expect_new<T: Debug, R: Debug>(answer: Result<Written<T>, WriteError<R>>) -> Result<T, Failure> {
    match answer {
        Ok(Written::New(done)) => Ok(done),
        other => Err(Failure::new(format!("expected an effect, got {other:?}"))),
    }
}

/// Expects a replay and returns the stored response.
#[track_caller]
pub(crate) fn replayed<T: Debug, R: Debug>(
    answer: Result<Written<T>, WriteError<R>>,
) -> Result<StoredResponse, Failure> {
    match answer {
        Ok(Written::Replayed(answer)) => Ok(answer),
        other => Err(Failure::new(format!("expected a replay, got {other:?}"))),
    }
}

/// Expects a dry run and returns what the command would do.
#[track_caller]
pub(crate) fn dry_run<T: Debug, R: Debug>(answer: Result<Written<T>, WriteError<R>>) -> Result<DryRun<T>, Failure> {
    match answer {
        Ok(Written::DryRun(run)) => Ok(*run),
        other => Err(Failure::new(format!("expected a dry run, got {other:?}"))),
    }
}

/// Expects a mismatch: the key was used for another request, which is returned.
#[track_caller]
pub(crate) fn mismatch<T: Debug, R: Debug>(answer: Result<T, WriteError<R>>) -> Result<RecordedRequest, Failure> {
    match answer {
        Err(WriteError::Mismatch(request)) => Ok(*request),
        other => Err(Failure::new(format!("expected a mismatch, got {other:?}"))),
    }
}

/// Expects a command to fail because a record that it names is absent.
#[track_caller]
pub(crate) fn absent<T: Debug, R: Debug>(what: &str, answer: &Result<T, WriteError<R>>) -> CheckResult {
    match answer {
        Err(WriteError::Absent) => Ok(()),
        other => Err(Failure::new(format!("{what}: expected it to be absent, got {other:?}"))),
    }
}

/// Expects the rule to refuse the command.
#[track_caller]
pub(crate) fn refused<T: Debug, R: Debug>(answer: Result<T, WriteError<R>>) -> Result<R, Failure> {
    match answer {
        Err(WriteError::Refused(refusal)) => Ok(refusal),
        other => Err(Failure::new(format!("expected a refusal, got {other:?}"))),
    }
}

/// Expects a failure of the store itself.
#[track_caller]
pub(crate) fn store_failed<T: Debug, R: Debug>(answer: Result<T, WriteError<R>>) -> Result<StoreError, Failure> {
    match answer {
        Err(WriteError::Store(error)) => Ok(error),
        other => Err(Failure::new(format!("expected a failure of the store, got {other:?}"))),
    }
}

/// Expects [`StoreError::Duplicate`].
#[track_caller]
pub(crate) fn duplicate<T: Debug>(what: &str, answer: &Result<T, StoreError>) -> CheckResult {
    match answer {
        Err(StoreError::Duplicate(_)) => Ok(()),
        other => Err(Failure::new(format!("{what}: expected `Duplicate`, got {other:?}"))),
    }
}

/// Expects [`StoreError::NotFound`].
#[track_caller]
pub(crate) fn not_found<T: Debug>(what: &str, answer: &Result<T, StoreError>) -> CheckResult {
    match answer {
        Err(StoreError::NotFound(_)) => Ok(()),
        other => Err(Failure::new(format!("{what}: expected `NotFound`, got {other:?}"))),
    }
}
