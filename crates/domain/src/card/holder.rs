//! Who holds a card, and which budgets it may spend from (contract 5.6).

use crate::fault::{Fault, Flaw};
use crate::ids::{BudgetId, PersonId};
use std::collections::BTreeSet;

/// The kind of a card's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CardOwnerKind {
    /// A budget: everyone who may use the budget shares the card.
    Budget,
    /// A person.
    People,
}

impl CardOwnerKind {
    /// All kinds of owner.
    pub const ALL: [Self; 2] = [Self::Budget, Self::People];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Budget => "BUDGET",
            Self::People => "PEOPLE",
        }
    }
}

/// A budget that an individual card names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrantedBudget {
    /// The budget.
    pub budget: BudgetId,
    /// Whether the card may spend from it.
    pub active: bool,
}

/// The person who owns an individual card, and the budgets that the card names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndividualHolder {
    /// The person.
    pub person: PersonId,
    /// The budgets, in the order of the request.
    pub budgets: Vec<GrantedBudget>,
}

/// The holder of a new card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardHolder {
    /// A budget: the card is shared.
    Budget(BudgetId),
    /// A person: the card is individual.
    Person(IndividualHolder),
}

impl CardHolder {
    /// Maximum number of budgets that a card names.
    pub const MAX_BUDGETS: usize = 100;

    /// Creates a holder from the members that this kind of owner requires. Refuses missing and superfluous members.
    /// Paths refer to the request's body.
    ///
    /// ```
    /// use florin_domain::card::{CardHolder, CardOwnerKind};
    /// use florin_domain::test_support::BUDGET;
    ///
    /// assert_eq!(CardHolder::of(CardOwnerKind::Budget, Some(BUDGET), None, None), Ok(CardHolder::Budget(BUDGET)));
    /// let faults = CardHolder::of(CardOwnerKind::People, Some(BUDGET), None, None).unwrap_err();
    /// let paths: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
    /// assert_eq!(paths, ["body.budgetId", "body.personId", "body.budgets"]);
    /// ```
    pub fn of(
        owner: CardOwnerKind,
        budget: Option<BudgetId>,
        person: Option<PersonId>,
        budgets: Option<Vec<GrantedBudget>>,
    ) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        for (path, is_sent, needed_by) in [
            ("body.budgetId", budget.is_some(), CardOwnerKind::Budget),
            ("body.personId", person.is_some(), CardOwnerKind::People),
            // For a shared card, an empty list counts as absent.
            (
                "body.budgets",
                budgets.as_ref().is_some_and(|named| !named.is_empty() || owner == CardOwnerKind::People),
                CardOwnerKind::People,
            ),
        ] {
            match (needed_by == owner, is_sent) {
                (true, false) => faults.push(Flaw::required().at(path)),
                (false, true) => {
                    faults.push(Flaw::value(format!("must be left out for {}", owner.as_str())).at(path));
                }
                _ => {}
            }
        }
        if let (CardOwnerKind::People, Some(Err(flaw))) = (owner, budgets.as_deref().map(check_budgets)) {
            faults.push(flaw.at("body.budgets"));
        }
        match (owner, budget, person, budgets) {
            _ if !faults.is_empty() => Err(faults),
            (CardOwnerKind::Budget, Some(budget), ..) => Ok(Self::Budget(budget)),
            (CardOwnerKind::People, _, Some(person), Some(budgets)) => {
                Ok(Self::Person(IndividualHolder { person, budgets }))
            }
            // A missing member was reported above.
            _ => Err(faults),
        }
    }

    /// The budgets that the card names, in order.
    pub fn budgets(&self) -> Vec<BudgetId> {
        match self {
            Self::Budget(budget) => vec![*budget],
            Self::Person(IndividualHolder { budgets, .. }) => budgets.iter().map(|granted| granted.budget).collect(),
        }
    }

    /// The person, if the card is individual.
    pub const fn person(&self) -> Option<PersonId> {
        match self {
            Self::Budget(_) => None,
            Self::Person(IndividualHolder { person, .. }) => Some(*person),
        }
    }

    /// Whether the card may spend from the budget at a place of [`Self::budgets`].
    pub(super) fn may_spend(&self, place: usize) -> bool {
        match self {
            Self::Budget(_) => true,
            Self::Person(IndividualHolder { budgets, .. }) => budgets.get(place).is_some_and(|granted| granted.active),
        }
    }

    /// The path of the budget at a place of [`Self::budgets`], in the request's body.
    pub(super) fn path(&self, place: usize) -> String {
        match self {
            Self::Budget(_) => "body.budgetId".to_owned(),
            Self::Person(_) => format!("body.budgets[{place}].budgetId"),
        }
    }
}

