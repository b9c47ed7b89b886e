//! How long the transactions in progress have taken, and whether writes succeed.

use super::backend::WRITERS;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Minimum time between two log lines about the same failure.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// The progress of the writer's threads.
#[derive(Default)]
pub(super) struct Progress {
    /// When each thread began its transaction; `None` while it has none.
    began: Mutex<[Option<Instant>; WRITERS]>,
    ended: Mutex<Ended>,
}

/// The results of ended writes.
#[derive(Default)]
struct Ended {
    /// When a probe last showed that writes reach the disk, if no write has failed since. Other transactions don't show
    /// it, because they may have written nothing.
    proved_at: Option<Instant>,
    /// The failure that was last logged, and when.
    logged: Option<(String, Instant)>,
}

/// A transaction in progress.
pub(super) struct Working<'p> {
    progress: &'p Progress,
    thread: usize,
}

impl Progress {
    /// Records that a thread begins a transaction, until the returned value is dropped.
    pub(super) fn begin(&self, thread: usize) -> Working<'_> {
        self.set(thread, Some(Instant::now()));
        Working { progress: self, thread }
    }

    /// Returns how long the oldest transaction in progress has taken so far.
    pub(super) fn longest(&self) -> Option<Duration> {
        self.locked().iter().flatten().min().map(Instant::elapsed)
    }

    /// Records that a write has reached the disk.
    pub(super) fn proved(&self) {
        lock(&self.ended).proved_at = Some(Instant::now());
    }

    /// Records that the store failed. Returns whether the failure must be logged: immediately if it is new, then at
    /// most once a minute.
    pub(super) fn failed(&self, cause: &str) -> bool {
        let mut ended = lock(&self.ended);
        ended.proved_at = None;
        let is_known = ended.logged.as_ref().is_some_and(|(logged, at)| logged == cause && at.elapsed() < LOG_PAUSE);
        if !is_known {
            ended.logged = Some((cause.to_owned(), Instant::now()));
        }
        !is_known
    }

    /// Whether a write has reached the disk within this time, and none has failed since.
    pub(super) fn was_proved_within(&self, time: Duration) -> bool {
        lock(&self.ended).proved_at.is_some_and(|at| at.elapsed() < time)
    }

    fn set(&self, thread: usize, began: Option<Instant>) {
        if let Some(place) = self.locked().get_mut(thread) {
            *place = began;
        }
    }

    fn locked(&self) -> MutexGuard<'_, [Option<Instant>; WRITERS]> {
        lock(&self.began)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.progress.set(self.thread, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_stays_is_logged_once() {
        let (progress, long) = (Progress::default(), Duration::from_secs(3600));
        assert!(!progress.was_proved_within(long));
        assert!(progress.failed("gone") && !progress.failed("gone") && progress.failed("full"));
        progress.proved();
        assert!(progress.was_proved_within(long) && !progress.was_proved_within(Duration::ZERO));
        assert!(!progress.failed("full") && !progress.was_proved_within(long));
    }

    #[test]
    fn only_a_transaction_in_progress_has_a_duration() {
        let progress = Progress::default();
        assert_eq!(progress.longest(), None);
        let working = progress.begin(0);
        assert!(progress.longest().is_some());
        drop(working);
        assert_eq!(progress.longest(), None);
    }
}
