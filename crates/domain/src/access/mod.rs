//! Callers of the API: clients, their keys, scopes and accounts.

mod environment;
mod networks;
mod rotation;
mod scope;

pub use environment::Environment;
pub use networks::{
    AllowedNetwork, MAX_NETWORKS, NetworkRefusal, NewNetwork, decide_add_network, decide_remove_network,
};
pub use rotation::{EXPIRES_SOON, KeyRotation, RotateRefusal};
pub use scope::Scope;

use crate::card::DecisionEndpoint;
use crate::ids::{AccountId, ApiKeyId, ClientId};
use crate::money::Currency;
use crate::world::Timeline;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use std::sync::Arc;

/// An optional feature. It is off until an operator enables it for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// `GET /addresses/lookup`.
    AddressesLookup,
    /// `GET /events` and its stream. In the sandbox, every client has this feature.
    Events,
}

impl Feature {
    /// All features.
    pub const ALL: [Self; 2] = [Self::AddressesLookup, Self::Events];

    /// Returns the name that is stored and that operators use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AddressesLookup => "addresses-lookup",
            Self::Events => "events",
        }
    }

    /// Returns whether a client has the feature in an environment. In the sandbox, every client has [`Self::Events`].
    pub fn is_enabled(self, client: &ApiClient, environment: Environment) -> bool {
        (self == Self::Events && environment == Environment::Sandbox) || client.features.contains(&self)
    }

    /// Parses the name of a feature.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.as_str() == name)
    }
}

/// A client of the API: a program or company that owns keys and accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiClient {
    /// Its id.
    pub id: ClientId,
    /// The name that the operator gave it.
    pub name: String,
    /// The networks (CIDR) that it may call from. Empty: any network.
    pub allowed_networks: Vec<String>,
    /// The features that are enabled for it.
    pub features: BTreeSet<Feature>,
    /// When it was disabled. `None`: it is enabled. The keys of a disabled client are invalid.
    pub disabled_at: Option<DateTime<Utc>>,
}

/// A change of a client. A `None` field does not change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientChange {
    /// The new name.
    pub name: Option<String>,
    /// The new networks (CIDR) that it may call from. Empty: any network.
    pub allowed_networks: Option<Vec<String>>,
}

/// The SHA-256 of an API key. Only this hash of a key is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash(pub [u8; 32]);

impl std::fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// The accounts that a key may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountGrant {
    /// Every account of the key's client, including those created later.
    AllOfClient,
    /// These accounts, if the client owns them.
    Only(BTreeSet<AccountId>),
}

/// An API key without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id, which is public.
    pub id: ApiKeyId,
    /// The client that owns it.
    pub client: ClientId,
    /// The environment that it is valid in.
    pub environment: Environment,
    /// Its scopes.
    pub scopes: BTreeSet<Scope>,
    /// The accounts that it grants access to.
    pub accounts: AccountGrant,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires: from this time on it is invalid. `None`: it never expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was revoked. `None`: it is not revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// For the key of a world: the key that created the world. If that key is revoked, this one is revoked, too.
    pub made_by: Option<ApiKeyId>,
    /// The key that replaced it in a rotation. `None`: it was not rotated.
    pub replaced_by: Option<ApiKeyId>,
    /// When it was last used, to about a minute. `None`: no use was recorded.
    pub last_used_at: Option<DateTime<Utc>>,
}

impl ApiKey {
    /// Returns whether the key is valid in this environment at this time.
    pub fn is_valid(&self, environment: Environment, now: DateTime<Utc>) -> bool {
        self.environment == environment
            && self.revoked_at.is_none()
            && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    /// Returns whether the key grants access to every account of its client. Only a key with this access can create
    /// worlds and change the client's networks. A key for some accounts must not learn anything about other accounts,
    /// and must not affect them.
    pub fn reaches_all_accounts(&self) -> bool {
        self.accounts == AccountGrant::AllOfClient
    }

    /// Returns whether the key grants access to an account, which must belong to the client of the key.
    pub fn reaches(&self, account: &Account) -> bool {
        account.client == self.client && self.may_reach(&account.id)
    }

    /// Returns whether the key may come from an earlier world with the id of this account. Worlds of a client with the
    /// same seed have the same account id, so a cached key that lists the id can outlive its world. Keys for all
    /// accounts of a client list no accounts.
    pub fn may_outlive(&self, account: &Account) -> bool {
        let can_be_replaced = account.epoch != 0 && account.timeline.seed.is_some();
        can_be_replaced && !self.reaches_all_accounts()
    }

    /// Returns whether the key is restricted to a list of accounts that may contain a world. Worlds exist in the
    /// sandbox only, and a world leaves the list as soon as it is deleted or replaced.
    pub fn may_list_worlds(&self) -> bool {
        self.environment == Environment::Sandbox && !self.reaches_all_accounts()
    }

    /// Returns whether the key grants access to the account with this id, provided that its client owns the account.
    pub fn may_reach(&self, account: &AccountId) -> bool {
        match &self.accounts {
            AccountGrant::AllOfClient => true,
            AccountGrant::Only(accounts) => accounts.contains(account),
        }
    }
}

/// The caller of a request: a key with its client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The key that the caller presented.
    pub key: Arc<ApiKey>,
    /// The client that owns the key.
    pub client: Arc<ApiClient>,
}

