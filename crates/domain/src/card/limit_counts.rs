//! How limits count the amounts of a chain, and give them back.
//!
//! Sources:
//! - Spending limits over intervals follow Stripe Issuing.
//!   <https://docs.stripe.com/issuing/controls/spending-controls>

use super::{CardLimit, LimitWindow};
use crate::ids::LimitId;
use crate::money::Minor;
use chrono::{DateTime, NaiveDate, Utc};

/// An amount of a chain that a limit counted in one of its windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedAmount {
    /// The limit.
    pub limit: LimitId,
    /// The first day of the window.
    pub window_start: NaiveDate,
    /// The amount, above zero.
    pub amount: Minor,
    /// Whether the amount can be given back or added again later.
    pub kind: CountedKind,
}

/// The kind of a counted amount: whether it can be given back or added again later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountedKind {
    /// Spent. It is given back when the hold is released or the money is returned.
    Spent,
    /// Spent, and never given back: a forced clearing, or a refund that was taken back. A later release of the hold
    /// gives back only the amount that was counted for the hold.
    Permanent,
    /// Subtracted by a refund. If the refund is taken back, it is added again.
    Refunded,
}

/// The limits that a message changes, and the amounts that all limits have counted for its chain, oldest window first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LimitCounts {
    pub(super) changed: Vec<CardLimit>,
    pub(super) counted: Vec<CountedAmount>,
}

impl LimitCounts {
    /// Counts an amount of a chain, and optionally a use, in the current windows of all limits, including inactive
    /// ones. If the window of the message has ended, no later window counts it.
    pub(super) fn spend(
        limits: &[CardLimit],
        counted: Vec<CountedAmount>,
        (amount, kind, is_use): (Minor, CountedKind, bool),
        now: DateTime<Utc>,
    ) -> Self {
        let mut counts = Self { changed: Vec::new(), counted };
        for limit in counting(limits, now) {
            let current = limit.current(now);
            let spent = current.spent.plus(amount).unwrap_or(Minor(i64::MAX));
            // If the sum overflows 64 bits, only the part that fits is counted.
            counts.add(&current, Minor(spent.0.saturating_sub(current.spent.0)), kind);
            let uses = if is_use { current.uses.saturating_add(1) } else { current.uses };
            counts.changed.push(CardLimit { spent, uses, ..current });
        }
        counts
    }

    /// Gives back an amount of a chain to each limit: at most what the limit counted, newest window first. A window
    /// that has ended keeps its count. Uses stay counted.
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
            let spent = |entry: &&mut CountedAmount| entry.limit == limit.id && entry.kind == CountedKind::Spent;
            for entry in counted.iter_mut().rev().filter(spent) {
                let taken = entry.amount.0.min(left);
                entry.amount.0 -= taken;
                left -= taken;
                if entry.window_start == current.window_start {
                    back += taken;
                }
            }
            // If the window of the limit has ended, a new one starts here, so that its use matches the counted amounts.
            if left < amount.0 {
                current.spent = lowered(current.spent, Minor(back));
                changed.push(current);
            }
        }
        counted.retain(|entry| entry.amount > Minor::ZERO);
        Self { changed, counted }
    }

    /// Subtracts a refund from the current windows of all limits. The windows of the purchase are unknown, because a
    /// refund names no purchase.
    pub(super) fn lower(limits: &[CardLimit], counted: Vec<CountedAmount>, amount: Minor, now: DateTime<Utc>) -> Self {
        let mut counts = Self { changed: Vec::new(), counted };
        for limit in counting(limits, now) {
            let current = limit.current(now);
            let spent = lowered(current.spent, amount);
            if spent < current.spent {
                counts.add(&current, Minor(current.spent.0.saturating_sub(spent.0)), CountedKind::Refunded);
                counts.changed.push(CardLimit { spent, ..current });
            }
        }
        counts
    }

    /// Counts an amount again, because a refund is taken back. Each limit counts at most the amount that the refund
    /// subtracted from it in the current window.
    pub(super) fn raise(limits: &[CardLimit], counted: Vec<CountedAmount>, amount: Minor, now: DateTime<Utc>) -> Self {
        let mut counts = Self { changed: Vec::new(), counted };
        for limit in counting(limits, now) {
            let current = limit.current(now);
            let was_lowered = |entry: &&mut CountedAmount| {
                (entry.limit, entry.window_start, entry.kind) == (limit.id, current.window_start, CountedKind::Refunded)
            };
            let Some(entry) = counts.counted.iter_mut().find(was_lowered) else { continue };
            let raised = entry.amount.min(amount);
            entry.amount.0 -= raised.0;
            let spent = current.spent.plus(raised).unwrap_or(Minor(i64::MAX));
            counts.add(&current, Minor(spent.0.saturating_sub(current.spent.0)), CountedKind::Permanent);
            counts.changed.push(CardLimit { spent, ..current });
        }
        counts.counted.retain(|entry| entry.amount > Minor::ZERO);
        counts
    }

    /// Adds an amount to the amounts that a limit counted for the chain in its window.
    fn add(&mut self, current: &CardLimit, amount: Minor, kind: CountedKind) {
        let (limit, window_start) = (current.id, current.window_start);
        let is_same =
            |known: &&mut CountedAmount| (known.limit, known.window_start, known.kind) == (limit, window_start, kind);
        match self.counted.iter_mut().find(is_same) {
            Some(known) => known.amount = known.amount.plus(amount).unwrap_or(Minor(i64::MAX)),
            None if amount > Minor::ZERO => self.counted.push(CountedAmount { limit, window_start, amount, kind }),
            None => {}
        }
    }
}

/// The limits that count a message at this time, shortest window first, because stores return limits in any order.
fn counting(limits: &[CardLimit], now: DateTime<Utc>) -> impl Iterator<Item = &CardLimit> {
    let of_window =
        move |window| limits.iter().filter(move |limit| limit.window == window && !limit.has_moved_past(now));
    LimitWindow::SPENDING.into_iter().flat_map(of_window)
}

fn lowered(spent: Minor, amount: Minor) -> Minor {
    Minor(spent.0.saturating_sub(amount.0).max(0))
}

#[cfg(test)]
#[path = "limit_counts_tests.rs"]
mod tests;
