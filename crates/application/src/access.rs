//! Identifies callers, and checks that they meet the requirements of an operation (contract 1.1, 1.2).

use crate::{Services, covers};
use florin_domain::access::{Account, AccountGrant, Caller, Environment, Feature, KeyHash, Scope};
use florin_domain::ids::{AccountId, ApiKeyId};
use florin_ports::StoreError;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// The requirements of an operation on its caller.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// The scope that the key must have.
    pub scope: Scope,
    /// Whether the operation exists in the sandbox only.
    pub sandbox_only: bool,
    /// The feature that must be on for the client. `None`: the operation belongs to no feature.
    pub feature: Option<Feature>,
}

impl Requirement {
    /// An operation that requires a scope and nothing else.
    pub const fn of(scope: Scope) -> Self {
        Self { scope, sandbox_only: false, feature: None }
    }

    /// An operation of the sandbox that requires a scope.
    pub const fn sandbox(scope: Scope) -> Self {
        Self { scope, sandbox_only: true, feature: None }
    }
}

/// Reasons to reject a caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// The key is malformed, unknown, expired, revoked, of a disabled client or of another environment. The caller does
    /// not learn which.
    #[error("the credentials are not valid")]
    InvalidCredentials {
        /// The id of the key if it exists. `None`: the key is malformed or unknown.
        key: Option<ApiKeyId>,
    },
    /// The key lacks a scope.
    #[error("the scope {0} is missing")]
    InsufficientScope(Scope),
    /// The operation requires a key for all accounts of its client, but the key is restricted to some of them.
    #[error("the key does not reach every account of its client")]
    KeyOfSomeAccounts,
    /// The operation exists in the sandbox only.
    #[error("sandbox only")]
    SandboxOnly,
    /// The feature is off for this client.
    #[error("{} is not enabled", .0.as_str())]
    FeatureNotEnabled(Feature),
    /// The client may not call from this network.
    #[error("calls from this address are not allowed")]
    AddressNotAllowed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Hashes a key; only the hash is stored. A key has 256 random bits, so a plain hash is enough, and the time of a
/// lookup does not reveal how much of the key was right.
pub fn key_hash(key: &str) -> KeyHash {
    KeyHash(Sha256::digest(key.as_bytes()).into())
}

/// Finds the caller of a key that is valid in this environment now.
pub async fn identify(services: &Services, key: &str) -> Result<Caller, AccessError> {
    let caller = services.callers.find(&key_hash(key)).await?;
    let now = services.time.real_now();
    match caller {
        Some(caller) if caller.is_valid(services.environment, now) => {
            services.key_uses.record(caller.key.id, now);
            Ok(caller)
        }
        caller => Err(AccessError::InvalidCredentials { key: caller.map(|caller| caller.key.id) }),
    }
}

/// Checks the scope, the environment, the feature and the network address, in this order.
pub fn permit(
    caller: &Caller,
    requirement: &Requirement,
    environment: Environment,
    peer: Option<IpAddr>,
) -> Result<(), AccessError> {
    if !caller.key.scopes.contains(&requirement.scope) {
        return Err(AccessError::InsufficientScope(requirement.scope));
    }
    if requirement.sandbox_only && environment != Environment::Sandbox {
        return Err(AccessError::SandboxOnly);
    }
    if let Some(feature) = requirement.feature.filter(|feature| !feature.is_enabled(&caller.client, environment)) {
        return Err(AccessError::FeatureNotEnabled(feature));
    }
    if may_call_from(&caller.client.allowed_networks, peer) { Ok(()) } else { Err(AccessError::AddressNotAllowed) }
}

/// Checks that the caller's key grants access to all accounts of its client. Worlds and networks require this.
pub fn permit_all_accounts(caller: &Caller) -> Result<(), AccessError> {
    if caller.key.reaches_all_accounts() { Ok(()) } else { Err(AccessError::KeyOfSomeAccounts) }
}

/// Whether the networks contain the peer. An empty list allows any peer; an unreadable network allows none.
fn may_call_from(networks: &[String], peer: Option<IpAddr>) -> bool {
    networks.is_empty() || networks.iter().any(|network| covers(network, peer))
}

/// Reasons that an account is not accessible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReachError {
    /// The account does not exist, or the key has no access to it. The caller does not learn which.
    #[error("absent")]
    Absent,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Finds the account, if the caller's key has access to it.
pub async fn reach_account(services: &Services, caller: &Caller, id: &AccountId) -> Result<Account, ReachError> {
    services.accounts.reach(&caller.key, id).await?.ok_or(ReachError::Absent)
}

/// Returns the accounts to read: `account` if it is given, else the accounts of the key. `None`: all accounts of the
/// client. The caller must have checked the access to `account`.
pub(crate) fn reached_accounts(caller: &Caller, account: Option<&AccountId>) -> Option<BTreeSet<AccountId>> {
    match (account, &caller.key.accounts) {
        (Some(account), _) => Some([account.clone()].into()),
        (None, AccountGrant::Only(accounts)) => Some(accounts.clone()),
        (None, AccountGrant::AllOfClient) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_match_ipv4_and_ipv6_networks() {
        let networks = vec!["10.1.0.0/16".to_owned(), "2001:db8::/32".to_owned()];
        let from = |peer: &str| may_call_from(&networks, Some(peer.parse().unwrap()));
        assert!(from("10.1.2.3"));
        assert!(from("::ffff:10.1.2.3"));
        assert!(from("2001:db8::1"));
        assert!(!from("10.2.0.1"));
        assert!(!may_call_from(&networks, None));
        assert!(!may_call_from(&["nonsense".to_owned()], Some("10.1.2.3".parse().unwrap())));
        assert!(may_call_from(&[], None));
    }
}
