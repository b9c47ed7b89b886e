//! TOTP enrolments of accounts.

use crate::ids::AccountId;
use chrono::{DateTime, TimeDelta, Utc};
use std::fmt;

/// A shared secret. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Wraps the bytes.
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes, for checking and storing them.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// An account's TOTP secret, with its protection against guessing and replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TotpEnrolment {
    /// The account.
    pub account: AccountId,
    /// The secret that the account shares with its authenticator.
    pub secret: Secret,
    /// The recently used time steps (RFC 6238), in the order of use. Each step is accepted once.
    pub used_steps: Vec<i64>,
    /// The times of wrong tokens within the last hour.
    pub wrong_at: Vec<DateTime<Utc>>,
    /// Until this time every token is refused.
    pub locked_until: Option<DateTime<Utc>>,
}

impl TotpEnrolment {
    /// Number of wrong tokens within [`Self::window`] that locks TOTP of the account for the same period.
    pub const MAX_WRONG_TOKENS: usize = 20;

    /// Steps this far behind the newest used step count as used. The tolerance of one step either way never reaches
    /// them.
    const FORGOTTEN: i64 = 3;

    /// The period over which wrong tokens count, and the duration of a lock.
    pub const fn window() -> TimeDelta {
        TimeDelta::hours(1)
    }

    /// Whether TOTP of the account is locked.
    pub fn is_locked(&self, now: DateTime<Utc>) -> bool {
        self.locked_until.is_some_and(|until| now < until)
    }

    /// Whether a time step was used before.
    pub fn is_spent(&self, step: i64) -> bool {
        let newest = self.used_steps.iter().max();
        self.used_steps.contains(&step) || newest.is_some_and(|newest| step < newest.saturating_sub(Self::FORGOTTEN))
    }

    /// The enrolment after a wrong token; the twentieth within an hour locks it.
    #[must_use]
    pub fn after_wrong_token(&self, now: DateTime<Utc>) -> Self {
        let mut next = self.clone();
        next.wrong_at.retain(|at| *at > now - Self::window());
        next.wrong_at.push(now);
        if next.wrong_at.len() >= Self::MAX_WRONG_TOKENS {
            next.locked_until = Some(now + Self::window());
            next.wrong_at.clear();
        }
        next
    }

    /// The enrolment after a step was used. The count of wrong tokens stays.
    #[must_use]
    pub fn after_step(&self, step: i64) -> Self {
        let mut next = self.clone();
        next.used_steps.push(step);
        let newest = next.used_steps.iter().copied().max().unwrap_or(step);
        next.used_steps.retain(|used| *used >= newest.saturating_sub(Self::FORGOTTEN));
        next
    }
}
