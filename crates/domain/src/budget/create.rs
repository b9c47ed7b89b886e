//! Creating budgets (contract 5.6).

use super::{Budget, BudgetFeature, BudgetRecord};
use crate::fault::Flaw;
use crate::ids::{AccountId, BudgetId};
use crate::ledger::Balances;
use crate::money::Currency;
use crate::text::Text;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// Maximum number of budgets of an account.
pub const MAX_BUDGETS: u64 = 1_000;
/// Maximum number of currencies of a budget.
pub const MAX_CURRENCIES: usize = 50;
/// Maximum level of a budget. A budget without a parent is on level 1.
pub const MAX_LEVELS: u32 = 5;

/// A request to create a budget, with its new id and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetRequest {
    /// The id of the new budget.
    pub id: BudgetId,
    /// Its account.
    pub account: AccountId,
    /// Its name.
    pub name: Text<1, 140>,
    /// Its parent budget.
    pub parent: Option<BudgetId>,
    /// The currencies it holds: at least one, each once.
    pub currencies: Vec<Currency>,
    /// The features it is created with.
    pub features: BTreeSet<BudgetFeature>,
    /// The time of creation.
    pub now: DateTime<Utc>,
}

/// What an adapter loads under the lock that serializes creations on an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateBudgetSituation {
    /// Number of budgets of the account.
    pub budgets: u64,
    /// The level of the parent, from 1. `None` if no parent was named or the account has no such budget.
    pub parent_level: Option<u32>,
}

/// Reasons to refuse the creation of a budget. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateBudgetRefusal {
    /// The parent is absent, or belongs to another account.
    #[error("names a budget that does not exist")]
    NoParent,
    /// The parent is on the last level.
    #[error("budgets are nested at most {MAX_LEVELS} levels deep")]
    TooDeep,
    /// The account has the maximum number of budgets.
    #[error("an account has at most {MAX_BUDGETS} budgets")]
    TooMany,
}

/// Checks that the list has 1 to [`MAX_CURRENCIES`] currencies, each once.
pub fn check_currencies(named: Vec<Currency>) -> Result<Vec<Currency>, Flaw> {
    if named.is_empty() || named.len() > MAX_CURRENCIES {
        return Err(Flaw::range(format!("must list 1 to {MAX_CURRENCIES} currencies")));
    }
    once(&named)?;
    Ok(named)
}

/// Checks that no feature is listed twice.
pub fn check_features(named: &[BudgetFeature]) -> Result<BTreeSet<BudgetFeature>, Flaw> {
    once(named)?;
    Ok(named.iter().copied().collect())
}

fn once<T: Ord>(named: &[T]) -> Result<(), Flaw> {
    let different: BTreeSet<_> = named.iter().collect();
    if different.len() == named.len() { Ok(()) } else { Err(Flaw::value("must list each value once")) }
}

/// Decides the creation of a budget, which starts empty.
///
/// ```
/// use florin_domain::budget::{BudgetFeature, BudgetRequest, CreateBudgetSituation, decide_create_budget};
/// use florin_domain::test_support::{BUDGET, account, currency, noon};
/// use florin_domain::text::Text;
///
/// let request = BudgetRequest {
///     id: BUDGET,
///     account: account(),
///     name: Text::parse("Travel").unwrap(),
///     parent: None,
///     currencies: vec![currency("GBP")],
///     features: BudgetFeature::every(),
///     now: noon(),
/// };
/// let situation = CreateBudgetSituation { budgets: 0, parent_level: None };
/// let record = decide_create_budget(situation, &request).unwrap();
/// assert!(record.budget.in_currency(currency("GBP")).is_some());
/// ```
pub fn decide_create_budget(
    situation: CreateBudgetSituation,
    request: &BudgetRequest,
) -> Result<BudgetRecord, CreateBudgetRefusal> {
    if request.parent.is_some() {
        let level = situation.parent_level.ok_or(CreateBudgetRefusal::NoParent)?;
        if level >= MAX_LEVELS {
            return Err(CreateBudgetRefusal::TooDeep);
        }
    }
    if situation.budgets >= MAX_BUDGETS {
        return Err(CreateBudgetRefusal::TooMany);
    }
    let mut balances: Vec<_> = request.currencies.iter().map(|currency| (*currency, Balances::default())).collect();
    balances.sort_by_key(|(currency, _)| currency.code());
    let budget =
        Budget { id: request.id, account: request.account.clone(), name: request.name.as_str().to_owned(), balances };
    let (parent, features) = (request.parent, request.features.clone());
    Ok(BudgetRecord { budget, parent, features, created_at: Some(request.now) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;
    use uuid::Uuid;

    fn request(parent: Option<BudgetId>) -> BudgetRequest {
        BudgetRequest {
            id: BudgetId(Uuid::from_u128(1)),
            account: AccountId::parse("F1").unwrap(),
            name: Text::parse("Travel").unwrap(),
            parent,
            currencies: ["GBP", "EUR"].map(|code| Currency::parse(code).unwrap()).into(),
            features: BudgetFeature::every(),
            now: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_new_budget_has_a_zero_balance_in_each_currency() {
        let record =
            decide_create_budget(CreateBudgetSituation { budgets: 0, parent_level: None }, &request(None)).unwrap();
        let held: Vec<_> = record.budget.balances.iter().map(|(currency, held)| (currency.code(), *held)).collect();
        assert_eq!(held, [("EUR", Balances::default()), ("GBP", Balances::default())]);
        assert_eq!(record.created_at, Some(DateTime::UNIX_EPOCH));
    }

    #[test]
    fn number_and_nesting_have_limits() {
        let parent = Some(BudgetId(Uuid::from_u128(2)));
        let decide = |budgets, parent_level, parent| {
            decide_create_budget(CreateBudgetSituation { budgets, parent_level }, &request(parent)).map(|_| ())
        };
        assert_eq!(decide(MAX_BUDGETS - 1, Some(MAX_LEVELS - 1), parent), Ok(()));
        assert_eq!(decide(0, Some(MAX_LEVELS), parent), Err(CreateBudgetRefusal::TooDeep));
        assert_eq!(decide(0, None, parent), Err(CreateBudgetRefusal::NoParent));
        assert_eq!(decide(MAX_BUDGETS, None, None), Err(CreateBudgetRefusal::TooMany));
    }

    #[test]
    fn lists_must_not_contain_duplicates() {
        let [gbp, eur] = ["GBP", "EUR"].map(|code| Currency::parse(code).unwrap());
        assert_eq!(check_currencies(vec![gbp, eur]).unwrap(), [gbp, eur]);
        assert_eq!(check_currencies(vec![gbp, gbp]).unwrap_err().code, FlawCode::InvalidValue);
        assert_eq!(check_currencies(vec![]).unwrap_err().code, FlawCode::OutOfRange);
        let twice = [BudgetFeature::Cards, BudgetFeature::Cards];
        assert_eq!(check_features(&twice).unwrap_err().code, FlawCode::InvalidValue);
        assert!(check_features(&[]).unwrap().is_empty());
    }
}
