//! Readiness and housekeeping.

use crate::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// The state of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// The store is reachable, and its schema is the one that this program expects.
    Ready,
    /// Migrations are pending.
    MigrationsPending,
    /// The schema is newer than this program.
    SchemaTooNew,
}

/// Reports readiness, and removes expired records.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Returns the state of the store.
    async fn readiness(&self) -> Result<Readiness, StoreError>;

    /// Whether a write would be refused because the queue is full ([`StoreError::Overloaded`]). The call is cheap; the answer may
    /// have changed when the write comes.
    fn is_overloaded(&self) -> bool;

    /// Deletes idempotency records that were stored before a time, at most `max`, and returns their number.
    async fn forget_answers(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;
}
