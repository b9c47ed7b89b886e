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

/// The situation for a change of a budget. An adapter loads it under the lock that serializes creations and changes on
/// an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditBudgetSituation {
    /// The budget.
    pub record: BudgetRecord,
    /// Whether names of budgets must be unique on the account, and another budget has the requested name.
    pub name_is_taken: bool,
}

/// Reasons to refuse a change of a budget. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditBudgetRefusal {
    /// Values do not fit the budget. Paths refer to the request's body.
    #[error("the change does not fit the budget")]
    Faults(Vec<Fault>),
    /// Names of budgets must be unique on the account, and another budget has the new name.
    #[error("another budget has this name")]
    NameTaken,
}

/// Applies a change to a budget, which may be the parent budget. If nothing changes, `updated_at` stays the same. A
/// budget can keep a name that another budget has, even if the request repeats the name: both may have got it before
/// names had to be unique.
///
/// ```
/// use florin_domain::budget::{BudgetEdit, EditBudgetSituation, decide_edit_budget};
/// use florin_domain::test_support::{a_budget, noon};
/// use florin_domain::text::Text;
///
/// let edit = BudgetEdit { name: Some(Text::parse("Trips").unwrap()), ..BudgetEdit::default() };
/// let situation = EditBudgetSituation { record: a_budget().with("5.00 GBP").build(), name_is_taken: false };
/// let record = decide_edit_budget(&situation, &edit, noon()).unwrap();
/// assert_eq!(record.budget.name, "Trips");
/// ```
pub fn decide_edit_budget(
    situation: &EditBudgetSituation,
    edit: &BudgetEdit,
    now: DateTime<Utc>,
) -> Result<BudgetRecord, EditBudgetRefusal> {
    let EditBudgetSituation { record, name_is_taken } = situation;
    let mut edited = record.clone();
    if let Some(name) = &edit.name {
        name.as_str().clone_into(&mut edited.budget.name);
    }
    edited.status = edit.status.unwrap_or(record.status);
    if let Some(features) = &edit.features {
        edited.features.clone_from(features);
    }
    edited.low_balance = low_balance(record, edit).map_err(|fault| EditBudgetRefusal::Faults(vec![fault]))?;
    if *name_is_taken && edited.budget.name != record.budget.name {
        return Err(EditBudgetRefusal::NameTaken);
    }
    if edited != *record {
        edited.updated_at = Some(now);
    }
    Ok(edited)
}

/// Replaces the controls of a budget. If they stay the same, `updated_at` does not change.
///
/// ```
/// use chrono::TimeDelta;
/// use florin_domain::budget::decide_budget_controls;
/// use florin_domain::card::{Controls, MccRange};
/// use florin_domain::test_support::{a_budget, noon};
///
/// let airlines = MccRange::parse("3000-3350").unwrap();
/// let controls = Controls { blocked_mccs: Some(vec![airlines]), ..Controls::default() };
/// let budget = decide_budget_controls(&a_budget().build(), &controls, noon());
/// assert_eq!((&budget.controls, budget.updated_at), (&controls, Some(noon())));
/// assert_eq!(decide_budget_controls(&budget, &controls, noon() + TimeDelta::hours(1)), budget);
/// ```
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
    let currencies = || record.budget.balances.iter().map(|(currency, _)| *currency);
    let named = |code: &str| currencies().find(|currency| currency.code() == code);
    let first = || currencies().next();
    let currency = match edit.low_balance_currency {
        Some(currency) => named(currency.code()).ok_or_else(|| {
            Flaw::value(format!("must be a currency that the budget holds (got {currency})"))
                .at("body.lowBalanceCurrencyCode")
        })?,
        None => record
            .low_balance
            .map(|before| before.currency)
            .or_else(|| named("GBP"))
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

    fn decide(record: &BudgetRecord, edit: &BudgetEdit, now: DateTime<Utc>) -> Result<BudgetRecord, EditBudgetRefusal> {
        decide_edit_budget(&EditBudgetSituation { record: record.clone(), name_is_taken: false }, edit, now)
    }

    #[test]
    fn a_change_without_effect_keeps_updated_at() {
        let later = noon() + TimeDelta::hours(1);
        assert_eq!(decide(&record(), &BudgetEdit::default(), later), Ok(record()));
        let edit = BudgetEdit { status: Some(BudgetStatus::Hidden), ..BudgetEdit::default() };
        let edited = decide(&record(), &edit, later).unwrap();
        assert_eq!((edited.status, edited.updated_at), (BudgetStatus::Hidden, Some(later)));
        assert_eq!(edited.created_at, record().created_at);
    }

    #[test]
    fn a_threshold_is_in_one_of_the_currencies() {
        let set = |low_balance, code: Option<&str>, record: &BudgetRecord| {
            let edit = BudgetEdit { low_balance, low_balance_currency: code.map(currency), ..BudgetEdit::default() };
            decide(record, &edit, noon()).map(|edited| edited.low_balance.map(|money| money.to_string()))
        };
        let fault = |refusal: EditBudgetRefusal| match refusal {
            EditBudgetRefusal::Faults(faults) => (faults[0].path.clone(), faults[0].flaw.code),
            EditBudgetRefusal::NameTaken => panic!("{refusal:?}"),
        };
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
        let edited = decide(&before, &edit, noon()).unwrap();
        assert_eq!(edited.low_balance.map(|money| money.currency), Some(currency("EUR")));
    }

    #[test]
    fn a_taken_name_is_refused_unless_the_budget_has_it() {
        let situation = EditBudgetSituation { record: record(), name_is_taken: true };
        let renamed = |name: &str, low_balance| {
            let edit = BudgetEdit { name: Some(Text::parse(name).unwrap()), low_balance, ..BudgetEdit::default() };
            decide_edit_budget(&situation, &edit, noon())
        };
        assert_eq!(renamed("Trips", None), Err(EditBudgetRefusal::NameTaken));
        assert_eq!(renamed(&record().budget.name, None), Ok(record()));
        // Invalid values are reported before the name.
        let refused = renamed("Trips", Some(Some(amount("10.001")))).unwrap_err();
        assert!(matches!(refused, EditBudgetRefusal::Faults(_)), "{refused:?}");
        let unnamed = BudgetEdit { status: Some(BudgetStatus::Hidden), ..BudgetEdit::default() };
        assert!(decide_edit_budget(&situation, &unnamed, noon()).is_ok());
    }
}
