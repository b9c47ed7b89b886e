//! Fakes in addition to the mocks: a frozen clock and ids that count up.

use crate::{Clock, IdSource};
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// A clock that stays frozen until it is advanced.
#[derive(Debug)]
pub struct FakeClock(Mutex<DateTime<Utc>>);

impl FakeClock {
    /// A clock frozen at `now`.
    pub const fn at(now: DateTime<Utc>) -> Self {
        Self(Mutex::new(now))
    }

    /// Advances the clock.
    pub fn advance(&self, time: TimeDelta) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += time;
    }
}

impl Clock for FakeClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Ids that count up from 1.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdSource for CountingIds {
    fn next_id(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}