impl Caller {
    /// Creates the caller that presented a key of a client.
    pub fn new(key: ApiKey, client: ApiClient) -> Self {
        Self { key: Arc::new(key), client: Arc::new(client) }
    }

    /// Returns whether the key is valid in this environment at this time, and its client is enabled.
    pub fn is_valid(&self, environment: Environment, now: DateTime<Utc>) -> bool {
        self.client.disabled_at.is_none() && self.key.is_valid(environment, now)
    }
}

/// An account: the unit of isolation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its short id.
    pub id: AccountId,
    /// The client that owns it.
    pub client: ClientId,
    /// Its name.
    pub name: String,
    /// Whether it has a merchant profile.
    pub merchant: bool,
    /// Whether the confirmation of a payment batch requires multi-factor authentication.
    pub mfa_required: bool,
    /// Whether the names of its budgets must be unique. Budgets that had the same name before keep it.
    pub unique_budget_names: bool,
    /// Its timeline: its clock, and the source of its ids.
    pub timeline: Timeline,
    /// The endpoint that decides on its card messages. `None`: it has no endpoint.
    pub decision_endpoint: Option<Arc<DecisionEndpoint>>,
    /// The epoch of a world. Its creation and each restore begin a new epoch. 0: the account is no world.
    pub epoch: i64,
}

/// An account as `GET /v2/accounts` shows it to its client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountProfile {
    /// The account.
    pub account: Account,
    /// When it was created. `None`: an early version of Florin created it without recording the time.
    pub opened_at: Option<DateTime<Utc>>,
    /// The currencies that its parent budget holds, by code.
    pub currencies: Vec<Currency>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::WorldSeed;
    use chrono::TimeDelta;
    use uuid::Uuid;

    fn key() -> ApiKey {
        crate::test_support::an_api_key(DateTime::UNIX_EPOCH)
    }

    #[test]
    fn a_key_is_valid_in_its_environment_until_it_expires_or_is_revoked() {
        let now = DateTime::UNIX_EPOCH;
        assert!(key().is_valid(Environment::Sandbox, now));
        assert!(!key().is_valid(Environment::Production, now));
        assert!(!ApiKey { revoked_at: Some(now), ..key() }.is_valid(Environment::Sandbox, now));
        let expiring = ApiKey { expires_at: Some(now), ..key() };
        assert!(!expiring.is_valid(Environment::Sandbox, now));
        assert!(expiring.is_valid(Environment::Sandbox, now - TimeDelta::seconds(1)));
    }

    fn account(client: u128) -> Account {
        let client = ClientId(Uuid::from_u128(client));
        Account { client, ..crate::test_support::an_account(AccountId::parse("F1").unwrap()) }
    }

    fn key_of_one_account() -> ApiKey {
        ApiKey { accounts: AccountGrant::Only(BTreeSet::from([account(2).id])), ..key() }
    }

    #[test]
    fn a_listed_account_of_another_client_is_out_of_reach() {
        assert!(key_of_one_account().may_list_worlds());
        assert!(key_of_one_account().reaches(&account(2)));
        assert!(!key_of_one_account().reaches(&account(3)));
        assert!(!ApiKey { accounts: AccountGrant::Only(BTreeSet::new()), ..key() }.reaches(&account(2)));
    }

    #[test]
    fn only_a_key_that_lists_a_world_with_a_seed_may_outlive_it() {
        let seeded = Timeline { seed: Some(WorldSeed([1; 32])), ..Timeline::default() };
        let world = Account { timeline: seeded.clone(), epoch: 1, ..account(2) };
        assert!(key_of_one_account().may_outlive(&world));
        assert!(!key().may_outlive(&world), "a key for all accounts lists no world");
        let without_seed = Account { epoch: 1, ..account(2) };
        assert!(!key_of_one_account().may_outlive(&without_seed), "no other world gets the same id");
        assert!(
            !key_of_one_account().may_outlive(&Account { timeline: seeded, ..account(2) }),
            "the account is no world"
        );
    }
}
