//! Tests of what is remembered. Tokio's clock is paused: it moves only when it is told to, or when all wait for it.

use super::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::task::JoinHandle;
use tokio::time::{advance, sleep};

const MOMENT: Duration = Duration::from_millis(1);

type Answer = Result<Option<u32>, &'static str>;

/// A store that takes its time. It answers what was in it when it was asked, and counts how often that was.
struct Store {
    takes: Duration,
    holds: Mutex<Answer>,
    asked: AtomicUsize,
    recent: ShortCache<u32, u32, &'static str>,
}

impl Store {
    fn new(takes: Duration, holds: Answer) -> Arc<Self> {
        let (holds, asked) = (Mutex::new(holds), AtomicUsize::new(0));
        Arc::new(Self { takes, holds, asked, recent: ShortCache::new(10) })
    }

    fn now_holds(&self, answer: Answer) {
        *self.holds.lock().unwrap() = answer;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    async fn answer(&self) -> Answer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let seen = *self.holds.lock().unwrap();
        sleep(self.takes).await;
        seen
    }

    async fn get(&self, key: u32) -> Answer {
        self.recent.get(&key, || self.answer()).await
    }

    fn asking(self: &Arc<Self>) -> JoinHandle<Answer> {
        let store = Arc::clone(self);
        tokio::spawn(async move { store.get(1).await })
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_used_again_until_it_is_too_old() {
    let store = Store::new(Duration::ZERO, Ok(Some(7)));
    assert_eq!(store.get(1).await, Ok(Some(7)));
    store.now_holds(Ok(None));
    advance(STALENESS.saturating_sub(MOMENT * 2)).await;
    assert_eq!((store.get(1).await, store.asked()), (Ok(Some(7)), 1));
    advance(MOMENT * 2).await;
    assert_eq!((store.get(1).await, store.asked()), (Ok(None), 2));
}

#[tokio::test(start_paused = true)]
async fn each_key_has_its_own_answer() {
    let store = Store::new(Duration::ZERO, Ok(Some(7)));
    for key in [1, 2, 1, 2, 1] {
        assert_eq!(store.get(key).await, Ok(Some(7)));
    }
    assert_eq!(store.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_absent_or_failed_is_not_remembered() {
    for nothing in [Ok(None), Err("gone")] {
        let store = Store::new(Duration::ZERO, nothing);
        for times in 1..=3 {
            assert_eq!((store.get(1).await, store.asked()), (nothing, times));
            assert!(store.recent.is_empty());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn equal_questions_at_once_are_one_failures_too() {
    for answer in [Ok(Some(7)), Err("gone")] {
        let store = Store::new(MOMENT * 100, answer);
        for asking in (0..20).map(|_| store.asking()).collect::<Vec<_>>() {
            assert_eq!(asking.await.unwrap(), answer);
        }
        assert_eq!(store.asked(), 1);
    }
}

/// What counts is when the store was asked: that it takes long makes nothing younger, not even for those who wait.
#[tokio::test(start_paused = true)]
async fn age_is_counted_from_the_question() {
    let store = Store::new(STALENESS * 2, Ok(Some(7)));
    let first = store.asking();
    sleep(MOMENT).await;
    store.now_holds(Ok(None));
    sleep(STALENESS).await;
    // The first answer is still under way. It is true for those who asked; but not for those who come now.
    assert_eq!(store.get(1).await, Ok(None));
    assert_eq!(first.await.unwrap(), Ok(Some(7)));
    assert_eq!(store.get(1).await, Ok(None));
}

/// Who waits for another's question must not be told that what was made in between is absent.
#[tokio::test(start_paused = true)]
async fn absence_is_not_shared() {
    let store = Store::new(MOMENT * 10, Ok(None));
    let early = store.asking();
    sleep(MOMENT).await;
    store.now_holds(Ok(Some(7)));
    assert_eq!(store.get(1).await, Ok(Some(7)));
    assert_eq!(early.await.unwrap(), Ok(None));
}

/// Somebody who goes away while the store is asked leaves nobody waiting.
#[tokio::test(start_paused = true)]
async fn a_question_that_is_dropped_is_put_again() {
    let store = Store::new(MOMENT * 10, Ok(Some(7)));
    let (gone, waiting) = (store.asking(), store.asking());
    sleep(MOMENT).await;
    gone.abort();
    assert_eq!(waiting.await.unwrap(), Ok(Some(7)));
    assert_eq!(store.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_remembered_is_bounded() {
    let store = Store::new(Duration::ZERO, Ok(Some(7)));
    for key in 0..1000 {
        assert_eq!(store.get(key).await, Ok(Some(7)));
    }
    assert!(store.recent.len() <= 10, "{}", store.recent.len());
}
