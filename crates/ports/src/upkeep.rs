//! Readiness and maintenance.

use crate::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::Environment;

/// The readiness of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// The store is reachable, and its schema is the one that this program expects.
    Ready,
    /// Migrations are pending.
    MigrationsPending,
    /// The schema is newer than this program.
    SchemaTooNew,
    /// The database was deleted or replaced while this program used it. It is not used until it is back.
    Replaced,
    /// The database is damaged. It is not used any more.
    Damaged,
}

impl Readiness {
    /// Returns why the store is not ready, as the end of a sentence. `None`: it is ready.
    pub const fn problem(self) -> Option<&'static str> {
        match self {
            Self::Ready => None,
            Self::MigrationsPending => Some("migrations are pending"),
            Self::SchemaTooNew => Some("the database schema is newer than this program"),
            Self::Replaced => Some("the database was deleted or replaced while it was in use"),
            Self::Damaged => Some("the database is damaged"),
        }
    }
}

/// The readiness, environment and maintenance of a store.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Checks the readiness of the store.
    async fn readiness(&self) -> Result<Readiness, StoreError>;

    /// Checks that writes succeed: that the disk has room, and that the store is not read-only. The default checks
    /// nothing, for stores that can't fail in this way.
    async fn check_writes(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the environment that the store is bound to; `None` if it is not bound yet. Works with every version of
    /// the schema.
    async fn environment(&self) -> Result<Option<Environment>, StoreError>;

    /// Binds the store to an environment permanently, unless it is already bound. Returns the environment that it is
    /// bound to afterwards. Of concurrent calls, the first one binds it.
    async fn bind(&self, environment: Environment) -> Result<Environment, StoreError>;

    /// Returns whether the store would refuse a write now as [`StoreError::Overloaded`]. The check is cheap, and its
    /// result may be outdated when the write arrives.
    fn is_overloaded(&self) -> bool;

    /// Updates the query planner's statistics of tables that have grown a lot. Changes no data. The default does
    /// nothing, for stores whose planner needs no updates.
    async fn renew_statistics(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Deletes idempotency records that were created before a time, oldest first, at most `max`, and returns their
    /// number.
    async fn delete_idempotency_records(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;
}
