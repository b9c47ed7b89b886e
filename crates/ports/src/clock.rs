//! Time and ids.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Reads the time of the machine. Accounts may have clocks of their own, which use cases read through `AccountClocks`.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Returns the current time in whole microseconds, which every store can represent.
    fn now(&self) -> DateTime<Utc>;
}

/// Generates ids.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait IdSource: Send + Sync {
    /// Returns a new UUID (version 7 outside tests).
    fn next_id(&self) -> Uuid;
}
