//! Maintenance of API keys by the server: when they were last used, and when they expire.

use crate::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::ApiKey;
use florin_domain::ids::ApiKeyId;

/// A use of a key. The order is by key, then by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyUse {
    /// The key.
    pub key: ApiKeyId,
    /// When it was used, in real time.
    pub at: DateTime<Utc>,
}

/// Records the use of keys, and finds those that expire.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait KeyUpkeep: Send + Sync {
    /// Records when keys were last used. Unknown keys, and times before the recorded one, are ignored.
    async fn record_uses(&self, uses: Vec<KeyUse>) -> Result<(), StoreError>;

    /// Returns the keys that expire after `from` and no later than `until`, earliest first, at most `max`. Excludes
    /// revoked keys, rotated keys, keys of worlds, and keys of disabled clients.
    async fn expiring(&self, from: DateTime<Utc>, until: DateTime<Utc>, max: u32) -> Result<Vec<ApiKey>, StoreError>;
}
