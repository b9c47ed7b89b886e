//! Time and ids.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The clock of the machine. Work on an account uses the account's time, which use cases get from `AccountClocks`.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait Clock: Send + Sync {
    /// The current time in whole microseconds, so that every store can keep it exactly.
    fn now(&self) -> DateTime<Utc>;
}

/// A source of ids.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait IdSource: Send + Sync {
    /// Returns a new UUID (version 7 outside tests) that was never returned before.
    fn next_id(&self) -> Uuid;
}
