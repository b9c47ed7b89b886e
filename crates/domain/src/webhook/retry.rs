//! The schedules on which failed deliveries are retried.

use chrono::TimeDelta;

/// Maximum time by which a receiver's `Retry-After` can postpone an attempt.
pub const RETRY_AFTER_MAX: TimeDelta = TimeDelta::hours(24);

/// The delays between attempts of the standard schedule, in seconds.
const DELAYS: [i64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// The delay of the original schedule.
const ORIGINAL_DELAY: TimeDelta = TimeDelta::minutes(5);
/// Number of retries of the original schedule, in two weeks.
const ORIGINAL_RETRIES: u32 = 14 * 24 * 12;

/// The delays between the attempts of a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetrySchedule {
    /// Ten attempts within about three days, with growing delays.
    #[default]
    Standard,
    /// The schedule of the original service: every five minutes for two weeks.
    Original,
}

impl RetrySchedule {
    /// Both schedules.
    pub const ALL: [Self; 2] = [Self::Standard, Self::Original];

    /// Returns the name of the schedule.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Original => "original",
        }
    }

    /// Returns the number of attempts, including the first one.
    pub const fn attempts(self) -> u32 {
        match self {
            Self::Standard => 10,
            Self::Original => ORIGINAL_RETRIES + 1,
        }
    }

    /// Returns the number of days in which all attempts take place, unless a receiver postpones them.
    pub const fn days(self) -> u32 {
        match self {
            Self::Standard => 4,
            Self::Original => 14,
        }
    }

    /// Returns the delay after the given number of attempts; `None` after the last one. A receiver's `Retry-After` can
    /// only postpone the next attempt.
    pub fn delay(self, attempts: u32, jitter: Jitter, retry_after: Option<TimeDelta>) -> Option<TimeDelta> {
        let delay = match self {
            Self::Standard => {
                let seconds = usize::try_from(attempts).ok()?.checked_sub(1).and_then(|index| DELAYS.get(index))?;
                jitter.spread(TimeDelta::seconds(*seconds))
            }
            Self::Original => (1..=ORIGINAL_RETRIES).contains(&attempts).then_some(ORIGINAL_DELAY)?,
        };
        Some(retry_after.map_or(delay, |asked| delay.max(asked.min(RETRY_AFTER_MAX))))
    }
}

/// A random number that changes retry delays by up to a fifth, so that a receiver does not receive all retries at the
/// same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jitter(pub u16);

impl Jitter {
    /// No change of the delay.
    pub const NONE: Self = Self(1 << 15);

    /// Returns the delay changed by up to a fifth: between 80 % and 120 % of it.
    fn spread(self, delay: TimeDelta) -> TimeDelta {
        let fifth = delay.num_milliseconds() / 5;
        let shift = fifth * (i64::from(self.0) - i64::from(Self::NONE.0)) / i64::from(Self::NONE.0);
        delay + TimeDelta::milliseconds(shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_standard_schedule_has_ten_attempts() {
        let delays: Vec<_> =
            (1..=10).map(|attempts| RetrySchedule::Standard.delay(attempts, Jitter::NONE, None)).collect();
        let expected = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(TimeDelta::seconds);
        assert_eq!(delays[..9], expected.map(Some));
        assert_eq!(delays[9], None);
        assert_eq!(RetrySchedule::Standard.delay(0, Jitter::NONE, None), None);
    }

    #[test]
    fn the_original_schedule_lasts_two_weeks() {
        let schedule = RetrySchedule::Original;
        let mut attempts = 1;
        let mut total = TimeDelta::zero();
        while let Some(delay) = schedule.delay(attempts, Jitter(0), None) {
            assert_eq!(delay, TimeDelta::minutes(5));
            total += delay;
            attempts += 1;
        }
        assert_eq!((attempts, total), (schedule.attempts(), TimeDelta::days(14)));
    }

    #[test]
    fn all_attempts_happen_within_the_days_of_a_schedule() {
        for schedule in RetrySchedule::ALL {
            let delays =
                (1..schedule.attempts()).filter_map(|attempts| schedule.delay(attempts, Jitter(u16::MAX), None));
            let days = TimeDelta::days(schedule.days().into());
            let total = delays.fold(TimeDelta::zero(), |total, delay| total + delay);
            assert!(total <= days && total > days - TimeDelta::days(1), "{schedule:?}: {total}");
        }
    }

    #[test]
    fn a_receiver_can_only_postpone() {
        let delay = |seconds| RetrySchedule::Standard.delay(2, Jitter::NONE, Some(TimeDelta::seconds(seconds)));
        assert_eq!(delay(0), Some(TimeDelta::seconds(300)));
        assert_eq!(delay(-5), Some(TimeDelta::seconds(300)));
        assert_eq!(delay(301), Some(TimeDelta::seconds(301)));
        assert_eq!(delay(1_000_000), Some(RETRY_AFTER_MAX));
        assert_eq!(RetrySchedule::Standard.delay(10, Jitter::NONE, Some(TimeDelta::seconds(1))), None);
    }

    proptest! {
        #[test]
        fn jitter_is_at_most_a_fifth(attempts in 1_u32..10, jitter: u16) {
            let exact = RetrySchedule::Standard.delay(attempts, Jitter::NONE, None).unwrap().num_milliseconds();
            let spread = RetrySchedule::Standard.delay(attempts, Jitter(jitter), None).unwrap().num_milliseconds();
            prop_assert!((exact * 4 / 5..=exact * 6 / 5).contains(&spread), "{} of {}", spread, exact);
        }
    }
}
