//! The port of the audit log.

use crate::{Decide, StoreError};
use async_trait::async_trait;
use florin_domain::audit_log::AuditRecord;

/// Appends to and reads the audit log. Records are never changed or deleted.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Appends the record that `decide` derives from the last one, and returns the new record. Concurrent calls are
    /// serialized.
    async fn append(&self, decide: Decide<Option<AuditRecord>, AuditRecord>) -> Result<AuditRecord, StoreError>;

    /// Returns at most `max` records with numbers above `after`, in order.
    async fn records(&self, after: i64, max: u32) -> Result<Vec<AuditRecord>, StoreError>;
}
