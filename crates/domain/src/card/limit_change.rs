//! Setting and removing the limits of a card (contract 5.6).

use super::{Card, CardLimit, CarriedUse, LimitWindow};
use crate::fault::{Fault, Flaw};
use crate::ids::LimitId;
use crate::money::{Currency, DecimalAmount, Minor};
use chrono::{DateTime, Utc};

/// A request to set a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitChange {
    /// The id of the limit if it is new. A changed limit keeps its id.
    pub id: LimitId,
    /// The window of the limit.
    pub window: LimitWindow,
    /// Maximum amount in a window; zero declines every purchase and withdrawal.
    pub amount: DecimalAmount,
    /// The currency of the amount, if named. It must be the card's.
    pub currency: Option<Currency>,
    /// Maximum number of uses in a window; `None` for any number.
    pub max_uses: Option<u32>,
    /// Whether it is active.
    pub active: bool,
    /// Whether the client turned it off.
    pub turned_off: bool,
    /// The time of the change.
    pub now: DateTime<Utc>,
}

/// A card and its limits, which an adapter loads under the lock of the card's budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardLimits {
    /// The card.
    pub card: Card,
    /// Its limits, by window.
    pub limits: Vec<CardLimit>,
}

/// A limit after it was set, with its current use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSet {
    /// Its card.
    pub card: Card,
    /// The limit. It replaces the card's limit for the same window.
    pub limit: CardLimit,
    /// When it was set.
    pub now: DateTime<Utc>,
}

/// Reasons to refuse setting a limit: values that do not fit the card. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a value does not fit the card")]
pub struct LimitRefusal(pub Vec<Fault>);

/// The card has no such limit. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("names no limit of the card")]
pub struct NoSuchLimit;

/// Decides the setting of a limit. A new limit counts from now on; a changed limit keeps its id and its use.
///
/// ```
/// use florin_domain::card::{CardLimits, LimitChange, LimitWindow, decide_limit};
/// use florin_domain::test_support::{a_card, a_limit, a_limit_change, decimal, minor};
///
/// let limits = vec![a_limit(LimitWindow::Day, "20.00 GBP")];
/// let situation = CardLimits { card: a_card().build(), limits };
/// let change = LimitChange { amount: decimal("50"), ..a_limit_change(LimitWindow::Day) };
/// let set = decide_limit(&situation, &change).unwrap();
/// assert_eq!((set.limit.id, set.limit.amount), (situation.limits[0].id, minor("50.00 GBP")));
/// ```
pub fn decide_limit(situation: &CardLimits, change: &LimitChange) -> Result<LimitSet, LimitRefusal> {
    let card = &situation.card;
    let mut faults = Vec::new();
    if change.currency.is_some_and(|currency| currency != card.currency) {
        let flaw = Flaw::value(format!("must be the currency of the card, {}", card.currency));
        faults.push(flaw.at("body.currencyCode"));
    }
    let amount = match change.amount.to_minor(card.currency) {
        Ok(amount) if faults.is_empty() => amount,
        Ok(_) => return Err(LimitRefusal(faults)),
        Err(flaw) => {
            faults.insert(0, flaw.at("body.amount"));
            return Err(LimitRefusal(faults));
        }
    };
    let known = situation.limits.iter().find(|limit| limit.window == change.window);
    let used = known.map(|limit| limit.current(change.now));
    let limit = CardLimit {
        id: known.map_or(change.id, |limit| limit.id),
        window: change.window,
        amount,
        max_uses: change.max_uses,
        active: change.active,
        turned_off: change.turned_off,
        window_start: used.as_ref().map_or_else(|| change.window.start(change.now), |used| used.window_start),
        spent: used.as_ref().map_or(Minor::ZERO, |used| used.spent),
        uses: used.as_ref().map_or(0, |used| used.uses),
        carried: used.map_or(CarriedUse::default(), |used| used.carried),
    };
    Ok(LimitSet { card: card.clone(), limit, now: change.now })
}

