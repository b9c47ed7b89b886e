//! Callers and accounts.

use crate::MemoryStore;
use async_trait::async_trait;
use florin_domain::access::{Account, Caller, KeyHash};
use florin_domain::ids::AccountId;
use florin_ports::{Accounts, Callers, StoreError};

#[async_trait]
impl Callers for MemoryStore {
    async fn find(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError> {
        self.read(|data| {
            // Every hash is compared completely, so the duration reveals nothing about how much of a guess is right.
            let mut found = None;
            for (key, known) in data.keys.values() {
                let differing = known.0.iter().zip(hash.0).fold(0, |bits, (one, other)| bits | (one ^ other));
                if differing == 0 {
                    found = Some(key.clone());
                }
            }
            let Some(key) = found else { return Ok(None) };
            match data.clients.get(&key.client) {
                Some(client) => Ok(Some(Caller { client: client.clone(), key })),
                None => Err(StoreError::Corrupt("a key without its client".into())),
            }
        })
    }
}

#[async_trait]
impl Accounts for MemoryStore {
    async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        Ok(self.read(|data| data.accounts.get(id).cloned()))
    }
}
