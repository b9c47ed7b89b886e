//! Caches callers and accounts in front of a store.
//!
//! Every request looks up its caller and its account. Each lookup costs the store one or two round trips. At thousands
//! of requests per second, these lookups are most of the store's reads, and nearly all return the same answers.
//!
//! A caller must not learn from the duration of a request whether an account of another client exists. So a cached
//! account saves the lookup only for callers with access to it. For any other account, existing or not, the store is
//! always asked once. If a key is restricted to a list of accounts, the store is never asked for accounts outside the
//! list.
//!
//! A sandbox key that is restricted to a list of accounts is looked up for each request: the list may contain a world,
//! and a world leaves the list as soon as it is deleted or replaced.
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
const MAX_CACHED: u64 = 10_000;

macro_rules! caches {
    ($($(#[$doc:meta])* $name:ident: $port:ident finds $value:ty, by $key:ty;)*) => {$(
        $(#[$doc])*
        pub struct $name {
            inner: Arc<dyn $port>,
            cache: ShortCache<$key, $value, StoreError>,
        }

        impl $name {
            /// Creates a cache in front of `inner`.
            pub fn new(inner: Arc<dyn $port>) -> Self {
                Self { inner, cache: ShortCache::new(MAX_CACHED) }
            }

            /// Returns the value, and whether this call has asked the store.
            async fn get(&self, key: &$key) -> Result<(Option<$value>, bool), StoreError> {
                let was_asked = AtomicBool::new(false);
                let ask = || {
                    was_asked.store(true, Ordering::Relaxed);
                    self.inner.find(key)
                };
                let found = self.cache.get(key, ask).await?;
                Ok((found, was_asked.into_inner()))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

caches! {
    /// Caches callers in front of a store.
    CachedCallers: Callers finds Caller, by KeyHash;
    /// Caches accounts in front of a store.
    CachedAccounts: Accounts finds Account, by AccountId;
}

#[async_trait]
impl Callers for CachedCallers {
    async fn find(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError> {
        match self.get(hash).await? {
            (Some(caller), false) if caller.key.may_list_worlds() => self.inner.find(hash).await,
            (caller, _) => Ok(caller),
        }
    }
}

#[async_trait]
impl Accounts for CachedAccounts {
    async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        Ok(self.get(id).await?.0)
    }

    async fn reach(&self, key: &ApiKey, id: &AccountId) -> Result<Option<Account>, StoreError> {
        if !key.may_reach(id) {
            return Ok(None);
        }
        let (found, was_asked) = self.get(id).await?;
        let is_foreign = found.as_ref().is_some_and(|account| !key.reaches(account));
        if is_foreign && !was_asked {
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
}

#[cfg(test)]
mod tests;
