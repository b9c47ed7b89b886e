//! Time and ids.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Tells the time of the machine. What concerns an account goes by the account's own: use cases ask for it through `AccountClocks`.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Now, in whole microseconds, so that every store keeps it as it is.
    fn now(&self) -> DateTime<Utc>;
}

/// Mints ids.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait IdSource: Send + Sync {
    /// A new UUID (version 7 outside tests), never given before.
    fn next_id(&self) -> Uuid;
}
