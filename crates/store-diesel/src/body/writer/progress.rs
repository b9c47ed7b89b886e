//! How long the transactions in progress have taken.

use super::backend::WRITERS;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// When each thread began its transaction; `None` while it has none.
#[derive(Default)]
pub(super) struct Progress {
    began: Mutex<[Option<Instant>; WRITERS]>,
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

    fn set(&self, thread: usize, began: Option<Instant>) {
        if let Some(place) = self.locked().get_mut(thread) {
            *place = began;
        }
    }

    fn locked(&self) -> MutexGuard<'_, [Option<Instant>; WRITERS]> {
        self.began.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
    fn only_a_transaction_in_progress_has_a_duration() {
        let progress = Progress::default();
        assert_eq!(progress.longest(), None);
        let working = progress.begin(0);
        assert!(progress.longest().is_some());
        drop(working);
        assert_eq!(progress.longest(), None);
    }
}
