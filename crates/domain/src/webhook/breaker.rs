//! The limit on concurrent deliveries to one receiver.

use chrono::{DateTime, TimeDelta, Utc};

/// Initial number of concurrent deliveries.
const INITIAL_LIMIT: u32 = 4;
/// Maximum number of concurrent deliveries to a receiver that accepts them.
const MAX_LIMIT: u32 = 32;
/// Number of consecutive failures after which the receiver is tripped: it receives one delivery at a time, after
/// pauses.
const FAILURES_TO_TRIP: u32 = 10;
/// The first pause. It doubles with each further failure.
const FIRST_PAUSE: TimeDelta = TimeDelta::seconds(1);
/// The longest pause.
const MAX_PAUSE: TimeDelta = TimeDelta::seconds(32);

/// The limit on concurrent deliveries of one subscription, which adapts to its receiver. It exists in the memory of one
/// process only. It affects when attempts are sent, but never which ones.
#[derive(Clone, Debug)]
pub struct Breaker {
    limit: u32,
    failures: u32,
    paused_until: Option<DateTime<Utc>>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { limit: INITIAL_LIMIT, failures: 0, paused_until: None }
    }
}

impl Breaker {
    /// Returns the number of deliveries that may begin while `in_flight` others are in progress.
    pub fn allowance(&self, in_flight: u32, now: DateTime<Utc>) -> u32 {
        if self.paused_until.is_some_and(|until| now < until) { 0 } else { self.limit.saturating_sub(in_flight) }
    }

    /// Returns whether the receiver gets one delivery at a time, after pauses.
    pub const fn is_tripped(&self) -> bool {
        self.failures >= FAILURES_TO_TRIP
    }

    /// Records a successful delivery.
    pub fn succeeded(&mut self) {
        let limit = if self.failures > 0 { INITIAL_LIMIT } else { (self.limit + 1).min(MAX_LIMIT) };
        *self = Self { limit, ..Self::default() };
    }

    /// Records a failed delivery.
    pub fn failed(&mut self, now: DateTime<Utc>) {
        self.failures = self.failures.saturating_add(1);
        self.limit = if self.is_tripped() { 1 } else { self.limit.min(INITIAL_LIMIT) };
        let doublings = self.failures.saturating_sub(FAILURES_TO_TRIP).min(5);
        let pause = (FIRST_PAUSE * (1 << doublings)).min(MAX_PAUSE);
        self.paused_until = self.is_tripped().then(|| now + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    #[test]
    fn a_receiver_that_answers_gets_more_at_a_time() {
        let mut breaker = Breaker::default();
        assert_eq!(breaker.allowance(0, NOW), 4);
        assert_eq!(breaker.allowance(4, NOW), 0);
        assert_eq!(breaker.allowance(9, NOW), 0);
        for _ in 0..100 {
            breaker.succeeded();
        }
        assert_eq!(breaker.allowance(0, NOW), MAX_LIMIT);
        breaker.failed(NOW);
        assert_eq!(breaker.allowance(0, NOW), INITIAL_LIMIT);
    }

    #[test]
    fn a_receiver_that_keeps_failing_gets_one_at_a_time_after_pauses() {
        let mut breaker = Breaker::default();
        let mut pauses = Vec::new();
        for _ in 0..20 {
            breaker.failed(NOW);
            pauses.push(breaker.paused_until.map(|until| (until - NOW).num_seconds()));
        }
        assert_eq!(pauses[..9], [None; 9]);
        assert_eq!(pauses[9..15], [1, 2, 4, 8, 16, 32].map(Some));
        assert_eq!(pauses[19], Some(32));
        assert_eq!(breaker.allowance(0, NOW + TimeDelta::seconds(31)), 0);
        assert_eq!(breaker.allowance(0, NOW + TimeDelta::seconds(32)), 1);
        breaker.succeeded();
        assert!(!breaker.is_tripped() && breaker.allowance(0, NOW) == INITIAL_LIMIT);
    }
}
