//! Test data: API keys.

use crate::access::{AccountGrant, ApiKey, Environment};
use crate::ids::{ApiKeyId, ClientId};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Returns a sandbox key without scopes, for all accounts of its client. It never expires.
pub fn an_api_key(created_at: DateTime<Utc>) -> ApiKey {
    ApiKey {
        id: ApiKeyId(Uuid::from_u128(1)),
        client: ClientId(Uuid::from_u128(2)),
        environment: Environment::Sandbox,
        scopes: BTreeSet::new(),
        accounts: AccountGrant::AllOfClient,
        created_at,
        expires_at: None,
        revoked_at: None,
        made_by: None,
        replaced_by: None,
        last_used_at: None,
    }
}
