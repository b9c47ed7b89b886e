//! The clock of an account: it runs, ahead of real time or behind it, or stands still.

use crate::fault::Flaw;
use chrono::{DateTime, Datelike, NaiveDateTime, TimeDelta, Utc};

/// The years that a clock can be set to.
const YEARS: std::ops::RangeInclusive<i32> = 2000..=2099;

/// The clock of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockSetting {
    /// It runs, this far ahead of real time (behind it where that is negative), in whole microseconds.
    Running {
        /// How far.
        ahead: TimeDelta,
    },
    /// It stands still.
    Frozen {
        /// Where.
        at: DateTime<Utc>,
    },
}

/// Real time.
impl Default for ClockSetting {
    fn default() -> Self {
        Self::Running { ahead: TimeDelta::zero() }
    }
}

impl ClockSetting {
    /// What it shows at a moment of real time.
    pub fn now(self, real: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Running { ahead } => real.checked_add_signed(ahead).unwrap_or(real),
            Self::Frozen { at } => at,
        }
    }

    /// A clock that runs on from `now`.
    pub fn running_from(now: DateTime<Utc>, real: DateTime<Utc>) -> Self {
        Self::Running { ahead: now - real }
    }

    /// This clock, put back to what it showed once.
    #[must_use]
    pub fn put_back(self, showed: DateTime<Utc>, real: DateTime<Utc>) -> Self {
        match self {
            Self::Frozen { .. } => Self::Frozen { at: showed },
            Self::Running { .. } => Self::running_from(showed, real),
        }
    }

    /// Whether it stands still.
    pub const fn is_frozen(self) -> bool {
        matches!(self, Self::Frozen { .. })
    }
}

/// What is to become of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// It stops where it is.
    Freeze,
    /// It goes to that time, and stops there.
    FreezeAt(DateTime<Utc>),
    /// It goes forward by that much; whether it runs or stands still stays so.
    AdvanceBy(TimeDelta),
    /// It runs on from where it is.
    Resume,
}

/// A clock, and what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The clock.
    pub clock: ClockSetting,
    /// What it shows.
    pub now: DateTime<Utc>,
}

/// Why a clock is not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockRefusal {
    /// It would go backwards.
    #[error("the clock shows {now} already")]
    Backwards {
        /// What it shows.
        now: DateTime<Utc>,
    },
    /// It would go beyond the years that it can be set to.
    #[error("the clock shows {now}, and would leave the years that it can be set to")]
    TooFar {
        /// What it shows.
        now: DateTime<Utc>,
    },
}

/// Decides what becomes of a clock. Time never goes backwards: what has happened was before what happens.
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

/// Reads a time that a clock can be set to: UTC, whole seconds, `2026-09-01T12:00:00Z`, of the years 2000 to 2099.
pub fn parse_time(text: &str) -> Result<DateTime<Utc>, Flaw> {
    let wrong = || Flaw::format("A time in UTC such as 2026-09-01T12:00:00Z is wanted.");
    // chrono takes signs, blanks and fewer digits, too.
    let mask = b"0000-00-00T00:00:00Z";
    let fits = text.len() == mask.len()
        && text
            .bytes()
            .zip(mask)
            .all(|(byte, wanted)| if *wanted == b'0' { byte.is_ascii_digit() } else { byte == *wanted });
    if !fits {
        return Err(wrong());
    }
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%SZ").map_err(|_| wrong())?.and_utc();
    // Sixty seconds of a minute are a leap second, which clocks of accounts don't have.
    if time.timestamp_subsec_nanos() != 0 {
        return Err(wrong());
    }
    if YEARS.contains(&time.year()) {
        Ok(time)
    } else {
        Err(Flaw::range("A time of the years 2000 to 2099 is wanted."))
    }
}
