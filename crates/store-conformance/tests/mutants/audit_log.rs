//! Bugs in the audit log.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use florin_domain::audit_log::AuditRecord;
use florin_ports::{AuditLog, Decide, StoreError};
use std::sync::Arc;

#[async_trait]
impl AuditLog for Mutant {
    async fn append(&self, chain: Decide<Option<AuditRecord>, AuditRecord>) -> Result<AuditRecord, StoreError> {
        if self.has(Bug::AuditChainsStartAnew) || (self.is_second && self.has(Bug::SecondAuditChain)) {
            return self.inner.append(Arc::new(move |_: &_| chain(&None))).await;
        }
        self.inner.append(chain).await
    }

    async fn records(&self, after: i64, max: u32) -> Result<Vec<AuditRecord>, StoreError> {
        let max = if self.has(Bug::AuditRecordsUnbounded) { u32::MAX } else { max };
        let mut records = self.inner.records(after, max).await?;
        if self.has(Bug::AuditRecordsNewestFirst) {
            records.reverse();
        }
        Ok(records)
    }
}
