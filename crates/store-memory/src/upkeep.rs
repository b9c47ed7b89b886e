//! Readiness and maintenance.

use crate::MemoryStore;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::Environment;
use florin_ports::{Readiness, StoreError, Upkeep};

#[async_trait]
impl Upkeep for MemoryStore {
    async fn readiness(&self) -> Result<Readiness, StoreError> {
        Ok(Readiness::Ready)
    }

    async fn environment(&self) -> Result<Option<Environment>, StoreError> {
        Ok(self.read(|data| data.environment))
    }

    async fn bind(&self, environment: Environment) -> Result<Environment, StoreError> {
        self.change(|data| Ok(*data.environment.get_or_insert(environment)))
    }

    /// Always returns `false`, because the store has no queue.
    fn is_overloaded(&self) -> bool {
        false
    }

    async fn delete_idempotency_records(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        self.change(|data| {
            let old = data.records.iter().filter(|(_, record)| record.at < before);
            let mut old: Vec<_> = old.map(|(key, record)| (record.at, key.clone())).collect();
            old.sort();
            old.truncate(max);
            for (_, key) in &old {
                data.records.remove(key);
            }
            let of_clients = data.client_records.iter().filter(|(_, record)| record.at < before);
            let mut of_clients: Vec<_> = of_clients.map(|(key, record)| (record.at, key.clone())).collect();
            of_clients.sort();
            of_clients.truncate(max - old.len());
            for (_, key) in &of_clients {
                data.client_records.remove(key);
            }
            Ok((old.len() + of_clients.len()) as u64)
        })
    }
}
