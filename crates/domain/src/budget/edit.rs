//! Changing the data of a budget.

use super::{BudgetFeature, BudgetRecord, BudgetStatus};
use crate::card::Controls;
use crate::fault::{Fault, Flaw};
use crate::money::{Currency, DecimalAmount, Money};
use crate::text::Text;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// A request to change a budget. Absent members stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetEdit {
    /// Its new name.
    pub name: Option<Text<1, 75>>,
    /// Whether callers should show it to people.
    pub status: Option<BudgetStatus>,
    /// All its features. They replace its current features.
    pub features: Option<BTreeSet<BudgetFeature>>,
    /// The threshold below which its balance is low. `Some(None)` removes the threshold.
    pub low_balance: Option<Option<DecimalAmount>>,
    /// The currency of the threshold. Default: the currency of the current threshold, otherwise GBP if the budget holds
    /// it, otherwise its first currency.
    pub low_balance_currency: Option<Currency>,
}

/// Reasons to refuse a change of a budget: values that do not fit it. Paths refer to the request's body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the change does not fit the budget")]
pub struct EditBudgetRefusal(pub Vec<Fault>);

/// Applies a change to a budget, which may be the parent budget. If nothing changes, `updated_at` stays the same.
///
/// ```
/// use florin_domain::budget::{BudgetEdit, decide_edit_budget};
/// use florin_domain::test_support::{a_budget, noon};
/// use florin_domain::text::Text;
///
/// let edit = BudgetEdit { name: Some(Text::parse("Trips").unwrap()), ..BudgetEdit::default() };
/// let record = decide_edit_budget(&a_budget().with("5.00 GBP").build(), &edit, noon()).unwrap();
/// assert_eq!(record.budget.name, "Trips");
/// ```
pub fn decide_edit_budget(
    record: &BudgetRecord,
    edit: &BudgetEdit,
    now: DateTime<Utc>,
) -> Result<BudgetRecord, EditBudgetRefusal> {
    let mut edited = record.clone();
    if let Some(name) = &edit.name {
        name.as_str().clone_into(&mut edited.budget.name);
    }
    edited.status = edit.status.unwrap_or(record.status);
    if let Some(features) = &edit.features {
        edited.features.clone_from(features);
    }
    edited.low_balance = low_balance(record, edit).map_err(|fault| EditBudgetRefusal(vec![fault]))?;
    if edited != *record {
        edited.updated_at = Some(now);
    }
    Ok(edited)
}

/// Replaces the controls of a budget. If they stay the same, `updated_at` does not change.
pub fn decide_budget_controls(record: &BudgetRecord, controls: &Controls, now: DateTime<Utc>) -> BudgetRecord {
    if record.controls == *controls {
        return record.clone();
    }
    BudgetRecord { controls: controls.clone(), updated_at: Some(now), ..record.clone() }
}

fn low_balance(record: &BudgetRecord, edit: &BudgetEdit) -> Result<Option<Money>, Fault> {
    let threshold = match (&edit.low_balance, edit.low_balance_currency) {
        (None, None) => return Ok(record.low_balance),
        (Some(threshold), _) => threshold,
        (None, Some(_)) => return Err(Flaw::required().at("body.lowBalanceThreshold")),
    };
    let Some(threshold) = threshold else { return Ok(None) };
    let held = |code: &str| record.budget.balances.iter().map(|(held, _)| *held).find(|held| held.code() == code);
    let first = || record.budget.balances.first().map(|(held, _)| *held);
    let currency = match edit.low_balance_currency {
        Some(currency) => held(currency.code()).ok_or_else(|| {
            Flaw::value(format!("must be a currency that the budget holds (got {currency})"))
                .at("body.lowBalanceCurrencyCode")
        })?,
        None => record
            .low_balance
            .map(|before| before.currency)
            .or_else(|| held("GBP"))
            .or_else(first)
            .ok_or_else(|| Flaw::required().at("body.lowBalanceCurrencyCode"))?,
    };
    let minor = threshold.to_minor(currency).map_err(|flaw| flaw.at("body.lowBalanceThreshold"))?;
    Ok(Some(minor.of(currency)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;
    use crate::test_support::{a_budget, currency, noon};
    use chrono::TimeDelta;

    fn amount(text: &str) -> DecimalAmount {
        DecimalAmount::from_decimal_string(text).unwrap()
    }

    fn record() -> BudgetRecord {
        a_budget().with("5.00 EUR").with("5.00 GBP").build()
    }

    #[test]
    fn a_change_without_effect_is_no_change() {
        let later = noon() + TimeDelta::hours(1);
        assert_eq!(decide_edit_budget(&record(), &BudgetEdit::default(), later), Ok(record()));
        let edit = BudgetEdit { status: Some(BudgetStatus::Hidden), ..BudgetEdit::default() };
        let edited = decide_edit_budget(&record(), &edit, later).unwrap();
        assert_eq!((edited.status, edited.updated_at), (BudgetStatus::Hidden, Some(later)));
        assert_eq!(edited.created_at, record().created_at);
    }

    #[test]
    fn a_threshold_is_in_one_of_the_currencies() {
        let set = |low_balance, code: Option<&str>, record: &BudgetRecord| {
            let edit = BudgetEdit { low_balance, low_balance_currency: code.map(currency), ..BudgetEdit::default() };
            decide_edit_budget(record, &edit, noon()).map(|edited| edited.low_balance.map(|money| money.to_string()))
        };
        let fault = |refusal: EditBudgetRefusal| (refusal.0[0].path.clone(), refusal.0[0].flaw.code);
        assert_eq!(set(Some(Some(amount("10"))), None, &record()), Ok(Some("10.00".into())));
        assert_eq!(set(Some(None), None, &record()), Ok(None));
        let refused = set(Some(Some(amount("10"))), Some("USD"), &record()).unwrap_err();
        assert_eq!(fault(refused), ("body.lowBalanceCurrencyCode".into(), FlawCode::InvalidValue));
        let refused = set(Some(Some(amount("10.001"))), Some("EUR"), &record()).unwrap_err();
        assert_eq!(fault(refused), ("body.lowBalanceThreshold".into(), FlawCode::TooManyDecimals));
        let refused = set(None, Some("EUR"), &record()).unwrap_err();
        assert_eq!(fault(refused), ("body.lowBalanceThreshold".into(), FlawCode::Required));
        let before = BudgetRecord { low_balance: Some(crate::money::Minor(1).of(currency("EUR"))), ..record() };
        let edit = BudgetEdit { low_balance: Some(Some(amount("2"))), ..BudgetEdit::default() };
        let edited = decide_edit_budget(&before, &edit, noon()).unwrap();
        assert_eq!(edited.low_balance.map(|money| money.currency), Some(currency("EUR")));
    }
}
