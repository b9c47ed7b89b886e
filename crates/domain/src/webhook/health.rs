//! The health of a subscription: Florin disables it if its receiver keeps failing.

use crate::ids::AccountId;
use crate::world::AccountTime;
use chrono::{DateTime, TimeDelta, Utc};

/// A subscription is disabled if every attempt has failed for this long.
pub const FAILING_FOR: TimeDelta = TimeDelta::days(5);

/// The reason that Florin disabled a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisabledReason {
    /// The receiver responded with 410.
    Gone,
    /// Every attempt failed for five days.
    Failing,
}

impl DisabledReason {
    /// Both reasons.
    pub const ALL: [Self; 2] = [Self::Gone, Self::Failing];

    /// Returns the name that is stored and shown in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }
}

/// The first failure since the last success of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstFailure {
    /// The account of the event whose delivery failed. The account's clock measures how long deliveries have failed.
    pub account: AccountId,
    /// When the first failure occurred, by the clock of the account.
    pub since: DateTime<Utc>,
    /// When the first failure occurred, in real time. Used if a later failed event belongs to another account.
    pub real_since: DateTime<Utc>,
}

impl FirstFailure {
    /// Returns whether the receiver has failed for too long, if an event of this account fails now.
    pub fn is_too_long(&self, account: &AccountId, now: AccountTime) -> bool {
        let time = if self.account == *account { now.shown - self.since } else { now.real - self.real_since };
        time >= FAILING_FOR
    }
}
