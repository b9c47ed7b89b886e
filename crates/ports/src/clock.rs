//! Time and ids.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Reads the clock of the machine. Work on an account uses the account's time, which use cases read from
/// `AccountClocks`.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Returns the current time in whole microseconds, a precision that every store can keep.
    fn now(&self) -> DateTime<Utc>;
}

/// Creates ids.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait IdSource: Send + Sync {
    /// Returns a new UUID (version 7 outside tests) that was never returned before.
    fn next_id(&self) -> Uuid;
}
