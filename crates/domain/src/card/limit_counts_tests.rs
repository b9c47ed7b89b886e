//! Tests of the amounts that limits count.

use super::*;
use crate::test_support::a_limit;
use chrono::TimeZone;
use proptest::prelude::*;

fn at(day: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 9, day, 12, 0, 0).unwrap()
}

fn limit(window: LimitWindow) -> CardLimit {
    a_limit(window, "100.00 GBP")
}

/// Limits, and the amounts that they counted for one chain.
#[derive(Clone)]
struct LimitsOfChain(Vec<CardLimit>, Vec<CountedAmount>);

impl LimitsOfChain {
    fn apply(&mut self, counts: LimitCounts) {
        for changed in counts.changed {
            let id = changed.id;
            *self.0.iter_mut().find(|known| known.id == id).unwrap() = changed;
        }
        self.1 = counts.counted;
    }

    fn spend(&mut self, amount: i64, day: u32) {
        self.apply(LimitCounts::spend(&self.0, self.1.clone(), (Minor(amount), CountedKind::Spent, true), at(day)));
    }

    fn give_back(&mut self, amount: i64, day: u32) {
        self.apply(LimitCounts::give_back(&self.0, self.1.clone(), Minor(amount), at(day)));
    }

    fn lower(&mut self, amount: i64, day: u32) {
        self.apply(LimitCounts::lower(&self.0, self.1.clone(), Minor(amount), at(day)));
    }

    fn raise(&mut self, amount: i64, day: u32) {
        self.apply(LimitCounts::raise(&self.0, self.1.clone(), Minor(amount), at(day)));
    }

    fn spent(&self, day: u32) -> i64 {
        self.0[0].current(at(day)).spent.0
    }
}

#[test]
fn a_limit_that_was_set_later_gives_nothing_back() {
    let mut counted = LimitsOfChain(vec![], vec![]);
    counted.spend(60, 2);
    counted.0.push(limit(LimitWindow::Month));
    let other = LimitCounts::spend(&counted.0, vec![], (Minor(30), CountedKind::Spent, true), at(2));
    counted.apply(LimitCounts { counted: vec![], ..other });
    counted.give_back(60, 2);
    assert_eq!(counted.spent(2), 30);
}

#[test]
fn an_amount_is_given_back_to_the_window_that_counted_it() {
    let mut counted = LimitsOfChain(vec![limit(LimitWindow::Day)], vec![]);
    counted.spend(60, 2);
    counted.spend(20, 3);
    counted.give_back(30, 3);
    assert_eq!(counted.spent(3), 0, "the newest first: 20 of this day, 10 of the day before");
    assert_eq!(counted.1.iter().map(|entry| entry.amount.0).collect::<Vec<_>>(), [50]);
    let mut lifetime = LimitsOfChain(vec![limit(LimitWindow::Lifetime)], vec![]);
    lifetime.spend(60, 2);
    lifetime.spend(20, 3);
    lifetime.give_back(30, 3);
    assert_eq!((lifetime.spent(3), lifetime.0[0].uses), (50, 2));
}

#[test]
fn refunds_lower_the_current_windows_to_zero_at_most() {
    let mut counted = LimitsOfChain(vec![limit(LimitWindow::Month)], vec![]);
    counted.spend(60, 2);
    counted.lower(50, 3);
    assert_eq!(counted.spent(3), 10);
    counted.give_back(60, 3);
    assert_eq!(counted.spent(3), 0);
    assert_eq!(
        LimitCounts::lower(&counted.0, vec![], Minor(50), at(3)),
        LimitCounts::default(),
        "no used amount is left"
    );
}

#[test]
fn a_refund_that_is_taken_back_raises_what_it_lowered_in_that_window() {
    let mut unused = LimitsOfChain(vec![limit(LimitWindow::Day)], vec![]);
    unused.lower(10, 2);
    unused.raise(10, 2);
    assert_eq!(unused.spent(2), 0, "the refund lowered nothing");
    let mut counted = LimitsOfChain(vec![limit(LimitWindow::Day), limit(LimitWindow::Lifetime)], vec![]);
    counted.spend(6, 2);
    counted.lower(10, 2);
    counted.raise(4, 2);
    assert_eq!((counted.spent(2), counted.0[1].spent), (4, Minor(4)));
    counted.raise(6, 3);
    assert_eq!((counted.spent(3), counted.0[1].spent), (0, Minor(6)), "the refund had lowered the day before");
}

#[test]
fn permanent_amounts_are_not_given_back() {
    let mut counted = LimitsOfChain(vec![limit(LimitWindow::Day)], vec![]);
    counted.spend(10, 2);
    let permanent =
        LimitCounts::spend(&counted.0, counted.1.clone(), (Minor(10), CountedKind::Permanent, false), at(3));
    counted.apply(permanent);
    counted.give_back(10, 3);
    assert_eq!(counted.spent(3), 10, "the hold was counted on the day before");
}

#[test]
fn a_new_window_starts_at_zero() {
    let mut counted = LimitsOfChain(vec![limit(LimitWindow::Day)], vec![]);
    counted.spend(60, 2);
    assert_eq!((counted.spent(2), counted.spent(3)), (60, 0));
    counted.spend(i64::MAX, 2);
    assert_eq!(counted.spent(2), i64::MAX);
    assert_eq!(counted.1[0].amount.0, i64::MAX);
}

#[test]
fn a_late_message_does_not_reset_a_newer_window() {
    let mut counted = LimitsOfChain(vec![limit(LimitWindow::Day), limit(LimitWindow::Lifetime)], vec![]);
    counted.spend(60, 3);
    counted.spend(20, 2);
    assert_eq!((counted.spent(3), counted.0[0].uses), (60, 1));
    assert_eq!((counted.0[1].spent, counted.0[1].uses), (Minor(80), 2));
    counted.give_back(70, 2);
    assert_eq!((counted.spent(3), counted.0[1].spent), (0, Minor(10)));
}

proptest! {
    /// In any order of steps, the use of a limit is the sum of the amounts that it counted in its current window and
    /// has not given back.
    #[test]
    fn the_use_of_a_limit_is_the_sum_of_its_counted_amounts(
        steps in proptest::collection::vec((any::<bool>(), 0_i64..100, 0_u32..2), 1..20),
        window in proptest::sample::select(&LimitWindow::SPENDING[..]),
    ) {
        let (mut counted, mut day) = (LimitsOfChain(vec![limit(window)], vec![]), 1);
        for (is_spent, amount, days) in steps {
            day += days;
            if is_spent { counted.spend(amount, day) } else { counted.give_back(amount, day) }
            let start = window.start(at(day));
            let in_window: i64 =
                counted.1.iter().filter(|entry| entry.window_start == start).map(|entry| entry.amount.0).sum();
            prop_assert_eq!(counted.spent(day), in_window);
        }
    }
}
