//! Clients, accounts, keys and other records that an operator manages, and the upkeep of keys.

use crate::MemoryStore;
use crate::budgets;
use crate::data::{Data, add, must_exist};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::{
    Account, AccountGrant, ApiClient, ApiKey, ClientChange, Feature, KeyHash, KeyRotation, RotateRefusal,
};
use florin_domain::address::{Address, UkPostcode};
use florin_domain::budget::BudgetRecord;
use florin_domain::ids::{AccountId, ApiKeyId, ClientId};
use florin_domain::merchant::Bank;
use florin_domain::mfa::TotpEnrolment;
use florin_domain::world::Timeline;
use florin_ports::{Decide, KeyUpkeep, KeyUse, Registry, StoreError, WriteError};

#[async_trait]
impl Registry for MemoryStore {
    async fn clients(&self) -> Result<Vec<ApiClient>, StoreError> {
        let mut clients: Vec<_> = self.read(|data| data.clients.values().cloned().collect());
        clients.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
        Ok(clients)
    }

    async fn add_client(&self, client: ApiClient) -> Result<(), StoreError> {
        self.change(|data| insert_client(data, client))
    }

    async fn change_client(&self, client: ClientId, change: ClientChange) -> Result<(), StoreError> {
        self.change(|data| {
            let client = client_of(data, client)?;
            client.name = change.name.unwrap_or_else(|| client.name.clone());
            client.allowed_networks = change.allowed_networks.unwrap_or_else(|| client.allowed_networks.clone());
            Ok(())
        })
    }

    async fn set_disabled(&self, client: ClientId, at: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        self.change(|data| {
            let client = client_of(data, client)?;
            client.disabled_at = at.map(|at| client.disabled_at.unwrap_or(at));
            Ok(())
        })
    }

    async fn set_feature(&self, client: ClientId, feature: Feature, on: bool) -> Result<(), StoreError> {
        self.change(|data| {
            let features = &mut client_of(data, client)?.features;
            if on {
                features.insert(feature)
            } else {
                features.remove(&feature)
            };
            Ok(())
        })
    }

    async fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        Ok(self.read(|data| data.accounts.values().cloned().collect()))
    }

    async fn add_account(&self, account: Account, parent: BudgetRecord) -> Result<(), StoreError> {
        self.change(|data| {
            insert_account(data, account)?;
            budgets::insert(data, parent)
        })
    }

    async fn rename_account(&self, account: &AccountId, name: String) -> Result<(), StoreError> {
        self.change(|data| {
            account_of(data, account)?.name = name;
            Ok(())
        })
    }

    async fn set_unique_budget_names(&self, account: &AccountId, unique: bool) -> Result<(), StoreError> {
        self.change(|data| {
            account_of(data, account)?.unique_budget_names = unique;
            Ok(())
        })
    }

    async fn set_mfa_required(&self, account: &AccountId, required: bool) -> Result<(), StoreError> {
        self.change(|data| {
            account_of(data, account)?.mfa_required = required;
            Ok(())
        })
    }

    async fn enrol(&self, enrolment: TotpEnrolment) -> Result<(), StoreError> {
        self.change(|data| {
            must_exist(data.accounts.contains_key(&enrolment.account), &enrolment.account)?;
            data.enrolments.insert(enrolment.account.clone(), enrolment);
            Ok(())
        })
    }

    async fn remove_enrolment(&self, account: &AccountId) -> Result<bool, StoreError> {
        self.change(|data| {
            must_exist(data.accounts.contains_key(account), account)?;
            Ok(data.enrolments.remove(account).is_some())
        })
    }

    async fn unlock_enrolment(&self, account: &AccountId) -> Result<bool, StoreError> {
        self.change(|data| {
            must_exist(data.accounts.contains_key(account), account)?;
            let Some(enrolment) = data.enrolments.get_mut(account) else { return Ok(false) };
            *enrolment = enrolment.unlocked();
            Ok(true)
        })
    }

    async fn keys(&self, client: Option<ClientId>) -> Result<Vec<ApiKey>, StoreError> {
        let keys = self.read(|data| data.keys.values().map(|(key, _)| key.clone()).collect::<Vec<_>>());
        let mut keys: Vec<_> =
            keys.into_iter().filter(|key| client.is_none_or(|client| key.client == client)).collect();
        keys.sort_by_key(|key| (key.created_at, key.id));
        Ok(keys)
    }

    async fn add_key(&self, key: ApiKey, hash: KeyHash) -> Result<(), StoreError> {
        self.change(|data| insert_key(data, key, hash))
    }

    async fn revoke_key(&self, key: ApiKeyId, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.change(|data| {
            must_exist(data.keys.contains_key(&key), &key)?;
            for (other, _) in data.keys.values_mut() {
                if other.id == key || other.made_by == Some(key) {
                    other.revoked_at.get_or_insert(at);
                }
            }
            Ok(())
        })
    }

    async fn rotate_key(
        &self,
        key: ApiKeyId,
        hash: KeyHash,
        decide: Decide<ApiKey, Result<KeyRotation, RotateRefusal>>,
    ) -> Result<KeyRotation, WriteError<RotateRefusal>> {
        self.decide(|data| {
            let (known, _) = data.keys.get(&key).ok_or(WriteError::Absent)?;
            let rotation = decide(known).map_err(WriteError::Refused)?;
            insert_key(data, rotation.successor.clone(), hash)?;
            for (other, _) in data.keys.values_mut() {
                if other.id == key {
                    other.expires_at = Some(rotation.ends_at);
                    other.replaced_by = Some(rotation.successor.id);
                }
                if other.made_by == Some(key) {
                    other.made_by = Some(rotation.successor.id);
                }
            }
            Ok(rotation)
        })
    }

    async fn replace_banks(&self, banks: Vec<Bank>) -> Result<(), StoreError> {
        self.change(|data| {
            data.banks.clear();
            banks.into_iter().try_for_each(|bank| add(&mut data.banks, bank.id.clone(), bank))
        })
    }

    async fn replace_addresses(&self, addresses: Vec<Address>) -> Result<(), StoreError> {
        let normalized = |address: Address| {
            let postcode = UkPostcode::parse(&address.postcode);
            let postcode = postcode
                .map_err(|_| StoreError::Corrupt(format!("`{}` is not a UK postcode", address.postcode)))?
                .to_string();
            Ok(Address { postcode, ..address })
        };
        let addresses = addresses.into_iter().map(normalized).collect::<Result<_, StoreError>>()?;
        self.change(|data| {
            data.addresses = addresses;
            Ok(())
        })
    }
}

