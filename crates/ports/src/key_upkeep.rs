//! Upkeep of keys by the server: their last use and their end.

use crate::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::ApiKey;
use florin_domain::ids::ApiKeyId;

/// Records the use of keys, and finds those that expire.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait KeyUpkeep: Send + Sync {
    /// Records when keys were last used. An earlier time than the recorded one has no effect, nor has an unknown key.
    async fn record_uses(&self, uses: Vec<(ApiKeyId, DateTime<Utc>)>) -> Result<(), StoreError>;

    /// Returns the keys that expire after `from` and until `until`, the first to expire first, at most `max`. Without revoked
    /// keys, keys of worlds, and keys of disabled clients.
    async fn expiring(&self, from: DateTime<Utc>, until: DateTime<Utc>, max: u32) -> Result<Vec<ApiKey>, StoreError>;
}
