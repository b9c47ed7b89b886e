//! Cache of callers and accounts in front of a store.
//!
//! Every request looks up its caller and its account, which costs a store one or two round trips each. At thousands of
//! requests per second, these lookups are most of the store's reads, and nearly all return the same answers.
//!
//! Cached answers are at most [`STALENESS`](florin_short_cache::STALENESS) old. Absence is never cached. The cache does
//! not check the expiry of a key; every request does.

use async_trait::async_trait;
use florin_domain::access::{Account, Caller, KeyHash};
use florin_domain::ids::AccountId;
use florin_ports::{Accounts, Callers, StoreError};
use florin_short_cache::ShortCache;
use std::fmt;
use std::sync::Arc;

/// Maximum number of cached callers, and of cached accounts. A caller occupies about 1 KiB.
const MAX: u64 = 10_000;

macro_rules! remembered {
    ($($(#[$doc:meta])* $name:ident: $port:ident finds $value:ty, by $key:ty $(, and $forgets:ident)?;)*) => {$(
        $(#[$doc])*
        pub struct $name {
            inner: Arc<dyn $port>,
            recent: ShortCache<$key, $value, StoreError>,
        }

        impl $name {
            /// Creates a cache in front of `inner`.
            pub fn new(inner: Arc<dyn $port>) -> Self {
                Self { inner, recent: ShortCache::new(MAX) }
            }
        }

        #[async_trait]
        impl $port for $name {
            async fn find(&self, key: &$key) -> Result<Option<$value>, StoreError> {
                self.recent.get(key, || self.inner.find(key)).await
            }

            $(
                fn $forgets(&self, key: &$key) {
                    self.recent.forget(key);
                    self.inner.$forgets(key);
                }
            )?
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

remembered! {
    /// Caches callers in front of a store.
    CachedCallers: Callers finds Caller, by KeyHash;
    /// Caches accounts in front of a store.
    CachedAccounts: Accounts finds Account, by AccountId, and forget;
}

#[cfg(test)]
mod tests;
