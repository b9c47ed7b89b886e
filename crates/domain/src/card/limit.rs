//! Limits of cards: transaction limits and spending limits.

use crate::ids::LimitId;
use crate::money::Minor;
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, Utc};

/// The window of a limit: a single transaction, or a period over which it counts. Periods begin at 00:00 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LimitWindow {
    /// A single transaction. A limit with this window counts nothing.
    Transaction,
    /// A day, from 00:00.
    Day,
    /// A week, from Sunday.
    Week,
    /// A month, from the 1st.
    Month,
    /// The card's whole life.
    Lifetime,
}

impl LimitWindow {
    /// All windows, in the order in which their limits are checked.
    pub const ALL: [Self; 5] = [Self::Transaction, Self::Day, Self::Week, Self::Month, Self::Lifetime];

    /// The windows of spending limits.
    pub const SPENDING: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Lifetime];

    /// The name as callers see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transaction => "TRANSACTION",
            Self::Day => "DAY",
            Self::Week => "WEEK",
            Self::Month => "MONTH",
            Self::Lifetime => "LIFETIME",
        }
    }

    /// The first day of the window that contains `now`. 1970-01-01 for `Transaction` and `Lifetime`.
    pub fn start(self, now: DateTime<Utc>) -> NaiveDate {
        let today = now.date_naive();
        match self {
            Self::Day => today,
            Self::Week => {
                let since_sunday = u64::from(today.weekday().num_days_from_sunday());
                today.checked_sub_days(Days::new(since_sunday)).unwrap_or(today)
            }
            Self::Month => today.with_day(1).unwrap_or(today),
            Self::Transaction | Self::Lifetime => NaiveDate::default(),
        }
    }

    /// Number of days until the window ends, today included. `None` for a window without an end.
    pub fn days_remaining(self, now: DateTime<Utc>) -> Option<i64> {
        let start = self.start(now);
        let end = match self {
            Self::Day => start.checked_add_days(Days::new(1)),
            Self::Week => start.checked_add_days(Days::new(7)),
            Self::Month => start.checked_add_months(Months::new(1)),
            Self::Transaction | Self::Lifetime => None,
        };
        end.map(|end| (end - now.date_naive()).num_days())
    }
}

/// A limit of a card, and how much of it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardLimit {
    /// Its id.
    pub id: LimitId,
    /// Its window. A card has at most one limit for each window.
    pub window: LimitWindow,
    /// Maximum amount in a window.
    pub amount: Minor,
    /// Maximum number of uses in a window; `None` for any number.
    pub max_uses: Option<u32>,
    /// Whether it is active. An inactive limit declines nothing, but still counts.
    pub active: bool,
    /// Whether the client turned it off. This has the same effect as making it inactive.
    pub turned_off: bool,
    /// The first day of the window that `spent` and `uses` belong to.
    pub window_start: NaiveDate,
    /// The amount spent in the window, never negative.
    pub spent: Minor,
    /// Number of uses of the card in the window.
    pub uses: u32,
    /// The part of `spent` and `uses` that messages of another card caused, such as a replaced card.
    pub carried: CarriedUse,
}

/// The use that a new limit took over from the limit of another card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CarriedUse {
    /// The amount.
    pub spent: Minor,
    /// Number of uses.
    pub uses: u32,
}

impl CardLimit {
    /// Returns the limit with its use in the current window: zero if a new window has begun. If `now` is in an earlier
    /// window, the limit stays in its window: a message from just before midnight may be decided after a later one.
    #[must_use]
    pub fn current(&self, now: DateTime<Utc>) -> Self {
        let start = self.window.start(now);
        if self.window_start >= start {
            self.clone()
        } else {
            let (spent, uses, carried) = (Minor::ZERO, 0, CarriedUse::default());
            Self { window_start: start, spent, uses, carried, ..self.clone() }
        }
    }

    /// Whether it can decline a message.
    pub const fn is_on(&self) -> bool {
        self.active && !self.turned_off
    }

    /// Whether it counts the amounts spent. A transaction limit does not.
    pub fn counts(&self) -> bool {
        self.window != LimitWindow::Transaction
    }

    /// Whether the limit has moved on to a later window than that of a message at this time.
    pub fn has_moved_past(&self, at: DateTime<Utc>) -> bool {
        self.window.start(at) < self.window_start
    }

    /// The amount left in its window, never negative.
    pub fn left(&self) -> Minor {
        self.amount.minus(self.spent).unwrap_or(Minor::ZERO).max(Minor::ZERO)
    }

    /// Number of uses left in its window; `None` for any number.
    pub fn uses_left(&self) -> Option<u32> {
        self.max_uses.map(|max| max.saturating_sub(self.uses))
    }
}

/// The input of the rule of a limit: the limit, its use at that time, and the requested amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitCheck {
    /// The window of the limit.
    pub window: LimitWindow,
    /// The first day of the window.
    pub window_start: NaiveDate,
    /// Maximum amount in a window.
    pub amount: Minor,
    /// The amount spent in the window.
    pub spent: Minor,
    /// Maximum number of uses in a window. `None` for any number, or if the message does not count as a use.
    pub max_uses: Option<u32>,
    /// Number of uses of the card in the window.
    pub uses: u32,
    /// The requested amount.
    pub requested: Minor,
}

impl LimitCheck {
    /// Combines a limit, which must be in its current window, with a requested amount.
    pub(super) fn of(current: &CardLimit, requested: Minor) -> Self {
        let CardLimit { window, amount, max_uses, window_start, spent, uses, .. } = *current;
        Self { window, window_start, amount, spent, max_uses, uses, requested }
    }

    /// Whether the amount and the number of uses stay within the limit.
    pub fn allows(&self) -> bool {
        self.spent.plus(self.requested).is_some_and(|sum| sum <= self.amount)
            && self.max_uses.is_none_or(|max| self.uses < max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::a_limit;
    use chrono::TimeZone;

    fn at(day: u32) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 9, day, 12, 0, 0).unwrap()
    }

    #[test]
    fn windows_begin_at_utc_calendar_boundaries() {
        let day = |month, day| NaiveDate::from_ymd_opt(2026, month, day).unwrap();
        assert_eq!(LimitWindow::Day.start(at(16)), day(9, 16));
        assert_eq!(LimitWindow::Week.start(at(16)), day(9, 13));
        assert_eq!(LimitWindow::Week.start(at(13)), day(9, 13));
        assert_eq!(LimitWindow::Month.start(at(16)), day(9, 1));
    }

    #[test]
    fn a_window_moves_forward_only() {
        let start = LimitWindow::Day.start(at(16));
        let limit = CardLimit { spent: Minor(7), uses: 2, ..a_limit(LimitWindow::Day, "10.00 GBP") };
        let limit = CardLimit { window_start: start, ..limit };
        assert_eq!(limit.current(at(15)), limit);
        assert_eq!(limit.current(at(16)), limit);
        assert_eq!([15, 16, 17].map(|day| limit.has_moved_past(at(day))), [true, false, false]);
        let next = limit.current(at(17));
        assert_eq!((next.window_start, next.spent, next.uses), (LimitWindow::Day.start(at(17)), Minor::ZERO, 0));
    }

    #[test]
    fn the_days_that_remain_include_today() {
        let remaining = |day| LimitWindow::ALL.map(|window| window.days_remaining(at(day)));
        assert_eq!(remaining(16), [None, Some(1), Some(4), Some(15), None]);
        assert_eq!(remaining(12), [None, Some(1), Some(1), Some(19), None]);
        assert_eq!(remaining(30), [None, Some(1), Some(4), Some(1), None]);
    }
}
