//! Ports for callers and accounts.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::access::{Account, Caller, KeyHash};
use florin_domain::ids::AccountId;

/// Finds callers by their keys.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Callers: Send + Sync {
    /// Returns the key with this hash and its client, revoked and expired keys included. The time that it takes is independent of
    /// how much of a hash is right.
    async fn find(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError>;
}

/// Finds accounts.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Returns the account with this id, whoever owns it. The caller decides whether it may be reached.
    async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError>;

    /// Removes an account from the cache, if there is one: a later call reads the store.
    fn forget(&self, id: &AccountId) {
        let _ = id;
    }
}
