//! TOTP enrolments of accounts.

use crate::ids::AccountId;
use crate::secret::SealedSecret;
use chrono::{DateTime, TimeDelta, Utc};

/// An account's TOTP secret, with its protection against guessing and replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TotpEnrolment {
    /// The account.
    pub account: AccountId,
    /// The encrypted secret that the account shares with its authenticator.
    pub secret: SealedSecret,
    /// The recently used time steps (RFC 6238), in the order of use. Each step is accepted once.
    pub used_steps: Vec<i64>,
    /// The times of wrong tokens within the last hour.
    pub wrong_at: Vec<DateTime<Utc>>,
    /// The end of the lock: until then every token is refused. `None`: TOTP was not locked since the
    /// enrolment, or since an operator unlocked it.
    pub locked_until: Option<DateTime<Utc>>,
    /// Number of wrong tokens that are not forgiven yet, however long ago they were sent.
    pub unforgiven: u32,
    /// The time up to which wrong tokens were forgiven: the next one is forgiven [`Self::forgiven_after`] later.
    /// `None`: there was no wrong token since the enrolment, or since an operator unlocked TOTP.
    pub forgiven_at: Option<DateTime<Utc>>,
}

impl TotpEnrolment {
    /// Number of wrong tokens within [`Self::window`] that locks TOTP of the account.
    pub const MAX_WRONG_TOKENS: usize = 20;
    /// Number of unforgiven wrong tokens from which a lock lasts [`Self::second_lock`].
    pub const SECOND_LOCK: u32 = 40;
    /// Number of unforgiven wrong tokens from which each wrong token locks TOTP for [`Self::third_lock`], however
    /// slowly they were sent.
    pub const THIRD_LOCK: u32 = 60;
    /// Number of wrong tokens that are forgiven during the longest lock.
    const THIRD_LOCK_FORGIVES: i32 = 20;

    /// Steps that are more than this number behind the newest used step count as used. The check accepts the current
    /// step and one step either way, so it never needs older steps.
    const MAX_STEP_AGE: i64 = 3;

    /// Creates an enrolment without any attempts.
    pub const fn new(account: AccountId, secret: SealedSecret) -> Self {
        Self {
            account,
            secret,
            used_steps: Vec::new(),
            wrong_at: Vec::new(),
            locked_until: None,
            unforgiven: 0,
            forgiven_at: None,
        }
    }

    /// Returns the period in which wrong tokens count, which is also the duration of a first lock.
    pub const fn window() -> TimeDelta {
        TimeDelta::hours(1)
    }

    /// Returns the duration of a lock from [`Self::SECOND_LOCK`] unforgiven wrong tokens on.
    pub const fn second_lock() -> TimeDelta {
        TimeDelta::hours(24)
    }

    /// Returns the time after which one wrong token is forgiven. A correct token forgives none: otherwise somebody who
    /// guesses with a stolen key would profit from the correct tokens of the owner.
    pub const fn forgiven_after() -> TimeDelta {
        TimeDelta::hours(36)
    }

    /// Returns the duration of the longest lock.
    pub fn third_lock() -> TimeDelta {
        Self::forgiven_after() * Self::THIRD_LOCK_FORGIVES
    }

    /// Returns whether TOTP of the account is locked.
    pub fn is_locked(&self, now: DateTime<Utc>) -> bool {
        self.locked_until.is_some_and(|until| now < until)
    }

    /// Returns whether a time step was used before, or is too old.
    pub fn is_spent(&self, step: i64) -> bool {
        let newest = self.used_steps.iter().max();
        self.used_steps.contains(&step) || newest.is_some_and(|newest| step < newest.saturating_sub(Self::MAX_STEP_AGE))
    }

    /// Returns the enrolment after a wrong token. The twentieth wrong token within an hour locks it for an hour.
    /// Further locks last longer, so that guessing for a year succeeds with a probability below 0.1 %.
    #[must_use]
    pub fn after_wrong_token(&self, now: DateTime<Utc>) -> Self {
        let mut next = self.forgiven(now);
        next.unforgiven = next.unforgiven.saturating_add(1);
        next.wrong_at.retain(|at| *at > now - Self::window());
        next.wrong_at.push(now);
        let lock = match next.unforgiven {
            Self::THIRD_LOCK.. => Some(Self::third_lock()),
            _ if next.wrong_at.len() < Self::MAX_WRONG_TOKENS => None,
            Self::SECOND_LOCK.. => Some(Self::second_lock()),
            _ => Some(Self::window()),
        };
        if let Some(lock) = lock {
            next.locked_until = Some(now + lock);
            next.wrong_at.clear();
        }
        next
    }

    /// Returns the enrolment without the wrong tokens that are forgiven by now.
    fn forgiven(&self, now: DateTime<Utc>) -> Self {
        let from = self.forgiven_at.unwrap_or(now);
        let periods = (now - from).num_seconds().max(0) / Self::forgiven_after().num_seconds();
        let forgiven =
            i32::try_from(periods).unwrap_or(i32::MAX).min(i32::try_from(self.unforgiven).unwrap_or(i32::MAX));
        let unforgiven = self.unforgiven.saturating_sub(forgiven.unsigned_abs());
        // Time in which there is no wrong token to forgive does not count for later tokens.
        let forgiven_at = if unforgiven == 0 { now } else { from + Self::forgiven_after() * forgiven };
        Self { unforgiven, forgiven_at: Some(forgiven_at), ..self.clone() }
    }

    /// Returns the enrolment after an operator unlocked it. The used steps are kept.
    #[must_use]
    pub fn unlocked(&self) -> Self {
        Self { used_steps: self.used_steps.clone(), ..Self::new(self.account.clone(), self.secret.clone()) }
    }

    /// Returns the enrolment after a step was used. The count of wrong tokens does not change.
    #[must_use]
    pub fn after_step(&self, step: i64) -> Self {
        let mut next = self.clone();
        next.used_steps.push(step);
        let newest = next.used_steps.iter().copied().max().unwrap_or(step);
        next.used_steps.retain(|used| *used >= newest.saturating_sub(Self::MAX_STEP_AGE));
        next
    }
}

#[cfg(test)]
#[path = "enrolment_tests.rs"]
mod tests;
