//! Who calls, and what accounts there are.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::access::{Account, Caller, KeyHash};
use florin_domain::ids::AccountId;

/// Finds callers by their keys.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Callers: Send + Sync {
    /// The key of that hash with its client; revoked and expired keys included. The time it takes tells nothing of how
    /// much of a hash was right.
    async fn find(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError>;
}

/// Finds accounts.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Accounts: Send + Sync {
    /// The account of that id, whoever owns it: the caller decides whether it is within reach.
    async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError>;

    /// Forgets what is remembered of an account: who asks after this call is told what the store says then. Nothing to do
    /// where nothing is remembered.
    fn forget(&self, id: &AccountId) {
        let _ = id;
    }
}
