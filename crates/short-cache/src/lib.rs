//! Answers that are remembered for a moment.
//!
//! What a store says is served again for less than [`STALENESS`], counted from *before* it was asked: neither a slow answer nor
//! somebody who waits for it makes it younger. So whoever changes something has only to wait that long after it is stored, and
//! from then on no request that begins is served by the old answer, in whichever process.
//!
//! - What is absent is never remembered, and not shared either: what is new is found at once.
//! - Failures are never remembered, but shared by those who wait for the same answer.
//! - Equal questions at once are one to the store.
//! - Keys are found through a hash that is keyed at random: time tells nothing of how much of one was right.

use moka::sync::Cache;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// How old an answer may be. At a thousand requests a second this saves all but one look-up in 250; a longer time would save
/// little more, and operators wait for it.
pub const STALENESS: Duration = Duration::from_millis(250);

/// A question that was put to the store, and its answer when it came.
struct Lookup<V, E> {
    /// Before the store was asked: its answer is no older than this.
    asked: Instant,
    answer: OnceCell<Result<Option<V>, E>>,
}

impl<V, E> Lookup<V, E> {
    fn begun(asked: Instant) -> Arc<Self> {
        Arc::new(Self { asked, answer: OnceCell::new() })
    }

    /// Whether somebody who comes now may use it, or wait for it.
    fn serves(&self, now: Instant) -> bool {
        let worth_it = self.answer.get().is_none_or(|answer| matches!(answer, Ok(Some(_))));
        worth_it && now.saturating_duration_since(self.asked) < STALENESS
    }
}

/// The answers of the last moment, bounded in number.
pub struct ShortCache<K, V, E> {
    lookups: Cache<K, Arc<Lookup<V, E>>>,
}

impl<K, V, E> ShortCache<K, V, E>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
    E: Clone + Send + Sync + 'static,
{
    /// Remembers so many answers at most.
    pub fn new(max: u64) -> Self {
        Self { lookups: Cache::new(max) }
    }

    /// The answer: one that is remembered, one that is under way, or a new one.
    pub async fn get<F>(&self, key: &K, ask: impl Fn() -> F) -> Result<Option<V>, E>
    where
        F: Future<Output = Result<Option<V>, E>>,
    {
        let now = Instant::now();
        let lookup = match self.lookups.get(key) {
            Some(lookup) if lookup.serves(now) => lookup,
            _ => {
                let too_old = |lookup: &Arc<Lookup<V, E>>| !lookup.serves(now);
                self.lookups.entry_by_ref(key).or_insert_with_if(|| Lookup::begun(now), too_old).into_value()
            }
        };
        match lookup.answer.get_or_init(&ask).await {
            Ok(Some(value)) => Ok(Some(value.clone())),
            // Somebody else's question, which may have been put before what this one asks for was made.
            Ok(None) if lookup.asked != now => ask().await,
            nothing => {
                self.lookups.invalidate(key);
                nothing.clone()
            }
        }
    }

    /// Forgets an answer: who asks after this is served by a question that is put after it, too.
    pub fn forget(&self, key: &K) {
        self.lookups.invalidate(key);
    }

    /// How many answers are remembered.
    pub fn len(&self) -> u64 {
        self.lookups.run_pending_tasks();
        self.lookups.entry_count()
    }

    /// Whether nothing is remembered.
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
