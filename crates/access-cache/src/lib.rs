//! Callers and accounts, remembered for a moment, around any store.
//!
//! Every request asks who calls and which account is meant. A store answers each in a round trip or two; at thousands of
//! requests a second those are most of its reads, and nearly all have the same answers.
//!
//! What is remembered is at most [`STALENESS`](florin_short_cache::STALENESS) old, and never that something is absent. Whether a key
//! has expired is not this crate's matter: that is asked of the remembered key at each request.

use async_trait::async_trait;
use florin_domain::access::{Account, Caller, KeyHash};
use florin_domain::ids::AccountId;
use florin_ports::{Accounts, Callers, StoreError};
use florin_short_cache::ShortCache;
use std::fmt;
use std::sync::Arc;

/// So many of each are remembered; a caller takes about 1 KiB.
const MAX: u64 = 10_000;

macro_rules! remembered {
    ($($(#[$doc:meta])* $name:ident: $port:ident finds $value:ty, by $key:ty $(, and $forgets:ident)?;)*) => {$(
        $(#[$doc])*
        pub struct $name {
            inner: Arc<dyn $port>,
            recent: ShortCache<$key, $value, StoreError>,
        }

        impl $name {
            /// Remembers the answers of `inner`.
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
    /// Callers, remembered.
    RecentCallers: Callers finds Caller, by KeyHash;
    /// Accounts, remembered.
    RecentAccounts: Accounts finds Account, by AccountId, and forget;
}

#[cfg(test)]
mod tests;
