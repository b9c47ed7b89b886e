//! Tests of locks of enrolments.

use super::*;
use chrono::TimeDelta;
use proptest::prelude::*;

const START: DateTime<Utc> = DateTime::UNIX_EPOCH;
/// Probability that one guess is correct, in parts per million: three time steps are valid at any time.
const CHANCE: u32 = 3;
/// Number of guesses per year that succeed with a probability below 0.1 %.
const MAX_GUESSES: u32 = 1000 / CHANCE;

fn enrolment() -> TotpEnrolment {
    TotpEnrolment::new(AccountId::parse("F1").unwrap(), SealedSecret::new(vec![1]))
}

/// Sends wrong tokens in one second until they cause a lock. Returns their number and the duration of the lock.
fn lock(enrolment: &mut TotpEnrolment, now: DateTime<Utc>) -> (usize, TimeDelta) {
    for guesses in 1.. {
        *enrolment = enrolment.after_wrong_token(now);
        if let Some(until) = enrolment.locked_until.filter(|until| now < *until) {
            return (guesses, until - now);
        }
    }
    unreachable!("an unlimited number of guesses")
}

#[test]
fn consecutive_locks_take_longer() {
    let (mut guessed, mut now) = (enrolment(), START);
    let mut locks = Vec::new();
    for _ in 0..5 {
        let (tokens, duration) = lock(&mut guessed, now);
        locks.push((tokens, duration.num_hours()));
        now += duration;
    }
    assert_eq!(locks, [(20, 1), (20, 24), (20, 720), (20, 720), (20, 720)]);
}

#[test]
fn a_lock_after_a_quiet_month_is_as_short_as_the_first() {
    let mut guessed = enrolment();
    lock(&mut guessed, START);
    assert_eq!(lock(&mut guessed, START + TimeDelta::days(30)), (20, TimeDelta::hours(1)));
}

#[test]
fn slow_guesses_lock_too() {
    let mut guessed = enrolment();
    let mut now = START;
    while !guessed.is_locked(now) {
        now += TimeDelta::minutes(30);
        guessed = guessed.after_wrong_token(now);
    }
    assert!(now - START < TimeDelta::hours(32), "{now}");
    assert_eq!(guessed.locked_until, Some(now + TotpEnrolment::third_lock()));
}

#[test]
fn a_correct_token_forgives_nothing() {
    let guessed = (0..19).fold(enrolment(), |next, _| next.after_wrong_token(START));
    let used = guessed.after_step(7);
    assert_eq!((used.unforgiven, used.wrong_at.len()), (19, 19));
}

#[test]
fn an_operator_unlocks() {
    let mut guessed = enrolment().after_step(7);
    for _ in 0..3 {
        lock(&mut guessed, START);
    }
    let unlocked = guessed.unlocked();
    assert_eq!(unlocked, enrolment().after_step(7));
    assert!(!unlocked.is_locked(START));
}

/// Guesses as fast as the locks allow, with pauses, some days after a first wrong token. Returns the largest number of
/// guesses within a year.
fn max_in_a_year(idle_days: u32, pauses: impl Iterator<Item = (u32, u32)>) -> usize {
    let (mut guessed, mut at) = (enrolment().after_wrong_token(START), Vec::new());
    let mut now = START + TimeDelta::days(idle_days.into());
    let end = now + TimeDelta::days(1200);
    for (minutes, guesses) in pauses {
        now = now.max(guessed.locked_until.unwrap_or(now)) + TimeDelta::minutes(minutes.into());
        for _ in 0..guesses {
            if guessed.is_locked(now) {
                break;
            }
            guessed = guessed.after_wrong_token(now);
            at.push(now);
        }
        if now > end {
            break;
        }
    }
    let year = |from: usize| at[from..].iter().take_while(|time| **time < at[from] + TimeDelta::days(366)).count();
    (0..at.len()).map(year).max().unwrap_or(0)
}

#[test]
fn guessing_without_a_pause_succeeds_with_less_than_one_in_a_thousand_a_year() {
    for idle_days in [0, 1, 40, 365, 730] {
        let guesses = max_in_a_year(idle_days, std::iter::repeat((0, 60)));
        assert!(guesses < MAX_GUESSES as usize && guesses > 250, "{guesses} after {idle_days} days");
    }
}

proptest! {
    /// With any pauses, there are too few guesses in a year for a probability of 0.1 %.
    #[test]
    fn no_rhythm_of_guesses_succeeds(
        idle_days in 0_u32..1000,
        rhythm in proptest::collection::vec((0_u32..6000, 1_u32..25), 1..12),
    ) {
        let guesses = max_in_a_year(idle_days, rhythm.into_iter().cycle().take(20_000));
        prop_assert!(guesses < MAX_GUESSES as usize, "{guesses}");
    }
}
