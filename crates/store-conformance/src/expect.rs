//! What checks expect, and how they say that they were disappointed.

use crate::check::{Failure, Proof};
use florin_ports::{Answer, RecordedRequest, StoreError, WriteError, Written};
use std::fmt::Debug;

/// Wants two values to be equal.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers hand in what they have just made")]
pub(crate) fn same<A: PartialEq<B> + Debug, B: Debug>(what: &str, found: A, wanted: B) -> Proof {
    if found == wanted { Ok(()) } else { Err(Failure::new(format!("{what}: {found:?} where {wanted:?} was wanted"))) }
}

/// Wants something to hold.
#[track_caller]
pub(crate) fn holds(what: &str, holds: bool) -> Proof {
    if holds { Ok(()) } else { Err(Failure::new(what)) }
}

/// Wants something to be there.
#[track_caller]
pub(crate) fn there<T>(what: &str, value: Option<T>) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::new(format!("{what} is missing")))
}

/// Wants an effect now.
#[track_caller]
pub(crate) fn fresh<T: Debug, R: Debug>(answer: Result<Written<T>, WriteError<R>>) -> Result<T, Failure> {
    match answer {
        Ok(Written::New(done)) => Ok(done),
        other => Err(Failure::new(format!("an effect was wanted, not {other:?}"))),
    }
}

/// Wants the answer of before.
#[track_caller]
pub(crate) fn replayed<T: Debug, R: Debug>(answer: Result<Written<T>, WriteError<R>>) -> Result<Answer, Failure> {
    match answer {
        Ok(Written::Replayed(answer)) => Ok(answer),
        other => Err(Failure::new(format!("the answer of before was wanted, not {other:?}"))),
    }
}

/// Wants to be told of another request under the key.
#[track_caller]
pub(crate) fn mismatch<T: Debug, R: Debug>(answer: Result<T, WriteError<R>>) -> Result<RecordedRequest, Failure> {
    match answer {
        Err(WriteError::Mismatch(request)) => Ok(*request),
        other => Err(Failure::new(format!("a mismatch was wanted, not {other:?}"))),
    }
}

/// Wants that what was named is not there.
#[track_caller]
pub(crate) fn absent<T: Debug, R: Debug>(what: &str, answer: &Result<T, WriteError<R>>) -> Proof {
    match answer {
        Err(WriteError::Absent) => Ok(()),
        other => Err(Failure::new(format!("{what}: it should look absent, not {other:?}"))),
    }
}

/// Wants the rule's refusal.
#[track_caller]
pub(crate) fn refused<T: Debug, R: Debug>(answer: Result<T, WriteError<R>>) -> Result<R, Failure> {
    match answer {
        Err(WriteError::Refused(refusal)) => Ok(refusal),
        other => Err(Failure::new(format!("a refusal was wanted, not {other:?}"))),
    }
}

/// Wants the store itself to fail.
#[track_caller]
pub(crate) fn store_failed<T: Debug, R: Debug>(answer: Result<T, WriteError<R>>) -> Result<StoreError, Failure> {
    match answer {
        Err(WriteError::Store(error)) => Ok(error),
        other => Err(Failure::new(format!("a failure of the store was wanted, not {other:?}"))),
    }
}

/// Wants "there already".
#[track_caller]
pub(crate) fn duplicate<T: Debug>(what: &str, answer: &Result<T, StoreError>) -> Proof {
    match answer {
        Err(StoreError::Duplicate(_)) => Ok(()),
        other => Err(Failure::new(format!("{what}: `Duplicate` was wanted, not {other:?}"))),
    }
}

/// Wants "not there".
#[track_caller]
pub(crate) fn not_found<T: Debug>(what: &str, answer: &Result<T, StoreError>) -> Proof {
    match answer {
        Err(StoreError::NotFound(_)) => Ok(()),
        other => Err(Failure::new(format!("{what}: `NotFound` was wanted, not {other:?}"))),
    }
}
