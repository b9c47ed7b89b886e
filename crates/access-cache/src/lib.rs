//! Caches callers and accounts in front of a store.
//!
//! Every request looks up its caller and its account, which costs a store one or two round trips each. At thousands of
//! requests per second, these lookups are most of the store's reads, and nearly all return the same answers.
//!
//! A caller must not learn from the duration of a request whether an account of another client exists. So a cached
//! account saves the lookup only for callers with access to it. For any other account, existing or not, the store is
//! always asked once. If a key is restricted to a list of accounts, the store is never asked for accounts outside the
//! list.
//!
//! Cached answers are at most [`MAX_CACHE_AGE`](florin_short_cache::MAX_CACHE_AGE) old. Absence is never cached.
//! The cache does not check the expiry of a key; every request does.

use async_trait::async_trait;
use florin_domain::access::{Account, ApiClient, ApiKey, Caller, KeyHash};
use florin_domain::ids::{AccountId, ClientId};
use florin_ports::{Accounts, Callers, StoreError};
use florin_short_cache::ShortCache;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum number of cached callers, and of cached accounts. A caller occupies about 1 KiB.
const MAX: u64 = 10_000;

macro_rules! cached_port {
    ($($(#[$doc:meta])* $name:ident: $port:ident finds $value:ty, by $key:ty $(, and { $($more:tt)* })?;)*) => {$(
        $(#[$doc])*
        pub struct $name {
            inner: Arc<dyn $port>,
            cache: ShortCache<$key, $value, StoreError>,
        }

        impl $name {
            /// Creates a cache in front of `inner`.
            pub fn new(inner: Arc<dyn $port>) -> Self {
                Self { inner, cache: ShortCache::new(MAX) }
            }
        }

        #[async_trait]
        impl $port for $name {
            async fn find(&self, key: &$key) -> Result<Option<$value>, StoreError> {
                self.cache.get(key, || self.inner.find(key)).await
            }

            $($($more)*)?
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

cached_port! {
    /// Caches callers in front of a store.
    CachedCallers: Callers finds Caller, by KeyHash, and {
        async fn find_uncached(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError> {
            self.inner.find_uncached(hash).await
        }
    };
    /// Caches accounts in front of a store.
    CachedAccounts: Accounts finds Account, by AccountId, and {
        async fn reach(&self, key: &ApiKey, id: &AccountId) -> Result<Option<Account>, StoreError> {
            if !key.names(id) {
                return Ok(None);
            }
            let was_asked = AtomicBool::new(false);
            let ask = || {
                was_asked.store(true, Ordering::Relaxed);
                self.inner.find(id)
            };
            let found = self.cache.get(id, ask).await?;
            let is_foreign = found.as_ref().is_some_and(|account| !key.reaches(account));
            if is_foreign && !was_asked.load(Ordering::Relaxed) {
                self.inner.find(id).await?;
            }
            Ok(found.filter(|_| !is_foreign))
        }

        async fn client(&self, id: ClientId) -> Result<Option<ApiClient>, StoreError> {
            self.inner.client(id).await
        }

        fn forget(&self, id: &AccountId) {
            self.cache.forget(id);
            self.inner.forget(id);
        }
    };
}

#[cfg(test)]
mod tests;
