//! Limits of a card: which amounts they count, in which window, and which amounts they give back.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate};

pub(super) const DAY: i64 = 86_400;

/// Returns the day (UTC) of a time in seconds.
pub(super) fn date(now: i64) -> NaiveDate {
    DateTime::from_timestamp(now, 0).unwrap().date_naive()
}

/// What a limit applies to: one transaction, or a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Window {
    Transaction,
    Day,
    Week,
    Month,
    Lifetime,
}

impl Window {
    pub(super) const ALL: [Self; 5] = [Self::Transaction, Self::Day, Self::Week, Self::Month, Self::Lifetime];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Transaction => "TRANSACTION",
            Self::Day => "DAY",
            Self::Week => "WEEK",
            Self::Month => "MONTH",
            Self::Lifetime => "LIFETIME",
        }
    }

    /// Returns the first day of the current window.
    fn start(self, now: i64) -> NaiveDate {
        let today = date(now);
        match self {
            Self::Transaction | Self::Lifetime => NaiveDate::MIN,
            Self::Day => today,
            Self::Week => today - Days::new(u64::from(today.weekday().num_days_from_sunday())),
            Self::Month => today.with_day(1).unwrap(),
        }
    }

    /// Returns the days that are left, today included.
    pub(super) fn days_remaining(self, now: i64) -> Option<i64> {
        let start = self.start(now);
        let end = match self {
            Self::Transaction | Self::Lifetime => return None,
            Self::Day => start + Days::new(1),
            Self::Week => start + Days::new(7),
            Self::Month => start + Months::new(1),
        };
        Some((end - date(now)).num_days())
    }
}

/// The members of a limit that a request sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) amount: i64,
    /// The maximum number of uses. -1: there is no maximum.
    pub(super) usage: i64,
    pub(super) active: bool,
    pub(super) off: bool,
}

/// A limit of a card.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    pub(super) id: usize,
    pub(super) window: Window,
    pub(super) terms: Terms,
    /// The first day of the window in which `spent` and `uses` were counted.
    start: NaiveDate,
    spent: i64,
    uses: i64,
}

/// The amount that a limit counted for a chain in one window, or by which a refund lowered its used amount there.
#[derive(Clone, Debug)]
pub(super) struct CountedAmount {
    pub(super) limit: usize,
    start: NaiveDate,
    pub(super) amount: i64,
}

impl Limit {
    pub(super) fn new(id: usize, window: Window, terms: Terms, now: i64) -> Self {
        Self { id, window, terms, start: window.start(now), spent: 0, uses: 0 }
    }

    /// Returns the amount and the uses of the current window.
    pub(super) fn used(&self, now: i64) -> (i64, i64) {
        if self.start == self.window.start(now) { (self.spent, self.uses) } else { (0, 0) }
    }

    /// Whether the limit declines an amount. `before` is the amount of the transaction so far. `is_use` is false for an
    /// increment, which is not another use.
    pub(super) fn declines(&self, amount: i64, before: i64, is_use: bool, now: i64) -> bool {
        let (spent, uses) = match self.window {
            Window::Transaction => (before, 0),
            _ => self.used(now),
        };
        let counts = self.terms.active && !self.terms.off;
        let is_used_up = is_use && self.terms.usage >= 0 && uses >= self.terms.usage;
        counts && (spent + amount > self.terms.amount || is_used_up)
    }

    /// Begins a new window if the last one has ended.
    fn roll(&mut self, now: i64) {
        let (spent, uses) = self.used(now);
        (self.start, self.spent, self.uses) = (self.window.start(now), spent, uses);
    }

    /// Counts an amount in the current window.
    pub(super) fn count(&mut self, amount: i64, is_use: bool, now: i64) -> CountedAmount {
        self.roll(now);
        self.spent += amount;
        self.uses += i64::from(is_use);
        CountedAmount { limit: self.id, start: self.start, amount }
    }

    /// Lowers the used amount of the current window, at most to zero. Returns by how much.
    pub(super) fn lower(&mut self, amount: i64, now: i64) -> CountedAmount {
        self.roll(now);
        let amount = amount.min(self.spent);
        self.spent -= amount;
        CountedAmount { limit: self.id, start: self.start, amount }
    }

    /// Adds an amount to the window that began at `start`, unless it has ended. The used amount never falls below zero.
    fn add_to(&mut self, start: NaiveDate, amount: i64, now: i64) {
        self.roll(now);
        if self.start == start {
            self.spent = (self.spent + amount).max(0);
        }
    }
}

/// For each limit, takes `amount` back from what was counted for a chain (`sign` -1), or adds back by how much a refund
/// had lowered it (`sign` 1). The newest window comes first.
pub(super) fn undo(records: &mut [CountedAmount], limits: &mut [Limit], amount: i64, sign: i64, now: i64) {
    for limit in limits {
        let (mut left, id) = (amount, limit.id);
        for record in records.iter_mut().rev().filter(|record| record.limit == id) {
            let part = left.min(record.amount);
            record.amount -= part;
            left -= part;
            limit.add_to(record.start, sign * part, now);
        }
    }
}