fn check_budgets(budgets: &[GrantedBudget]) -> Result<(), Flaw> {
    let named: BTreeSet<_> = budgets.iter().map(|granted| granted.budget).collect();
    if budgets.is_empty() {
        Err(Flaw::range("must list at least one budget"))
    } else if budgets.len() > CardHolder::MAX_BUDGETS {
        let (max, got) = (CardHolder::MAX_BUDGETS, budgets.len());
        Err(Flaw::range(format!("must list at most {max} budgets (got {got})")))
    } else if named.len() < budgets.len() {
        Err(Flaw::value("must name each budget once"))
    } else if !budgets.iter().any(|granted| granted.active) {
        Err(Flaw::value("must contain an active budget"))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;
    use crate::test_support::BUDGET;
    use uuid::Uuid;

    const PERSON: PersonId = PersonId(Uuid::from_u128(7));

    fn granted(number: u128, active: bool) -> GrantedBudget {
        GrantedBudget { budget: BudgetId(Uuid::from_u128(number)), active }
    }

    fn faults(
        owner: CardOwnerKind,
        budget: Option<BudgetId>,
        person: Option<PersonId>,
        budgets: Option<Vec<GrantedBudget>>,
    ) -> Vec<(String, FlawCode)> {
        let faults = CardHolder::of(owner, budget, person, budgets).unwrap_err();
        faults.into_iter().map(|fault| (fault.path, fault.flaw.code)).collect()
    }

    #[test]
    fn every_missing_and_superfluous_member_is_named() {
        let fault = |path: &str, code| (path.to_owned(), code);
        let all = faults(CardOwnerKind::Budget, None, Some(PERSON), Some(vec![granted(1, true)]));
        let required = FlawCode::Required;
        let excluded = FlawCode::InvalidValue;
        let expected =
            [fault("body.budgetId", required), fault("body.personId", excluded), fault("body.budgets", excluded)];
        assert_eq!(all, expected);
        let all = faults(CardOwnerKind::People, Some(BUDGET), None, None);
        let expected =
            [fault("body.budgetId", excluded), fault("body.personId", required), fault("body.budgets", required)];
        assert_eq!(all, expected);
    }

    #[test]
    fn an_individual_card_names_each_budget_once_and_at_least_one_active_one() {
        let many = (0..=100).map(|number| granted(number, true)).collect::<Vec<_>>();
        for (budgets, code) in [
            (vec![], FlawCode::OutOfRange),
            (many.clone(), FlawCode::OutOfRange),
            (vec![granted(1, true), granted(1, false)], FlawCode::InvalidValue),
            (vec![granted(1, false), granted(2, false)], FlawCode::InvalidValue),
        ] {
            let found = faults(CardOwnerKind::People, None, Some(PERSON), Some(budgets));
            assert_eq!(found, [("body.budgets".to_owned(), code)]);
        }
        let max = CardHolder::of(CardOwnerKind::People, None, Some(PERSON), Some(many[1..].to_vec())).unwrap();
        assert_eq!((max.budgets().len(), max.person()), (100, Some(PERSON)));
        assert_eq!(CardHolder::Budget(BUDGET).person(), None);
    }
}
