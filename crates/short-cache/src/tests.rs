//! Tests of the cache. Tokio's clock is paused: it advances only when a test advances it, or when every task waits.

use super::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::task::JoinHandle;
use tokio::time::{advance, sleep};

const MOMENT: Duration = Duration::from_millis(1);

type Answer = Result<Option<u32>, &'static str>;

/// A slow store behind a cache. A lookup returns the value that the store had when the lookup began. Lookups are
/// counted.
struct Store {
    delay: Duration,
    value: Mutex<Answer>,
    lookups: AtomicUsize,
    cache: ShortCache<u32, u32, &'static str>,
}

impl Store {
    fn new(delay: Duration, value: Answer) -> Arc<Self> {
        let (value, lookups) = (Mutex::new(value), AtomicUsize::new(0));
        Arc::new(Self { delay, value, lookups, cache: ShortCache::new(10) })
    }

    fn set(&self, answer: Answer) {
        *self.value.lock().unwrap() = answer;
    }

    fn lookups(&self) -> usize {
        self.lookups.load(Ordering::Relaxed)
    }

    async fn answer(&self) -> Answer {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        let value = *self.value.lock().unwrap();
        sleep(self.delay).await;
        value
    }

    async fn get(&self, key: u32) -> Answer {
        self.cache.get(&key, || self.answer()).await
    }

    fn spawn_get(self: &Arc<Self>) -> JoinHandle<Answer> {
        let store = Arc::clone(self);
        tokio::spawn(async move { store.get(1).await })
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_served_until_it_expires() {
    let store = Store::new(Duration::ZERO, Ok(Some(7)));
    assert_eq!(store.get(1).await, Ok(Some(7)));
    store.set(Ok(None));
    advance(MAX_CACHE_AGE.saturating_sub(MOMENT * 2)).await;
    assert_eq!((store.get(1).await, store.lookups()), (Ok(Some(7)), 1));
    advance(MOMENT * 2).await;
    assert_eq!((store.get(1).await, store.lookups()), (Ok(None), 2));
}

#[tokio::test(start_paused = true)]
async fn each_key_has_its_own_answer() {
    let store = Store::new(Duration::ZERO, Ok(Some(7)));
    for key in [1, 2, 1, 2, 1] {
        assert_eq!(store.get(key).await, Ok(Some(7)));
    }
    assert_eq!(store.lookups(), 2);
}

#[tokio::test(start_paused = true)]
async fn absent_values_and_failures_are_not_cached() {
    for nothing in [Ok(None), Err("gone")] {
        let store = Store::new(Duration::ZERO, nothing);
        for times in 1..=3 {
            assert_eq!((store.get(1).await, store.lookups()), (nothing, times));
            assert!(store.cache.is_empty());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn concurrent_lookups_are_merged_including_failures() {
    for answer in [Ok(Some(7)), Err("gone")] {
        let store = Store::new(MOMENT * 100, answer);
        for waiting in (0..20).map(|_| store.spawn_get()).collect::<Vec<_>>() {
            assert_eq!(waiting.await.unwrap(), answer);
        }
        assert_eq!(store.lookups(), 1);
    }
}

/// The age of an answer is measured from the start of its lookup, even if the lookup is slow.
#[tokio::test(start_paused = true)]
async fn age_counts_from_the_start_of_the_lookup() {
    let store = Store::new(MAX_CACHE_AGE * 2, Ok(Some(7)));
    let first = store.spawn_get();
    sleep(MOMENT).await;
    store.set(Ok(None));
    sleep(MAX_CACHE_AGE).await;
    // The first lookup is still running. Its answer is valid for its own caller, but too old for new callers.
    assert_eq!(store.get(1).await, Ok(None));
    assert_eq!(first.await.unwrap(), Ok(Some(7)));
    assert_eq!(store.get(1).await, Ok(None));
}

/// A caller that waits for another caller's lookup must find a value that was created in between.
#[tokio::test(start_paused = true)]
async fn absence_is_not_shared() {
    let store = Store::new(MOMENT * 10, Ok(None));
    let early = store.spawn_get();
    sleep(MOMENT).await;
    store.set(Ok(Some(7)));
    assert_eq!(store.get(1).await, Ok(Some(7)));
    assert_eq!(early.await.unwrap(), Ok(None));
}

/// A caller that is cancelled during its lookup does not block the others.
#[tokio::test(start_paused = true)]
async fn a_cancelled_lookup_is_repeated() {
    let store = Store::new(MOMENT * 10, Ok(Some(7)));
    let (cancelled, waiting) = (store.spawn_get(), store.spawn_get());
    sleep(MOMENT).await;
    cancelled.abort();
    assert_eq!(waiting.await.unwrap(), Ok(Some(7)));
    assert_eq!(store.lookups(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_number_of_cached_answers_is_bounded() {
    let store = Store::new(Duration::ZERO, Ok(Some(7)));
    for key in 0..1000 {
        assert_eq!(store.get(key).await, Ok(Some(7)));
    }
    assert!(store.cache.len() <= 10, "{}", store.cache.len());
}
