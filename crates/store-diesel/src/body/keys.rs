//! Clients, keys and accounts as rows.

use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::names::Name;
use super::statements::insert;
use super::tables::access::{AccountRow, ClientRow, client_features};
use super::tables::keys::{KeyAccountRow, KeyRow, api_key_accounts};
use super::types::{Account, Bytes, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::access::{self, AccountGrant, ApiClient, ApiKey, Feature, KeyHash, Scope};
use florin_domain::ids::{AccountId, ApiKeyId, ClientId};
use std::collections::{BTreeMap, BTreeSet};

impl ClientRow {
    /// Builds the row of a client. Its features have rows of their own.
    pub(crate) fn of(client: &ApiClient) -> Outcome<Self> {
        let allowed_networks = joined(client.allowed_networks.iter().map(String::as_str))?;
        Ok(Self {
            id: Id(client.id.0),
            name: client.name.clone(),
            allowed_networks,
            disabled_at: client.disabled_at.map(Time),
            network_details: None,
        })
    }

    /// Returns the client's id.
    pub(crate) const fn id(&self) -> ClientId {
        ClientId(self.id.0)
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self, features: BTreeSet<Feature>) -> ApiClient {
        let allowed_networks = self.allowed_networks.split_whitespace().map(str::to_owned).collect();
        let disabled_at = self.disabled_at.map(|time| time.0);
        ApiClient { id: self.id(), name: self.name, allowed_networks, features, disabled_at }
    }
}

/// Returns the enabled features of one client, or of all.
pub(crate) fn features(conn: &mut Conn, client: Option<ClientId>) -> Outcome<BTreeMap<ClientId, BTreeSet<Feature>>> {
    let mut query = client_features::table.into_boxed();
    if let Some(client) = client {
        query = query.filter(client_features::client_id.eq(Id(client.0)));
    }
    let mut features: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (client, feature) in query.load::<(Id, Named<Feature>)>(conn)? {
        features.entry(ClientId(client.0)).or_default().insert(feature.0);
    }
    Ok(features)
}

impl KeyRow {
    /// Builds the row of a key. Its accounts have rows of their own.
    pub(crate) fn of(key: &ApiKey, hash: &KeyHash) -> Outcome<Self> {
        Ok(Self {
            id: Id(key.id.0),
            client_id: Id(key.client.0),
            hash: Bytes(hash.0.to_vec()),
            hash_tag: tag(hash),
            environment: Named(key.environment),
            scopes: joined(key.scopes.iter().map(|scope| scope.as_str()))?,
            every_account: key.accounts == AccountGrant::AllOfClient,
            created_at: Time(key.created_at),
            expires_at: key.expires_at.map(Time),
            revoked_at: key.revoked_at.map(Time),
            made_by: key.made_by.map(|maker| Id(maker.0)),
            last_used_at: key.last_used_at.map(Time),
            replaced_by: key.replaced_by.map(|successor| Id(successor.0)),
        })
    }

    /// Converts the row to the domain. `listed` reads the accounts that the key lists.
    pub(crate) fn read(
        self,
        listed: impl FnOnce(ClientId, ApiKeyId) -> Outcome<BTreeSet<AccountId>>,
    ) -> Outcome<ApiKey> {
        let (client, id) = (ClientId(self.client_id.0), ApiKeyId(self.id.0));
        let scope = |text| Scope::named(text).ok_or_else(|| corrupt(format!("`{text}` is not a scope")));
        Ok(ApiKey {
            id,
            client,
            environment: self.environment.0,
            scopes: self.scopes.split_whitespace().map(scope).collect::<Outcome<_>>()?,
            accounts: if self.every_account {
                AccountGrant::AllOfClient
            } else {
                AccountGrant::Only(listed(client, id)?)
            },
            created_at: self.created_at.0,
            expires_at: self.expires_at.map(|time| time.0),
            revoked_at: self.revoked_at.map(|time| time.0),
            made_by: self.made_by.map(|maker| ApiKeyId(maker.0)),
            last_used_at: self.last_used_at.map(|time| time.0),
            replaced_by: self.replaced_by.map(|successor| ApiKeyId(successor.0)),
        })
    }
}

/// Stores a new key with the accounts it lists. Foreign keys ensure that the accounts belong to the key's client.
pub(crate) fn insert_key(conn: &mut Conn, key: &ApiKey, hash: &KeyHash) -> Outcome<()> {
    insert(vec![KeyRow::of(key, hash)?], conn)?;
    let AccountGrant::Only(accounts) = &key.accounts else { return Ok(()) };
    let row = |account: &AccountId| KeyAccountRow {
        client_id: Id(key.client.0),
        key_id: Id(key.id.0),
        account_id: Account(account.clone()),
    };
    insert(accounts.iter().map(row).collect(), conn)
}

/// Returns the number by which a hash is looked up. Numbers are compared in one step, so the time of a lookup does not
/// reveal how many bytes of a guess are right.
pub(crate) fn tag(hash: &KeyHash) -> i64 {
    hash.0.iter().take(8).fold(0, |tag, byte| (tag << 8) | i64::from(*byte))
}

/// Returns the accounts that a key lists, by key: for one key, or for all keys if `key` is `None`.
pub(crate) fn listed_accounts(
    conn: &mut Conn,
    key: Option<(ClientId, ApiKeyId)>,
) -> Outcome<BTreeMap<ApiKeyId, BTreeSet<AccountId>>> {
    let mut query =
        api_key_accounts::table.select((api_key_accounts::key_id, api_key_accounts::account_id)).into_boxed();
    if let Some((client, key)) = key {
        query = query.filter(api_key_accounts::client_id.eq(Id(client.0)).and(api_key_accounts::key_id.eq(Id(key.0))));
    }
    let mut accounts: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (key, account) in query.load::<(Id, Account)>(conn)? {
        accounts.entry(ApiKeyId(key.0)).or_default().insert(account.0);
    }
    Ok(accounts)
}

impl From<&access::Account> for AccountRow {
    fn from(account: &access::Account) -> Self {
        Self {
            id: Account(account.id.clone()),
            client_id: Id(account.client.0),
            name: account.name.clone(),
            merchant: account.merchant,
            mfa_required: account.mfa_required,
            unique_budget_names: account.unique_budget_names,
        }
    }
}

/// Joins words with spaces.
pub(crate) fn joined<'a>(words: impl Iterator<Item = &'a str>) -> Outcome<String> {
    let words: Vec<_> = words.collect();
    match words.iter().find(|word| word.is_empty() || word.contains(char::is_whitespace)) {
        Some(word) => Err(corrupt(format!("`{word}` is empty or has blanks"))),
        None => Ok(words.join(" ")),
    }
}