#[async_trait]
impl KeyUpkeep for MemoryStore {
    async fn record_uses(&self, uses: Vec<KeyUse>) -> Result<(), StoreError> {
        self.change(|data| {
            for KeyUse { key, at } in uses {
                if let Some((key, _)) = data.keys.get_mut(&key) {
                    key.last_used_at = key.last_used_at.max(Some(at));
                }
            }
            Ok(())
        })
    }

    async fn expiring(&self, from: DateTime<Utc>, until: DateTime<Utc>, max: u32) -> Result<Vec<ApiKey>, StoreError> {
        Ok(self.read(|data| {
            let is_enabled = |id: &ClientId| data.clients.get(id).is_some_and(|client| client.disabled_at.is_none());
            let in_use = |key: &&ApiKey| {
                let is_of_world = key.made_by.is_some();
                let is_replaced = key.replaced_by.is_some();
                key.revoked_at.is_none() && !is_of_world && !is_replaced && is_enabled(&key.client)
            };
            let ends = |key: &&ApiKey| key.expires_at.is_some_and(|end| from < end && end <= until);
            let mut keys: Vec<_> =
                data.keys.values().map(|(key, _)| key).filter(in_use).filter(ends).cloned().collect();
            keys.sort_by_key(|key| (key.expires_at, key.id));
            keys.truncate(usize::try_from(max).unwrap_or(usize::MAX));
            keys
        }))
    }
}

fn client_of(data: &mut Data, client: ClientId) -> Result<&mut ApiClient, StoreError> {
    data.clients.get_mut(&client).ok_or_else(|| StoreError::NotFound(format!("client {client}")))
}

fn account_of<'d>(data: &'d mut Data, account: &AccountId) -> Result<&'d mut Account, StoreError> {
    data.accounts.get_mut(account).ok_or_else(|| StoreError::NotFound(format!("account {account}")))
}

/// Stores a new client.
pub(crate) fn insert_client(data: &mut Data, client: ApiClient) -> Result<(), StoreError> {
    add(&mut data.clients, client.id, client)
}

/// Stores a new account of an existing client, without its parent budget.
pub(crate) fn insert_account(data: &mut Data, account: Account) -> Result<(), StoreError> {
    must_exist(data.clients.contains_key(&account.client), &account.client)?;
    if account.timeline != Timeline::default() {
        data.id_counters.entry(account.id.clone()).or_default();
    }
    add(&mut data.accounts, account.id.clone(), account)
}

/// Stores a new key of an existing client, for accounts of that client. A hash must belong to only one key.
pub(crate) fn insert_key(data: &mut Data, key: ApiKey, hash: KeyHash) -> Result<(), StoreError> {
    must_exist(data.clients.contains_key(&key.client), &key.client)?;
    if let AccountGrant::Only(accounts) = &key.accounts {
        for id in accounts {
            let owner = data.accounts.get(id).map(|account| account.client);
            must_exist(owner == Some(key.client), id)?;
        }
    }
    if data.keys.values().any(|(_, known)| *known == hash) {
        return Err(StoreError::Duplicate("the hash of a key".into()));
    }
    add(&mut data.keys, key.id, (key, hash))
}
