//! Creating budgets (contract 5.6).

use super::{Budget, BudgetFeature, BudgetKind, BudgetRecord, BudgetStatus};
use crate::card::Controls;
use crate::fault::{Fault, Flaw};
use crate::ids::{AccountId, BudgetId, PersonaId};
use crate::ledger::Balances;
use crate::money::Currency;
use crate::text::Text;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// Default maximum number of budgets of an account.
pub const MAX_BUDGETS: u64 = 100_000;
/// Maximum level of a budget. The parent budget of the account is on level 1.
pub const MAX_LEVELS: u32 = 3;

/// The owner of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetOwner {
    /// It is shared by the whole account.
    Everyone,
    /// It belongs to one person. A person has at most one individual budget.
    Person(PersonaId),
}

impl BudgetOwner {
    /// Creates the owner: an individual budget requires a person, a shared budget excludes one.
    pub fn of(kind: BudgetKind, persona: Option<PersonaId>) -> Result<Self, Fault> {
        match (kind, persona) {
            (BudgetKind::Shared, None) => Ok(Self::Everyone),
            (BudgetKind::Shared, Some(_)) => {
                Err(Flaw::value("must be left out: a shared budget belongs to nobody").at("body.personaId"))
            }
            (BudgetKind::Individual, Some(persona)) => Ok(Self::Person(persona)),
            (BudgetKind::Individual, None) => Err(Flaw::required().at("body.personaId")),
            (BudgetKind::AccountBalance, _) => {
                Err(Flaw::value("must be one of shared, individual: an account has one parent budget").at("body.type"))
            }
        }
    }
}

/// A request to create a budget, with its new id and the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetRequest {
    /// The id of the new budget.
    pub id: BudgetId,
    /// Its account.
    pub account: AccountId,
    /// Its name.
    pub name: Text<1, 75>,
    /// The currencies it holds: at least one, each once.
    pub currencies: Vec<Currency>,
    /// The features it is created with.
    pub features: BTreeSet<BudgetFeature>,
    /// Its owner.
    pub owner: BudgetOwner,
    /// Whether callers should show it to people.
    pub status: BudgetStatus,
    /// The caller's reference to a box (`boxId`). Florin only stores it.
    pub box_id: Option<Text<1, 64>>,
    /// Maximum number of budgets of the account.
    pub max_budgets: u64,
    /// The time of creation.
    pub now: DateTime<Utc>,
}

/// The situation for the creation of a budget. An adapter loads it under the lock that serializes creations on
/// an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateBudgetSituation {
    /// Number of budgets of the account.
    pub budgets: u64,
    /// The budget directly above the new one: the named one, by default the account's parent budget. `None` if the
    /// account has no such budget.
    pub parent: Option<ParentBudget>,
    /// Whether the named person already has an individual budget. `None` if nobody is named, or the account has no such
    /// person.
    pub persona_has_budget: Option<bool>,
    /// Whether names of budgets must be unique on the account, and a budget already has the name of the new one.
    pub name_is_taken: bool,
}

/// The budget directly above a new budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentBudget {
    /// Its id.
    pub id: BudgetId,
    /// Its level, from 1.
    pub level: u32,
    /// The currencies it holds, by code.
    pub currencies: Vec<Currency>,
}

/// Reasons to refuse the creation of a budget. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateBudgetRefusal {
    /// The parent is absent, or belongs to another account.
    #[error("names a budget that does not exist")]
    NoParent,
    /// The person is absent, or belongs to another account.
    #[error("names a person that does not exist")]
    NoPersona,
    /// The parent lacks some of the currencies. Paths refer to the request's body.
    #[error("the budget does not fit its parent")]
    Faults(Vec<Fault>),
    /// The parent is on the last level.
    #[error("budgets are nested at most {MAX_LEVELS} levels deep")]
    TooDeep,
    /// The person already has an individual budget.
    #[error("a person has at most one individual budget")]
    SecondOfPerson,
    /// Names of budgets must be unique on the account, and another budget has this name.
    #[error("another budget has this name")]
    NameTaken,
    /// The account has the maximum number of budgets.
    #[error("an account has at most {max} budgets")]
    TooMany {
        /// The maximum.
        max: u64,
    },
}

/// Checks that the list has at least one currency, and none twice.
pub fn check_currencies(named: Vec<Currency>) -> Result<Vec<Currency>, Flaw> {
    if named.is_empty() {
        return Err(Flaw::range("must list at least one currency"));
    }
    must_be_distinct(&named)?;
    Ok(named)
}

