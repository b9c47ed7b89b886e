//! Answers that are young enough.

use florin_ports::StoreError;
use moka::sync::Cache;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// What a store says: the value, absence, or that it can't say.
type Answer<V> = Result<Option<V>, StoreError>;

/// A question that was put to the store, and its answer when it came.
struct Lookup<V> {
    /// Before the store was asked: its answer is no older than this.
    asked: Instant,
    answer: OnceCell<Answer<V>>,
}

impl<V> Lookup<V> {
    fn begun(asked: Instant) -> Arc<Self> {
        Arc::new(Self { asked, answer: OnceCell::new() })
    }

    /// Whether somebody who comes now may use it, or wait for it. That the store takes long makes nothing younger.
    fn serves(&self, now: Instant, staleness: Duration) -> bool {
        let worth_it = self.answer.get().is_none_or(|answer| matches!(answer, Ok(Some(_))));
        worth_it && now.saturating_duration_since(self.asked) < staleness
    }
}

/// The answers of the last moment, bounded in number.
pub(crate) struct Recent<K, V> {
    staleness: Duration,
    lookups: Cache<K, Arc<Lookup<V>>>,
}

impl<K, V> Recent<K, V>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    pub(crate) fn new(staleness: Duration, most: u64) -> Self {
        Self { staleness, lookups: Cache::new(most) }
    }

    /// The answer: one that is remembered, one that is under way, or a new one. Equal questions at once are one to the
    /// store.
    pub(crate) async fn get<F>(&self, key: &K, ask: impl Fn() -> F) -> Answer<V>
    where
        F: Future<Output = Answer<V>>,
    {
        let now = Instant::now();
        let lookup = match self.lookups.get(key) {
            Some(lookup) if lookup.serves(now, self.staleness) => lookup,
            _ => {
                let too_old = |lookup: &Arc<Lookup<V>>| !lookup.serves(now, self.staleness);
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

    /// How many answers are remembered.
    #[cfg(test)]
    pub(crate) fn len(&self) -> u64 {
        self.lookups.run_pending_tasks();
        self.lookups.entry_count()
    }
}
