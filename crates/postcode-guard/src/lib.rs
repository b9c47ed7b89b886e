//! A timeout and a cache around any postcode provider.
//!
//! With this crate, a provider itself needs neither a timeout nor a cache.

use async_trait::async_trait;
use florin_domain::address::{Address, UkPostcode};
use florin_ports::{PostcodeError, PostcodeProvider};
use moka::future::Cache;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Settings of the timeout and the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardSettings {
    /// Maximum duration of a lookup; after that the error is [`PostcodeError::Slow`].
    pub timeout: Duration,
    /// Lifetime of a cached answer. Zero turns the cache off.
    pub cache_for: Duration,
    /// Maximum number of cached answers, one per postcode. Zero turns the cache off.
    pub cache_entries: u64,
}

/// A provider with a timeout and a cache around it.
///
/// Answers are cached, including empty ones; errors are not. If the cache is on, concurrent lookups of a postcode reach
/// the provider once.
pub struct GuardedPostcodes {
    inner: Arc<dyn PostcodeProvider>,
    timeout: Duration,
    cache: Option<Cache<UkPostcode, Vec<Address>>>,
}

impl GuardedPostcodes {
    /// Maximum lifetime of a cached answer: one year.
    const LONGEST_CACHE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

    /// Creates a guard around a provider.
    pub fn new(inner: Arc<dyn PostcodeProvider>, settings: GuardSettings) -> Self {
        let GuardSettings { timeout, cache_for, cache_entries } = settings;
        let cache = (!cache_for.is_zero() && cache_entries > 0).then(|| {
            Cache::builder().max_capacity(cache_entries).time_to_live(cache_for.min(Self::LONGEST_CACHE)).build()
        });
        Self { inner, timeout, cache }
    }

    async fn ask(&self, postcode: &UkPostcode) -> Result<Vec<Address>, PostcodeError> {
        match tokio::time::timeout(self.timeout, self.inner.lookup(postcode)).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(PostcodeError::Slow),
        }
    }
}

impl fmt::Debug for GuardedPostcodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedPostcodes").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

#[async_trait]
impl PostcodeProvider for GuardedPostcodes {
    async fn lookup(&self, postcode: &UkPostcode) -> Result<Vec<Address>, PostcodeError> {
        match &self.cache {
            None => self.ask(postcode).await,
            Some(cache) => cache
                .try_get_with_by_ref(postcode, self.ask(postcode))
                .await
                .map_err(|error: Arc<PostcodeError>| error.as_ref().clone()),
        }
    }
}

#[cfg(test)]
mod tests;
