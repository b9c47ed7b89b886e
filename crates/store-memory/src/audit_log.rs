//! The audit log.

use crate::MemoryStore;
use async_trait::async_trait;
use florin_domain::audit_log::AuditRecord;
use florin_ports::{AuditLog, Decide, StoreError};

#[async_trait]
impl AuditLog for MemoryStore {
    async fn append(&self, decide: Decide<Option<AuditRecord>, AuditRecord>) -> Result<AuditRecord, StoreError> {
        self.change(|data| {
            let record = decide(&data.audit_log.last().cloned());
            data.audit_log.push(record.clone());
            Ok(record)
        })
    }

    async fn records(&self, after: i64, max: u32) -> Result<Vec<AuditRecord>, StoreError> {
        Ok(self.read(|data| {
            let later = data.audit_log.iter().filter(|record| record.number > after);
            later.take(max as usize).cloned().collect()
        }))
    }
}
