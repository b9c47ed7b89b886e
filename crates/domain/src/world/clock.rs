//! The clock of an account: it runs with an offset from real time, or is frozen.

use crate::fault::Flaw;
use chrono::{DateTime, Datelike, NaiveDateTime, TimeDelta, Utc};

/// The years that a clock can be set to.
const YEARS: std::ops::RangeInclusive<i32> = 2000..=2099;

/// The clock of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockSetting {
    /// The clock runs with an offset from real time, in whole microseconds.
    Running {
        /// The offset. A negative offset is behind real time.
        ahead: TimeDelta,
    },
    /// The clock is frozen.
    Frozen {
        /// The time that it shows.
        at: DateTime<Utc>,
    },
}

/// The default is real time.
impl Default for ClockSetting {
    fn default() -> Self {
        Self::Running { ahead: TimeDelta::zero() }
    }
}

impl ClockSetting {
    /// Returns the time that the clock shows at a given real time.
    pub fn now(self, real: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Running { ahead } => real.checked_add_signed(ahead).unwrap_or(real),
            Self::Frozen { at } => at,
        }
    }

    /// Returns the time that the clock shows at a given real time, together with the real time.
    pub fn time_at(self, real: DateTime<Utc>) -> AccountTime {
        AccountTime { shown: self.now(real), real }
    }

    /// Creates a clock that shows `now` at the real time `real`, and runs from there.
    pub fn running_from(now: DateTime<Utc>, real: DateTime<Utc>) -> Self {
        Self::Running { ahead: now - real }
    }

    /// Returns this clock, set back to a time that it showed before.
    #[must_use]
    pub fn put_back(self, showed: DateTime<Utc>, real: DateTime<Utc>) -> Self {
        match self {
            Self::Frozen { .. } => Self::Frozen { at: showed },
            Self::Running { .. } => Self::running_from(showed, real),
        }
    }

    /// Returns whether the clock is frozen.
    pub const fn is_frozen(self) -> bool {
        matches!(self, Self::Frozen { .. })
    }
}

/// The current time of an account, by its clock and in real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountTime {
    /// The time that the account's clock shows.
    pub shown: DateTime<Utc>,
    /// The real time.
    pub real: DateTime<Utc>,
}

/// A change of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// Freezes the clock at its current time.
    Freeze,
    /// Freezes the clock at this time, which must not be before its current time.
    FreezeAt(DateTime<Utc>),
    /// Advances the clock. A running clock keeps running, and a frozen one stays frozen.
    AdvanceBy(TimeDelta),
    /// Lets the clock run from its current time.
    Resume,
    /// Makes the clock show real time, which must not be before its current time.
    RealTime,
}

/// A clock with the time that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The clock.
    pub clock: ClockSetting,
    /// The time that it shows.
    pub now: DateTime<Utc>,
}

/// Reasons to refuse a change of a clock. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockRefusal {
    /// The clock would go backwards.
    #[error("cannot go back: the clock shows {now}")]
    Backwards {
        /// The time that the clock shows.
        now: DateTime<Utc>,
    },
    /// The clock would leave the years 2000 to 2099.
    #[error("must keep the clock within the years 2000 to 2099: it shows {now}")]
    TooFar {
        /// The time that the clock shows.
        now: DateTime<Utc>,
    },
}

/// Decides a change of a clock. A clock never goes backwards, so that events stay in order.
///
/// ```
/// use florin_domain::test_support::noon;
/// use florin_domain::world::{ClockChange, ClockSetting, decide_clock};
///
/// let frozen = decide_clock(ClockSetting::default(), ClockChange::Freeze, noon()).unwrap();
/// assert_eq!(frozen.clock, ClockSetting::Frozen { at: noon() });
/// ```
pub fn decide_clock(
    clock: ClockSetting,
    change: ClockChange,
    real: DateTime<Utc>,
) -> Result<ClockReading, ClockRefusal> {
    let now = clock.now(real);
    let clock = match change {
        ClockChange::Freeze => ClockSetting::Frozen { at: now },
        ClockChange::FreezeAt(at) if at < now => return Err(ClockRefusal::Backwards { now }),
        ClockChange::FreezeAt(at) => ClockSetting::Frozen { at },
        ClockChange::AdvanceBy(by) => advanced(clock, by, now)?,
        ClockChange::Resume => ClockSetting::running_from(now, real),
        ClockChange::RealTime if real < now => return Err(ClockRefusal::Backwards { now }),
        ClockChange::RealTime => ClockSetting::default(),
    };
    Ok(ClockReading { clock, now: clock.now(real) })
}

fn advanced(clock: ClockSetting, by: TimeDelta, now: DateTime<Utc>) -> Result<ClockSetting, ClockRefusal> {
    let too_far = ClockRefusal::TooFar { now };
    let then = now.checked_add_signed(by).filter(|then| YEARS.contains(&then.year())).ok_or(too_far)?;
    Ok(match clock {
        ClockSetting::Frozen { .. } => ClockSetting::Frozen { at: then },
        ClockSetting::Running { ahead } => {
            ClockSetting::Running { ahead: ahead.checked_add(&by).ok_or(ClockRefusal::TooFar { now })? }
        }
    })
}

/// Parses a time that a clock can be set to: UTC, whole seconds, years 2000 to 2099, such as `2026-09-01T12:00:00Z`.
pub fn parse_time(text: &str) -> Result<DateTime<Utc>, Flaw> {
    let wrong = || Flaw::format("must be a UTC time in whole seconds, such as 2026-09-01T12:00:00Z");
    // chrono also accepts signs, whitespace and fewer digits.
    let mask = b"0000-00-00T00:00:00Z";
    let fits = text.len() == mask.len()
        && text
            .bytes()
            .zip(mask)
            .all(|(byte, expected)| if *expected == b'0' { byte.is_ascii_digit() } else { byte == *expected });
    if !fits {
        return Err(wrong());
    }
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%SZ").map_err(|_| wrong())?.and_utc();
    // A 60th second is a leap second. Clocks of accounts have no leap seconds.
    if time.timestamp_subsec_nanos() != 0 {
        return Err(wrong());
    }
    if YEARS.contains(&time.year()) { Ok(time) } else { Err(Flaw::range("must be in the years 2000 to 2099")) }
}
