//! Fixed API keys. Because they are public, production refuses them.

use super::ids::{Kind, client_id, id, other_client_id};
use chrono::{DateTime, Utc};
use florin_domain::access::{AccountGrant, ApiKey, Environment, Scope};
use florin_domain::ids::{ApiKeyId, ClientId};
use florin_domain::secret::Secret;
use florin_ports::SeedKey;
use std::collections::BTreeSet;

/// The demo client's key, with every scope.
pub const API_KEY: &str = "florin_sandbox_de30000000000000000000000000000000000000000000000000000000050091";
/// A key of the demo client without scopes.
pub const LIMITED_API_KEY: &str = "florin_sandbox_de30000000000000000000000000000000000000000000000000000000000000";
/// The other client's key, with every scope.
pub const OTHER_API_KEY: &str = "florin_sandbox_de30000000000000000000000000000000000000000000000000000000060017";

/// The TOTP secret of the demo account's enrolment.
pub fn totp_secret() -> Secret {
    Secret::new(b"florin-demo-totp-key".to_vec())
}

/// The keys with their hashes.
pub(super) fn keys(created_at: DateTime<Utc>) -> Vec<SeedKey> {
    let all: BTreeSet<Scope> = Scope::ALL.iter().copied().collect();
    let key = |number, text, client: ClientId, scopes| {
        let key = ApiKey {
            id: ApiKeyId(id(Kind::Key, number)),
            client,
            environment: Environment::Sandbox,
            scopes,
            accounts: AccountGrant::AllOfClient,
            created_at,
            expires_at: None,
            revoked_at: None,
            made_by: None,
            replaced_by: None,
            last_used_at: None,
        };
        SeedKey { key, hash: crate::key_hash(text) }
    };
    vec![
        key(1, API_KEY, client_id(), all.clone()),
        key(2, LIMITED_API_KEY, client_id(), BTreeSet::new()),
        key(3, OTHER_API_KEY, other_client_id(), all),
    ]
}
