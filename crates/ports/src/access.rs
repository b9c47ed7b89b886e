//! Ports that find callers, accounts and clients.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::access::{Account, AccountProfile, ApiClient, ApiKey, Caller, KeyHash};
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::page::{Page, PageRequest};

/// Finds callers by their keys.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Callers: Send + Sync {
    /// Returns the key with that hash and its client, even if the key is revoked or expired. The duration of the call
    /// does not reveal how many bytes of a hash are correct. Even an adapter with a cache reads a key from the store if
    /// its list of accounts may contain a world, because the key loses access to the world as soon as the world is
    /// deleted.
    async fn find(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError>;
}

/// Finds accounts.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Returns the account with that id, whoever owns it. The caller of this method checks access.
    async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError>;

    /// Returns the account with that id if the key grants access to it. Does the same work for an account of another
    /// client as for one that does not exist, so that its duration reveals nothing.
    async fn reach(&self, key: &ApiKey, id: &AccountId) -> Result<Option<Account>, StoreError> {
        Ok(self.find(id).await?.filter(|account| key.reaches(account)))
    }

    /// Returns the client with that id and its features, for requests without a key, such as those of payers.
    async fn client(&self, id: ClientId) -> Result<Option<ApiClient>, StoreError>;

    /// Removes the account from the cache of an adapter, so that later calls read the stored account. An adapter
    /// without a cache does nothing.
    fn forget(&self, id: &AccountId) {
        let _ = id;
    }
}

/// Reads the profiles of accounts.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AccountProfiles: Send + Sync {
    /// Returns the profile of an account, whoever owns it. The caller of this method checks access.
    async fn profile(&self, id: &AccountId) -> Result<Option<AccountProfile>, StoreError>;

    /// Lists the accounts that the key grants access to, by id. The count ignores the page.
    async fn profiles(&self, key: &ApiKey, page: PageRequest) -> Result<Page<AccountProfile>, StoreError>;
}
