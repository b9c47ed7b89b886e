//! Who calls: API clients, their keys, scopes and accounts.

mod scope;

pub use scope::Scope;

use crate::ids::{AccountId, ApiKeyId, ClientId};
use crate::world::Timeline;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// What a process serves. Keys belong to one environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Environment {
    /// For testing: simulations work, demo data exists.
    Sandbox,
    /// For real money: no simulation, no demo data.
    Production,
}

impl Environment {
    /// The name as configured and stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Production => "production",
        }
    }

    /// The environment of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Sandbox, Self::Production].into_iter().find(|environment| environment.as_str() == name)
    }
}

/// What is off until an operator switches it on for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// `GET /addresses/lookup`.
    AddressesLookup,
}

impl Feature {
    /// All features.
    pub const ALL: [Self; 1] = [Self::AddressesLookup];

    /// The name as stored and as operators write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AddressesLookup => "addresses-lookup",
        }
    }

    /// The feature of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.as_str() == name)
    }
}

/// Someone whose programs call the API: holds keys, owns accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiClient {
    /// Its id.
    pub id: ClientId,
    /// The operator's name for it.
    pub name: String,
    /// The networks (CIDR) it may call from; empty: any.
    pub allowed_networks: Vec<String>,
    /// What is switched on for it.
    pub features: BTreeSet<Feature>,
}

/// The SHA-256 of a key: all that is stored of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash(pub [u8; 32]);

impl std::fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// Which accounts a key may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountGrant {
    /// Every account of the key's client, including those created later.
    AllOfClient,
    /// These, as far as they are the client's.
    Only(BTreeSet<AccountId>),
}

/// An API key without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id, which is no secret.
    pub id: ApiKeyId,
    /// The client it belongs to.
    pub client: ClientId,
    /// The environment it works in.
    pub environment: Environment,
    /// What it may do.
    pub scopes: BTreeSet<Scope>,
    /// Where it may do it.
    pub accounts: AccountGrant,
    /// When it was issued.
    pub created_at: DateTime<Utc>,
    /// From when on it does not work.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
}

impl ApiKey {
    /// Whether it opens this environment at this time.
    pub fn is_valid(&self, environment: Environment, now: DateTime<Utc>) -> bool {
        self.environment == environment
            && self.revoked_at.is_none()
            && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    /// Whether it may make and replace worlds: they are accounts of its client, and a key that was given some accounts must
    /// learn
    /// nothing of the others.
    pub fn makes_worlds(&self) -> bool {
        self.accounts == AccountGrant::AllOfClient
    }

    /// Whether it reaches an account that belongs to its client.
    pub fn reaches(&self, account: &Account) -> bool {
        account.client == self.client
            && match &self.accounts {
                AccountGrant::AllOfClient => true,
                AccountGrant::Only(accounts) => accounts.contains(&account.id),
            }
    }
}

/// A key with its client: who is calling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The key that was shown.
    pub key: ApiKey,
    /// The client behind it.
    pub client: ApiClient,
}

/// An account that operations work with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its short id.
    pub id: AccountId,
    /// The client that owns it.
    pub client: ClientId,
    /// Its name.
    pub name: String,
    /// Whether it has an active merchant profile.
    pub merchant: bool,
    /// Whether confirming a payment batch needs multi-factor authentication.
    pub mfa_required: bool,
    /// Its time, and what its ids follow from.
    pub timeline: Timeline,
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use uuid::Uuid;

    fn key() -> ApiKey {
        ApiKey {
            id: ApiKeyId(Uuid::from_u128(1)),
            client: ClientId(Uuid::from_u128(2)),
            environment: Environment::Sandbox,
            scopes: BTreeSet::new(),
            accounts: AccountGrant::AllOfClient,
            created_at: DateTime::UNIX_EPOCH,
            expires_at: None,
            revoked_at: None,
        }
    }

    #[test]
    fn a_key_ends_at_its_expiry_and_knows_its_environment() {
        let now = DateTime::UNIX_EPOCH;
        assert!(key().is_valid(Environment::Sandbox, now));
        assert!(!key().is_valid(Environment::Production, now));
        assert!(!ApiKey { revoked_at: Some(now), ..key() }.is_valid(Environment::Sandbox, now));
        let expiring = ApiKey { expires_at: Some(now), ..key() };
        assert!(!expiring.is_valid(Environment::Sandbox, now));
        assert!(expiring.is_valid(Environment::Sandbox, now - TimeDelta::seconds(1)));
    }

    #[test]
    fn a_listed_account_of_another_client_is_out_of_reach() {
        let id = AccountId::parse("F1").unwrap();
        let account = |client| Account {
            id: id.clone(),
            client: ClientId(Uuid::from_u128(client)),
            name: String::new(),
            merchant: false,
            mfa_required: true,
            timeline: Timeline::default(),
        };
        let listed = ApiKey { accounts: AccountGrant::Only(BTreeSet::from([id.clone()])), ..key() };
        assert!(listed.reaches(&account(2)));
        assert!(!listed.reaches(&account(3)));
        assert!(!ApiKey { accounts: AccountGrant::Only(BTreeSet::new()), ..key() }.reaches(&account(2)));
    }
}
