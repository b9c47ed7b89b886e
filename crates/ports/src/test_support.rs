//! Fakes beside the mocks: a clock that stands still and ids that count.

use crate::{Clock, IdSource};
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// A clock that stands still until it is told to move.
#[derive(Debug)]
pub struct FakeClock(Mutex<DateTime<Utc>>);

impl FakeClock {
    /// A clock that stands at `now`.
    pub const fn at(now: DateTime<Utc>) -> Self {
        Self(Mutex::new(now))
    }

    /// Moves on.
    pub fn advance(&self, time: TimeDelta) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += time;
    }
}

impl Clock for FakeClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Ids that count from 1.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdSource for CountingIds {
    fn next_id(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}
