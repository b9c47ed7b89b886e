//! A cache with a short lifetime that also merges concurrent lookups.
//!
//! An answer is reused for less than [`MAX_CACHE_AGE`], measured from *before* its lookup began. A slow lookup does not
//! extend this time. So after storing a change, it is enough to wait for [`MAX_CACHE_AGE`]: no later request gets the
//! old answer, in any process.
//!
//! - An absent value is neither cached nor shared, so a new value is found immediately.
//! - A failure is not cached, but callers that wait for the same lookup share it.
//! - Concurrent equal lookups reach the store once.
//! - Keys are hashed with a random seed, so the duration of a lookup reveals nothing about stored keys.

use moka::sync::Cache;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// Maximum age of a cached answer.
///
/// At a thousand requests per second this saves 249 of 250 lookups. A longer time would save little more, but commands
/// of operators wait for this time.
pub const MAX_CACHE_AGE: Duration = Duration::from_millis(250);

/// A lookup that is running or has ended.
struct Lookup<V, E> {
    /// The time before the lookup began. The answer reflects the store at this time or later.
    begun: Instant,
    answer: OnceCell<Result<Option<V>, E>>,
}

impl<V, E> Lookup<V, E> {
    fn new(begun: Instant) -> Arc<Self> {
        Arc::new(Self { begun, answer: OnceCell::new() })
    }

    /// Whether a new caller may use this lookup or wait for it.
    fn serves(&self, now: Instant) -> bool {
        let usable = self.answer.get().is_none_or(|answer| matches!(answer, Ok(Some(_))));
        usable && now.saturating_duration_since(self.begun) < MAX_CACHE_AGE
    }
}

/// A cache of recent answers, with a maximum size.
pub struct ShortCache<K, V, E> {
    lookups: Cache<K, Arc<Lookup<V, E>>>,
}

impl<K, V, E> ShortCache<K, V, E>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
    E: Clone + Send + Sync + 'static,
{
    /// Creates a cache of at most `max` answers.
    pub fn new(max: u64) -> Self {
        Self { lookups: Cache::new(max) }
    }

    /// Returns a cached answer, waits for a running lookup, or calls `load`.
    pub async fn get<F>(&self, key: &K, load: impl Fn() -> F) -> Result<Option<V>, E>
    where
        F: Future<Output = Result<Option<V>, E>>,
    {
        let now = Instant::now();
        let lookup = match self.lookups.get(key) {
            Some(lookup) if lookup.serves(now) => lookup,
            _ => {
                let is_unusable = |lookup: &Arc<Lookup<V, E>>| !lookup.serves(now);
                self.lookups.entry_by_ref(key).or_insert_with_if(|| Lookup::new(now), is_unusable).into_value()
            }
        };
        match lookup.answer.get_or_init(&load).await {
            Ok(Some(value)) => Ok(Some(value.clone())),
            // This was another caller's lookup, which may have begun before the value was created. So look again.
            Ok(None) if lookup.begun != now => load().await,
            absent_or_failed => {
                self.lookups.invalidate(key);
                absent_or_failed.clone()
            }
        }
    }

    /// Removes an answer, so that later calls of `get` begin a new lookup.
    pub fn forget(&self, key: &K) {
        self.lookups.invalidate(key);
    }

    /// Number of cached answers.
    pub fn len(&self) -> u64 {
        self.lookups.run_pending_tasks();
        self.lookups.entry_count()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K, V, E> fmt::Debug for ShortCache<K, V, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
