//! What limits count of the messages of a chain, and give back.

use super::{CardLimit, LimitWindow};
use crate::ids::LimitId;
use crate::money::Minor;
use chrono::{DateTime, NaiveDate, Utc};

/// The amount of a chain that a limit counted in one of its windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedAmount {
    /// The limit.
    pub limit: LimitId,
    /// The first day of the window.
    pub window_start: NaiveDate,
    /// The amount, above zero.
    pub amount: Minor,
}

/// The limits that a message changes, and what all limits counted of its chain so far, oldest window first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LimitCounts {
    pub(super) changed: Vec<CardLimit>,
    pub(super) counted: Vec<CountedAmount>,
}

impl LimitCounts {
    /// Counts an amount of a chain, and optionally a use, in the current windows of all limits, switched off or not.
    /// A message of a window that has ended is not counted in the next one.
    pub(super) fn spend(
        limits: &[CardLimit],
        mut counted: Vec<CountedAmount>,
        (amount, is_use): (Minor, bool),
        now: DateTime<Utc>,
    ) -> Self {
        let mut changed = Vec::new();
        // By window, because stores return limits in any order.
        let of = |window| limits.iter().filter(move |limit| limit.window == window);
        for limit in LimitWindow::SPENDING.into_iter().flat_map(of).filter(|limit| !limit.has_passed(now)) {
            let current = limit.current(now);
            let spent = current.spent.plus(amount).unwrap_or(Minor(i64::MAX));
            // A sum at the limit of 64 bits counts only what fits.
            let amount = Minor(spent.0.saturating_sub(current.spent.0));
            let (limit, window_start) = (limit.id, current.window_start);
            match counted.iter_mut().find(|known| (known.limit, known.window_start) == (limit, window_start)) {
                Some(known) => known.amount = known.amount.plus(amount).unwrap_or(Minor(i64::MAX)),
                None if amount > Minor::ZERO => counted.push(CountedAmount { limit, window_start, amount }),
                None => {}
            }
            let uses = if is_use { current.uses.saturating_add(1) } else { current.uses };
            changed.push(CardLimit { spent, uses, ..current });
        }
        Self { changed, counted }
    }

    /// Gives back an amount of a chain: each limit at most what it counted, the newest window first. A window that has
    /// ended keeps its count. Uses stay counted.
    pub(super) fn give_back(
        limits: &[CardLimit],
        mut counted: Vec<CountedAmount>,
        amount: Minor,
        now: DateTime<Utc>,
    ) -> Self {
        let mut changed = Vec::new();
        for limit in limits {
            let mut current = limit.current(now);
            let (mut left, mut back) = (amount.0, 0_i64);
            for entry in counted.iter_mut().rev().filter(|entry| entry.limit == limit.id) {
                let taken = entry.amount.0.min(left);
                entry.amount.0 -= taken;
                left -= taken;
                if entry.window_start == current.window_start {
                    back += taken;
                }
            }
            // A limit whose last window has ended starts the new one, so that its use matches what is counted.
            if left < amount.0 {
                current.spent = lowered(current.spent, Minor(back));
                changed.push(current);
            }
        }
        counted.retain(|entry| entry.amount > Minor::ZERO);
        Self { changed, counted }
    }
}

/// The limits that a refund changes: it names no purchase, so it lowers the current windows.
pub(super) fn after_refund(limits: &[CardLimit], amount: Minor, now: DateTime<Utc>) -> Vec<CardLimit> {
    let current = limits.iter().filter(|limit| limit.counts()).map(|limit| limit.current(now));
    let current = current.filter(|limit| limit.spent > Minor::ZERO);
    current.map(|limit| CardLimit { spent: lowered(limit.spent, amount), ..limit }).collect()
}

fn lowered(spent: Minor, amount: Minor) -> Minor {
    Minor(spent.0.saturating_sub(amount.0).max(0))
}

#[cfg(test)]
#[path = "limit_counts_tests.rs"]
mod tests;
