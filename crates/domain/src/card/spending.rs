//! Spending limits of cards.

use crate::money::Minor;
use chrono::{DateTime, Datelike, Days, NaiveDate, Utc};

/// The period over which a limit counts. All windows begin at 00:00 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SpendingWindow {
    /// A day, from 00:00.
    Day,
    /// A week, from Sunday.
    Week,
    /// A month, from the 1st.
    Month,
    /// The card's whole life.
    Lifetime,
}

impl SpendingWindow {
    /// All windows.
    pub const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Lifetime];

    /// The name as callers see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "DAY",
            Self::Week => "WEEK",
            Self::Month => "MONTH",
            Self::Lifetime => "LIFETIME",
        }
    }

    /// The first day of the window that contains `now`.
    pub fn start(self, now: DateTime<Utc>) -> NaiveDate {
        let today = now.date_naive();
        match self {
            Self::Day => today,
            Self::Week => {
                let since_sunday = u64::from(today.weekday().num_days_from_sunday());
                today.checked_sub_days(Days::new(since_sunday)).unwrap_or(today)
            }
            Self::Month => today.with_day(1).unwrap_or(today),
            Self::Lifetime => NaiveDate::default(),
        }
    }
}

/// A spending limit of a card, with its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpendingLimit {
    /// The window it counts over.
    pub window: SpendingWindow,
    /// Maximum amount in a window.
    pub amount: Minor,
    /// Maximum number of uses in a window; `None` for any number.
    pub most_uses: Option<u32>,
    /// The first day of the window that `spent` and `uses` belong to.
    pub window_start: NaiveDate,
    /// The amount spent in it, never negative.
    pub spent: Minor,
    /// Number of uses of the card in it.
    pub uses: u32,
}

impl SpendingLimit {
    /// The limit with its use in the current window, which is zero when a new window has begun.
    #[must_use]
    pub fn current(&self, now: DateTime<Utc>) -> Self {
        let start = self.window.start(now);
        if self.window_start == start {
            self.clone()
        } else {
            Self { window_start: start, spent: Minor::ZERO, uses: 0, ..self.clone() }
        }
    }

    /// Whether an approval of `amount` would stay within the limit.
    pub fn allows(&self, amount: Minor, now: DateTime<Utc>) -> bool {
        LimitSeen::of(&self.current(now), amount).allows()
    }

    /// The limit after an approval of `amount`.
    #[must_use]
    pub fn after_use(&self, amount: Minor, now: DateTime<Utc>) -> Self {
        let current = self.current(now);
        let spent = current.spent.plus(amount).unwrap_or(Minor(i64::MAX));
        Self { spent, uses: current.uses.saturating_add(1), ..current }
    }

    /// The limit after an approval of `amount` more for a use that was counted before.
    #[must_use]
    pub fn after_more(&self, amount: Minor, now: DateTime<Utc>) -> Self {
        let current = self.current(now);
        let spent = current.spent.plus(amount).unwrap_or(Minor(i64::MAX));
        Self { spent, ..current }
    }

    /// The limit after an amount counted at `counted_at` grew (positive) or was released (negative). A change to an
    /// earlier window has no effect. Uses stay counted.
    #[must_use]
    pub fn after_change(&self, change: Minor, counted_at: DateTime<Utc>, now: DateTime<Utc>) -> Self {
        let current = self.current(now);
        if self.window.start(counted_at) != current.window_start {
            return current;
        }
        let spent = current.spent.plus(change).unwrap_or(Minor(i64::MAX)).max(Minor::ZERO);
        Self { spent, ..current }
    }
}

/// A spending limit as evaluated, with its use in the window at that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSeen {
    /// The window it counts over.
    pub window: SpendingWindow,
    /// The first day of the window.
    pub window_start: NaiveDate,
    /// Maximum amount in a window.
    pub amount: Minor,
    /// The amount spent in the window.
    pub spent: Minor,
    /// Maximum number of uses in a window. `None` for any number, or if the message does not count as a use.
    pub most_uses: Option<u32>,
    /// Number of uses of the card in the window.
    pub uses: u32,
    /// The requested amount.
    pub requested: Minor,
}

impl LimitSeen {
    /// Evaluates a current limit for a message of `requested`.
    pub(super) fn of(current: &SpendingLimit, requested: Minor) -> Self {
        let SpendingLimit { window, amount, most_uses, window_start, spent, uses } = *current;
        Self { window, window_start, amount, spent, most_uses, uses, requested }
    }

    /// Whether the amount stays within the limit.
    pub fn allows(&self) -> bool {
        self.spent.plus(self.requested).is_some_and(|sum| sum <= self.amount)
            && self.most_uses.is_none_or(|max| self.uses < max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    fn at(day: u32) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 9, day, 12, 0, 0).unwrap()
    }

    fn limit(window: SpendingWindow) -> SpendingLimit {
        let window_start = window.start(at(1));
        SpendingLimit { window, amount: Minor(100), most_uses: Some(3), window_start, spent: Minor(0), uses: 0 }
    }

    #[test]
    fn windows_begin_at_utc_calendar_boundaries() {
        let day = |month, day| NaiveDate::from_ymd_opt(2026, month, day).unwrap();
        assert_eq!(SpendingWindow::Day.start(at(16)), day(9, 16));
        assert_eq!(SpendingWindow::Week.start(at(16)), day(9, 13));
        assert_eq!(SpendingWindow::Week.start(at(13)), day(9, 13));
        assert_eq!(SpendingWindow::Month.start(at(16)), day(9, 1));
    }

    #[test]
    fn a_new_window_starts_at_zero() {
        let used = limit(SpendingWindow::Day).after_use(Minor(100), at(1));
        assert!(!used.allows(Minor(1), at(1)));
        assert!(used.allows(Minor(100), at(2)));
        let lifetime = limit(SpendingWindow::Lifetime).after_use(Minor(100), at(1));
        assert!(!lifetime.allows(Minor(1), at(2)));
    }

    #[test]
    fn amounts_are_given_back_and_uses_are_not() {
        let mut used = limit(SpendingWindow::Month);
        for _ in 0..3 {
            used = used.after_use(Minor(30), at(1)).after_change(Minor(-30), at(1), at(2));
        }
        assert_eq!((used.spent, used.uses), (Minor(0), 3));
        assert!(!used.allows(Minor(1), at(2)));
    }

    #[test]
    fn amounts_of_an_earlier_window_are_not_given_back_to_the_current_one() {
        let used = limit(SpendingWindow::Day).after_use(Minor(60), at(2));
        assert_eq!(used.after_change(Minor(-50), at(1), at(2)).spent, Minor(60));
        assert_eq!(used.after_change(Minor(-50), at(2), at(2)).spent, Minor(10));
        assert_eq!(used.after_change(Minor(-70), at(2), at(2)).spent, Minor(0));
    }
}
