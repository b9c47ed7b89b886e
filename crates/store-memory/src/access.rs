//! Callers and accounts.

use crate::MemoryStore;
use crate::data::Data;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::access::{
    Account, AccountProfile, AllowedNetwork, ApiClient, ApiKey, Caller, KeyHash, NetworkRefusal,
};
use florin_domain::budget::{BudgetKind, BudgetRecord};
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{AccountProfiles, Accounts, Callers, ClientNetworks, Decide, StoreError, WriteError};

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
                Some(client) => Ok(Some(Caller::new(key, client.clone()))),
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

    async fn client(&self, id: ClientId) -> Result<Option<ApiClient>, StoreError> {
        Ok(self.read(|data| data.clients.get(&id).cloned()))
    }
}

#[async_trait]
impl AccountProfiles for MemoryStore {
    async fn profile(&self, id: &AccountId) -> Result<Option<AccountProfile>, StoreError> {
        Ok(self.read(|data| data.accounts.get(id).map(|account| profile(data, account))))
    }

    async fn profiles(&self, key: &ApiKey, page: PageRequest) -> Result<Page<AccountProfile>, StoreError> {
        let reached = |account: &&Account| key.reaches(account);
        Ok(self.read(|data| {
            let found = data.accounts.values().filter(reached).map(|account| profile(data, account));
            paginate(found.collect(), page)
        }))
    }
}

/// Builds the profile of an account from the account and its parent budget.
fn profile(data: &Data, account: &Account) -> AccountProfile {
    let is_parent =
        |record: &&BudgetRecord| record.budget.account == account.id && record.kind == BudgetKind::AccountBalance;
    let parent = data.budget_records.values().find(is_parent);
    let budget = parent.and_then(|parent| data.budgets.get(&(account.id.clone(), parent.budget.id)));
    let mut currencies: Vec<_> =
        budget.map(|budget| budget.balances.iter().map(|(currency, _)| *currency).collect()).unwrap_or_default();
    currencies.sort_unstable();
    AccountProfile { account: account.clone(), opened_at: parent.and_then(|parent| parent.created_at), currencies }
}

#[async_trait]
impl ClientNetworks for MemoryStore {
    async fn networks(&self, client: ClientId) -> Result<Vec<AllowedNetwork>, StoreError> {
        Ok(self.read(|data| networks(data, client)).unwrap_or_default())
    }

    async fn change_networks(
        &self,
        client: ClientId,
        decide: Decide<Vec<AllowedNetwork>, Result<Vec<AllowedNetwork>, NetworkRefusal>>,
    ) -> Result<Vec<AllowedNetwork>, WriteError<NetworkRefusal>> {
        self.decide(|data| {
            let listed = networks(data, client).ok_or(WriteError::Absent)?;
            let changed = decide(&listed).map_err(WriteError::Refused)?;
            if let Some(client) = data.clients.get_mut(&client) {
                client.allowed_networks = changed.iter().map(|entry| entry.network.clone()).collect();
            }
            data.networks.insert(client, changed.clone());
            Ok(changed)
        })
    }
}

/// Returns the networks of a client; `None`: no such client.
fn networks(data: &Data, client: ClientId) -> Option<Vec<AllowedNetwork>> {
    let recorded = data.networks.get(&client);
    let entry = |network: &String| {
        let recorded = recorded.into_iter().flatten().find(|entry| entry.network == *network);
        recorded.cloned().unwrap_or_else(|| AllowedNetwork::of_operator(client, network.clone()))
    };
    Some(data.clients.get(&client)?.allowed_networks.iter().map(entry).collect())
}
