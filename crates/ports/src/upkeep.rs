//! Readiness and house-keeping.

use crate::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Whether a store can be worked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Reachable, and its schema is the one this program knows.
    Ready,
    /// Migrations are pending.
    MigrationsPending,
    /// Its schema is newer than this program.
    SchemaTooNew,
}

/// Readiness and house-keeping.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Asks the store.
    async fn readiness(&self) -> Result<Readiness, StoreError>;

    /// True while a write would be refused for lack of room ([`StoreError::Overloaded`]). Costs nothing to ask, and may
    /// have changed by the time the write comes.
    fn is_overloaded(&self) -> bool;

    /// Forgets idempotency records made before a time, at most `max`; how many went.
    async fn forget_answers(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;
}
