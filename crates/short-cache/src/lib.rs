//! A cache with a short lifetime that also merges concurrent lookups.
//!
//! An answer is reused for less than [`MAX_CACHE_AGE`], measured from *before* its lookup began. A slow lookup does not
//! extend this time. So after storing a change, it is enough to wait for [`MAX_CACHE_AGE`]: no later request gets the
//! old answer, in any process. A cache of answers that change rarely can have another time.
//!
//! - An absent value is neither cached nor shared, so a new value is found immediately.
//! - A failure is not cached, but callers that wait for the same lookup share it.
//! - Concurrent equal lookups reach the store once.
//! - Keys are hashed with a random seed, so the duration of a lookup reveals nothing about stored keys.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    fn serves(&self, now: Instant, max_age: Duration) -> bool {
        let usable = self.answer.get().is_none_or(|answer| matches!(answer, Ok(Some(_))));
        usable && now.saturating_duration_since(self.begun) < max_age
    }
}

/// The lookups by their keys.
type Lookups<K, V, E> = HashMap<K, Arc<Lookup<V, E>>>;

/// A cache of recent answers, with a maximum size.
pub struct ShortCache<K, V, E> {
    /// Locked only to find or to store a lookup, never while one runs.
    lookups: Mutex<Lookups<K, V, E>>,
    max: usize,
    max_age: Duration,
}

impl<K, V, E> ShortCache<K, V, E>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
    E: Clone + Send + Sync + 'static,
{
    /// Creates a cache of at most `max` answers.
    pub fn new(max: u64) -> Self {
        Self::with_max_age(max, MAX_CACHE_AGE)
    }

    /// Creates a cache of at most `max` answers, each of which is reused for less than `max_age`.
    pub fn with_max_age(max: u64, max_age: Duration) -> Self {
        Self { lookups: Mutex::default(), max: usize::try_from(max).unwrap_or(usize::MAX), max_age }
    }

    /// Returns a cached answer, waits for a running lookup, or calls `load`.
    pub async fn get<F>(&self, key: &K, load: impl Fn() -> F) -> Result<Option<V>, E>
    where
        F: Future<Output = Result<Option<V>, E>>,
    {
        let now = Instant::now();
        let lookup = self.lookup(key, now);
        match lookup.answer.get_or_init(&load).await {
            Ok(Some(value)) => Ok(Some(value.clone())),
            // This was another caller's lookup, which may have begun before the value was created. So look again.
            Ok(None) if lookup.begun != now => load().await,
            absent_or_failed => {
                self.forget(key);
                absent_or_failed.clone()
            }
        }
    }

    /// Removes an answer, so that later calls of `get` begin a new lookup.
    pub fn forget(&self, key: &K) {
        let removed = self.locked().remove(key);
        // The lock is released, so dropping a large answer blocks nobody.
        drop(removed);
    }

    /// Number of cached answers.
    pub fn len(&self) -> usize {
        self.locked().len()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the lookup that a caller may use now, or a new one.
    fn lookup(&self, key: &K, now: Instant) -> Arc<Lookup<V, E>> {
        let mut lookups = self.locked();
        if let Some(lookup) = lookups.get(key).filter(|lookup| lookup.serves(now, self.max_age)) {
            return Arc::clone(lookup);
        }
        if lookups.len() >= self.max && !lookups.contains_key(key) {
            self.make_room(&mut lookups, now);
        }
        let lookup = Lookup::new(now);
        lookups.insert(key.clone(), Arc::clone(&lookup));
        lookup
    }

    /// Removes the answers that are too old, and the older half of the others if they occupy more than half of the room.
    /// So it is called at most once for as many lookups as half of the room, however long it takes.
    fn make_room(&self, lookups: &mut Lookups<K, V, E>, now: Instant) {
        lookups.retain(|_, lookup| lookup.serves(now, self.max_age));
        let mut times: Vec<_> = lookups.values().map(|lookup| lookup.begun).collect();
        if times.len() > self.max / 2 {
            let middle = times.len() / 2;
            let median = *times.select_nth_unstable(middle).1;
            lookups.retain(|_, lookup| lookup.begun > median);
        }
    }

    fn locked(&self) -> MutexGuard<'_, Lookups<K, V, E>> {
        self.lookups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V, E> fmt::Debug for ShortCache<K, V, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShortCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
