//! When a subscription is disabled because its receiver fails.

use crate::ids::AccountId;
use chrono::{DateTime, TimeDelta, Utc};

/// A subscription whose every delivery has failed for this long is disabled.
pub const FAILING_FOR: TimeDelta = TimeDelta::days(5);

/// The reason that Florin disabled a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisabledReason {
    /// The receiver answered 410.
    Gone,
    /// Every delivery failed for five days.
    Failing,
}

impl DisabledReason {
    /// Both reasons.
    pub const ALL: [Self; 2] = [Self::Gone, Self::Failing];

    /// The reason as stored and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }
}

/// The first failure since the last success of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The account of the event, whose clock measures the time.
    pub account: AccountId,
    /// When it failed, by the clock of the account.
    pub since: DateTime<Utc>,
    /// When it failed, in real time. It counts for events of other accounts.
    pub real_since: DateTime<Utc>,
}

impl Failing {
    /// Whether a failure now, of an event of this account, is one too many.
    pub fn is_too_long(&self, account: &AccountId, now: DateTime<Utc>, real_now: DateTime<Utc>) -> bool {
        let time = if self.account == *account { now - self.since } else { real_now - self.real_since };
        time >= FAILING_FOR
    }
}