/// Decides the removal of a limit for one of these windows, and of its counters.
///
/// ```
/// use florin_domain::card::{CardLimits, LimitWindow, NoSuchLimit, decide_limit_removal};
/// use florin_domain::test_support::{a_card, a_limit};
///
/// let limit = a_limit(LimitWindow::Day, "50.00 GBP");
/// let situation = CardLimits { card: a_card().build(), limits: vec![limit.clone()] };
/// assert_eq!(decide_limit_removal(&situation, limit.id, &[LimitWindow::Day]), Ok(limit.id));
/// assert_eq!(decide_limit_removal(&situation, limit.id, &[LimitWindow::Week]), Err(NoSuchLimit));
/// ```
pub fn decide_limit_removal(
    situation: &CardLimits,
    id: LimitId,
    windows: &[LimitWindow],
) -> Result<LimitId, NoSuchLimit> {
    let known = situation.limits.iter().any(|limit| limit.id == id && windows.contains(&limit.window));
    if known { Ok(id) } else { Err(NoSuchLimit) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;
    use crate::test_support::{a_card, a_limit_change, currency};
    use chrono::TimeZone;

    fn at(day: u32) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 9, day, 12, 0, 0).unwrap()
    }

    fn situation(limits: Vec<CardLimit>) -> CardLimits {
        CardLimits { card: a_card().build(), limits }
    }

    fn change(amount: &str, max_uses: Option<u32>, day: u32) -> LimitChange {
        let amount = DecimalAmount::from_decimal_string(amount).unwrap();
        LimitChange { amount, max_uses, now: at(day), ..a_limit_change(LimitWindow::Day) }
    }

    #[test]
    fn usage_survives_a_change_within_its_window() {
        let first = decide_limit(&situation(vec![]), &change("1.00", None, 1)).unwrap().limit;
        assert_eq!((first.amount, first.spent, first.uses), (Minor(100), Minor(0), 0));
        let carried = CarriedUse { spent: Minor(10), uses: 1 };
        let used = CardLimit { spent: Minor(60), uses: 1, carried, ..first };
        let again = LimitChange { id: LimitId(uuid::Uuid::max()), turned_off: true, ..change("0.50", Some(2), 1) };
        let same_day = decide_limit(&situation(vec![used.clone()]), &again).unwrap().limit;
        let expected = CardLimit { amount: Minor(50), max_uses: Some(2), turned_off: true, ..used.clone() };
        assert_eq!(same_day, expected);
        assert_eq!((same_day.left(), same_day.uses_left(), same_day.is_on()), (Minor::ZERO, Some(1), false));
        let next_day = decide_limit(&situation(vec![used]), &change("0.50", Some(2), 2)).unwrap().limit;
        assert_eq!((next_day.spent, next_day.uses, next_day.carried), (Minor(0), 0, CarriedUse::default()));
    }

    #[test]
    fn a_limit_is_in_the_currency_of_its_card() {
        let wrong = LimitChange { currency: Some(currency("EUR")), ..change("1.001", None, 1) };
        let LimitRefusal(faults) = decide_limit(&situation(vec![]), &wrong).unwrap_err();
        let codes: Vec<_> = faults.iter().map(|fault| (fault.path.as_str(), fault.flaw.code)).collect();
        let expected = [("body.amount", FlawCode::TooManyDecimals), ("body.currencyCode", FlawCode::InvalidValue)];
        assert_eq!(codes, expected);
        let other = LimitChange { currency: Some(currency("EUR")), ..change("1.00", None, 1) };
        assert!(decide_limit(&situation(vec![]), &other).is_err());
    }

    #[test]
    fn only_an_existing_limit_can_be_removed() {
        let limit = decide_limit(&situation(vec![]), &change("1.00", None, 1)).unwrap().limit;
        let (id, situation) = (limit.id, situation(vec![limit]));
        assert_eq!(decide_limit_removal(&situation, id, &LimitWindow::SPENDING), Ok(id));
        let other = LimitId(uuid::Uuid::max());
        assert_eq!(decide_limit_removal(&situation, other, &LimitWindow::SPENDING), Err(NoSuchLimit));
    }
}