/// Checks that no feature is listed twice.
pub fn check_features(named: &[BudgetFeature]) -> Result<BTreeSet<BudgetFeature>, Flaw> {
    must_be_distinct(named)?;
    Ok(named.iter().copied().collect())
}

fn must_be_distinct<T: Ord>(named: &[T]) -> Result<(), Flaw> {
    let different: BTreeSet<_> = named.iter().collect();
    if different.len() == named.len() { Ok(()) } else { Err(Flaw::value("must list each value once")) }
}

/// Decides the creation of a budget, which starts without money.
///
/// ```
/// use florin_domain::budget::{
///     BudgetFeature, BudgetOwner, BudgetRequest, BudgetStatus, CreateBudgetSituation, ParentBudget,
///     decide_create_budget,
/// };
/// use florin_domain::test_support::{BUDGET, PARENT, account, currency, noon};
/// use florin_domain::text::Text;
///
/// let request = BudgetRequest {
///     id: BUDGET,
///     account: account(),
///     name: Text::parse("Travel").unwrap(),
///     currencies: vec![currency("GBP")],
///     features: BudgetFeature::every(),
///     owner: BudgetOwner::Everyone,
///     status: BudgetStatus::Active,
///     box_id: None,
///     max_budgets: 10,
///     now: noon(),
/// };
/// let parent = ParentBudget { id: PARENT, level: 1, currencies: vec![currency("EUR"), currency("GBP")] };
/// let situation =
///     CreateBudgetSituation { budgets: 1, parent: Some(parent), persona_has_budget: None, name_is_taken: false };
/// let record = decide_create_budget(&situation, &request).unwrap();
/// assert!(record.budget.in_currency(currency("GBP")).is_some());
/// assert_eq!(record.parent, Some(PARENT));
/// ```
pub fn decide_create_budget(
    situation: &CreateBudgetSituation,
    request: &BudgetRequest,
) -> Result<BudgetRecord, CreateBudgetRefusal> {
    let parent = situation.parent.as_ref().ok_or(CreateBudgetRefusal::NoParent)?;
    let (kind, persona) = match request.owner {
        BudgetOwner::Everyone => (BudgetKind::Shared, None),
        BudgetOwner::Person(persona) => (BudgetKind::Individual, Some(persona)),
    };
    let person_has_budget = match persona {
        None => false,
        Some(_) => situation.persona_has_budget.ok_or(CreateBudgetRefusal::NoPersona)?,
    };
    must_be_held_by_parent(parent, &request.currencies)?;
    if parent.level >= MAX_LEVELS {
        return Err(CreateBudgetRefusal::TooDeep);
    }
    if person_has_budget {
        return Err(CreateBudgetRefusal::SecondOfPerson);
    }
    if situation.name_is_taken {
        return Err(CreateBudgetRefusal::NameTaken);
    }
    if situation.budgets >= request.max_budgets {
        return Err(CreateBudgetRefusal::TooMany { max: request.max_budgets });
    }
    let mut balances: Vec<_> = request.currencies.iter().map(|currency| (*currency, Balances::default())).collect();
    balances.sort_by_key(|(currency, _)| currency.code());
    let name = request.name.as_str().to_owned();
    Ok(BudgetRecord {
        budget: Budget { id: request.id, account: request.account.clone(), name, balances },
        parent: Some(parent.id),
        kind,
        persona,
        status: request.status,
        features: request.features.clone(),
        box_id: request.box_id.as_ref().map(|box_id| box_id.as_str().to_owned()),
        low_balance: None,
        controls: Controls::default(),
        created_at: Some(request.now),
        updated_at: Some(request.now),
    })
}

/// Checks that the parent holds every currency.
fn must_be_held_by_parent(parent: &ParentBudget, currencies: &[Currency]) -> Result<(), CreateBudgetRefusal> {
    let missing = currencies.iter().enumerate().filter(|(_, currency)| !parent.currencies.contains(currency));
    let faults: Vec<_> = missing
        .map(|(place, currency)| {
            Flaw::value(format!("must be a currency that the parent budget holds (got {currency})"))
                .at(format!("body.currencies[{place}]"))
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(CreateBudgetRefusal::Faults(faults)) }
}

#[cfg(test)]
#[path = "create_tests.rs"]
mod tests;
