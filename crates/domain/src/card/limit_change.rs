//! Setting and removing the spending limits of a card (contract 5.6).

use super::{Card, SpendingLimit, SpendingWindow};
use crate::fault::Flaw;
use crate::money::{DecimalAmount, Minor};
use chrono::{DateTime, Utc};

/// A request to set a spending limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitChange {
    /// The window it counts over. A card has at most one limit for each window.
    pub window: SpendingWindow,
    /// Maximum amount in a window; zero declines everything.
    pub amount: DecimalAmount,
    /// Maximum number of uses in a window; `None` for any number.
    pub most_uses: Option<u32>,
    /// The time of the change.
    pub now: DateTime<Utc>,
}

/// A card and its limits, which an adapter loads under the lock of the card's budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardLimits {
    /// The card.
    pub card: Card,
    /// Its limits, by window.
    pub limits: Vec<SpendingLimit>,
}

/// A limit after it was set, with its current use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSet {
    /// Its card.
    pub card: Card,
    /// The limit.
    pub limit: SpendingLimit,
    /// Whether the card had no limit over that window before.
    pub is_new: bool,
}

/// Reasons to refuse setting a limit. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitRefusal {
    /// The amount does not fit the card's currency.
    #[error("{}", .0.message)]
    Amount(Flaw),
}

/// The card has no limit over that window. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("names a window without a limit")]
pub struct NoSuchLimit;

/// Decides the setting of a limit. A new limit counts from now on; a changed one keeps its use in the current window.
///
/// ```
/// use florin_domain::card::{CardLimits, LimitChange, SpendingWindow, decide_limit};
/// use florin_domain::test_support::{a_card, decimal, noon};
///
/// let situation = CardLimits { card: a_card().build(), limits: vec![] };
/// let change =
///     LimitChange { window: SpendingWindow::Day, amount: decimal("50"), most_uses: None, now: noon() };
/// assert!(decide_limit(&situation, &change).unwrap().is_new);
/// ```
pub fn decide_limit(situation: &CardLimits, change: &LimitChange) -> Result<LimitSet, LimitRefusal> {
    let amount = change.amount.to_minor(situation.card.currency).map_err(LimitRefusal::Amount)?;
    let known = situation.limits.iter().find(|limit| limit.window == change.window);
    let used = known.map(|limit| limit.current(change.now));
    let limit = SpendingLimit {
        window: change.window,
        amount,
        most_uses: change.most_uses,
        window_start: change.window.start(change.now),
        spent: used.as_ref().map_or(Minor::ZERO, |used| used.spent),
        uses: used.map_or(0, |used| used.uses),
    };
    Ok(LimitSet { card: situation.card.clone(), limit, is_new: known.is_none() })
}

/// Decides the removal of a limit and its counters.
///
/// ```
/// use florin_domain::card::{CardLimits, NoSuchLimit, SpendingWindow, decide_limit_removal};
/// use florin_domain::test_support::{a_card, a_limit};
///
/// let limits = vec![a_limit(SpendingWindow::Day, "50.00 GBP")];
/// let situation = CardLimits { card: a_card().build(), limits };
/// assert_eq!(decide_limit_removal(&situation, SpendingWindow::Day), Ok(SpendingWindow::Day));
/// assert_eq!(decide_limit_removal(&situation, SpendingWindow::Week), Err(NoSuchLimit));
/// ```
pub fn decide_limit_removal(situation: &CardLimits, window: SpendingWindow) -> Result<SpendingWindow, NoSuchLimit> {
    let known = situation.limits.iter().any(|limit| limit.window == window);
    if known { Ok(window) } else { Err(NoSuchLimit) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;
    use crate::test_support::a_card;
    use chrono::TimeZone;

    fn at(day: u32) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 9, day, 12, 0, 0).unwrap()
    }

    fn situation(limits: Vec<SpendingLimit>) -> CardLimits {
        CardLimits { card: a_card().build(), limits }
    }

    fn change(amount: &str, most_uses: Option<u32>, day: u32) -> LimitChange {
        let amount = DecimalAmount::from_decimal_string(amount).unwrap();
        LimitChange { window: SpendingWindow::Day, amount, most_uses, now: at(day) }
    }

    #[test]
    fn usage_survives_a_change_within_its_window() {
        let first = decide_limit(&situation(vec![]), &change("1.00", None, 1)).unwrap();
        assert!(first.is_new);
        let first = first.limit;
        assert_eq!((first.amount, first.spent, first.uses), (Minor(100), Minor(0), 0));
        let used = first.after_use(Minor(60), at(1));
        let same_day = decide_limit(&situation(vec![used.clone()]), &change("0.50", Some(2), 1)).unwrap();
        assert!(!same_day.is_new);
        let same_day = same_day.limit;
        assert_eq!((same_day.amount, same_day.spent, same_day.uses), (Minor(50), Minor(60), 1));
        assert_eq!(same_day.most_uses, Some(2));
        assert!(!same_day.allows(Minor(1), at(1)));
        let next_day = decide_limit(&situation(vec![used]), &change("0.50", Some(2), 2)).unwrap().limit;
        assert_eq!((next_day.spent, next_day.uses), (Minor(0), 0));
    }

    #[test]
    fn a_limit_is_in_the_currency_of_its_card() {
        let refusal = decide_limit(&situation(vec![]), &change("1.001", None, 1)).unwrap_err();
        let LimitRefusal::Amount(flaw) = refusal;
        assert_eq!(flaw.code, FlawCode::TooManyDecimals);
    }

    #[test]
    fn only_an_existing_limit_can_be_removed() {
        let limit = decide_limit(&situation(vec![]), &change("1.00", None, 1)).unwrap().limit;
        let situation = situation(vec![limit]);
        assert_eq!(decide_limit_removal(&situation, SpendingWindow::Day), Ok(SpendingWindow::Day));
        assert_eq!(decide_limit_removal(&situation, SpendingWindow::Week), Err(NoSuchLimit));
    }
}
