//! Bugs in the profiles of accounts, and in the networks that clients may call from.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use florin_domain::access::{AccountGrant, AccountProfile, AllowedNetwork, ApiKey, NetworkRefusal};
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{AccountProfiles, ClientNetworks, Decide, StoreError, WriteError};
use std::sync::Arc;

#[async_trait]
impl AccountProfiles for Mutant {
    async fn profile(&self, id: &AccountId) -> Result<Option<AccountProfile>, StoreError> {
        self.inner.profile(id).await
    }

    async fn profiles(&self, key: &ApiKey, page: PageRequest) -> Result<Page<AccountProfile>, StoreError> {
        let mut key = key.clone();
        if self.has(Bug::GrantsOfKeysIgnored) {
            key.accounts = AccountGrant::AllOfClient;
        }
        self.inner.profiles(&key, page).await
    }
}

#[async_trait]
impl ClientNetworks for Mutant {
    async fn networks(&self, client: ClientId) -> Result<Vec<AllowedNetwork>, StoreError> {
        self.inner.networks(client).await
    }

    async fn change_networks(
        &self,
        client: ClientId,
        decide: Decide<Vec<AllowedNetwork>, Result<Vec<AllowedNetwork>, NetworkRefusal>>,
    ) -> Result<Vec<AllowedNetwork>, WriteError<NetworkRefusal>> {
        if self.has(Bug::DescriptionsLost) {
            let without = |entry: AllowedNetwork| AllowedNetwork { description: None, ..entry };
            let decide =
                Arc::new(move |listed: &Vec<AllowedNetwork>| Ok(decide(listed)?.into_iter().map(without).collect()));
            return self.inner.change_networks(client, decide).await;
        }
        if self.is_second && self.has(Bug::NetworksPerHandle) {
            let decide = Arc::new(move |listed: &Vec<AllowedNetwork>| decide(&listed[..2].to_vec()));
            return self.inner.change_networks(client, decide).await;
        }
        self.inner.change_networks(client, decide).await
    }
}
