//! Limits how often each of many keys may be used, with bounded memory.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Minimum time between two searches for inactive keys.
const PAUSE: Duration = Duration::from_secs(5);

/// Counts uses per key.
pub(crate) struct KeyedLimiter<K: Hash + Eq + Clone> {
    limiter: DefaultKeyedRateLimiter<K>,
    clock: DefaultClock,
    max: usize,
    /// The key under which all uses are counted while `max` keys are counted. `None`: uses are not counted then.
    others: Option<K>,
    /// The time at which inactive keys were last removed. The search is slow, so it runs at most once per [`PAUSE`].
    forgotten_at: Mutex<Option<Instant>>,
}

impl<K: Hash + Eq + Clone> KeyedLimiter<K> {
    /// Creates a limiter. Each key may be used `per_minute` times immediately, and as often per minute afterwards. At
    /// most `max` keys are counted separately.
    pub(crate) fn new(per_minute: NonZeroU32, max: usize, others: Option<K>) -> Self {
        Self {
            limiter: DefaultKeyedRateLimiter::keyed(Quota::per_minute(per_minute)),
            clock: DefaultClock::default(),
            max,
            others,
            forgotten_at: Mutex::default(),
        }
    }

    /// Counts one use. If there were too many, returns the number of seconds to wait as an error.
    pub(crate) fn count(&self, key: &K) -> Result<(), u64> {
        let mut key = Some(key);
        if self.limiter.len() >= self.max {
            self.forget_inactive_keys();
            if self.limiter.len() >= self.max {
                key = self.others.as_ref();
            }
        }
        let Some(key) = key else { return Ok(()) };
        self.limiter
            .check_key(key)
            .map_err(|not_until| not_until.wait_time_from(self.clock.now()).as_secs().saturating_add(1))
    }

    /// Removes keys that have recovered their full allowance.
    fn forget_inactive_keys(&self) {
        let mut forgotten_at = self.forgotten_at.lock().unwrap_or_else(PoisonError::into_inner);
        if forgotten_at.is_none_or(|at| at.elapsed() >= PAUSE) {
            *forgotten_at = Some(Instant::now());
            self.limiter.retain_recent();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

    #[test]
    fn each_key_has_its_own_limit() {
        let limiter = KeyedLimiter::new(TWO, 10, None);
        assert_eq!((limiter.count(&1), limiter.count(&1)), (Ok(()), Ok(())));
        let wait = limiter.count(&1).unwrap_err();
        assert!((1..=31).contains(&wait), "{wait} s");
        assert_eq!(limiter.count(&2), Ok(()));
    }

    #[test]
    fn the_number_of_keys_is_bounded() {
        let (shared, unlimited) = (KeyedLimiter::new(TWO, 3, Some(0)), KeyedLimiter::new(TWO, 3, None));
        for key in 1..1_000 {
            let _ = shared.count(&key);
            assert_eq!(unlimited.count(&key), Ok(()));
        }
        assert!(shared.limiter.len() <= 4 && unlimited.limiter.len() <= 3);
        assert!(shared.count(&2_000).is_err(), "the others share one limit");
        assert_eq!(unlimited.count(&2_000), Ok(()), "the others have no limit");
    }
}
