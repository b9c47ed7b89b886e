//! The tree of an account's budgets.

use super::MAX_LEVELS;
use crate::ids::BudgetId;
use std::collections::BTreeMap;

/// The reason that budgets do not form a tree. Florin never creates such budgets, but a file can contain them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenTree {
    /// A budget is below this one, which does not exist.
    #[error("budget {0}, which has sub-budgets, is missing")]
    Missing(BudgetId),
    /// This budget is below itself, or below the last level.
    #[error("budget {0} is below itself, or more than {max} levels deep", max = MAX_LEVELS)]
    TooDeep(BudgetId),
}

/// Checks that budgets form a tree of at most [`MAX_LEVELS`] levels. `parents` contains, for each budget, the budget
/// directly above it.
///
/// ```
/// use florin_domain::budget::{BrokenTree, check_tree};
/// use florin_domain::test_support::a_budget;
/// use std::collections::BTreeMap;
///
/// let id = a_budget().build().budget.id;
/// assert_eq!(check_tree(&BTreeMap::from([(id, None)])), Ok(()));
/// assert_eq!(check_tree(&BTreeMap::from([(id, Some(id))])), Err(BrokenTree::TooDeep(id)));
/// ```
pub fn check_tree(parents: &BTreeMap<BudgetId, Option<BudgetId>>) -> Result<(), BrokenTree> {
    for budget in parents.keys() {
        let mut next = Some(*budget);
        for _ in 0..MAX_LEVELS {
            if let Some(id) = next {
                next = *parents.get(&id).ok_or(BrokenTree::Missing(id))?;
            }
        }
        if next.is_some() {
            return Err(BrokenTree::TooDeep(*budget));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const fn id(number: u128) -> BudgetId {
        BudgetId(Uuid::from_u128(number))
    }

    /// Checks budgets. Each pair is a budget and the budget directly above it, or 0 if there is none.
    fn check(pairs: &[(u128, u128)]) -> Result<(), BrokenTree> {
        let above = |number| if number == 0 { None } else { Some(id(number)) };
        check_tree(&pairs.iter().map(|(budget, parent)| (id(*budget), above(*parent))).collect())
    }

    #[test]
    fn a_tree_has_at_most_three_levels() {
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[(1, 0), (2, 1), (3, 1), (4, 2), (5, 3)]), Ok(()));
        assert_eq!(check(&[(1, 0), (2, 1), (3, 2), (4, 3)]), Err(BrokenTree::TooDeep(id(4))));
    }

    #[test]
    fn a_budget_is_not_below_itself() {
        assert_eq!(check(&[(1, 0), (2, 2)]), Err(BrokenTree::TooDeep(id(2))));
        assert_eq!(check(&[(1, 0), (2, 3), (3, 2)]), Err(BrokenTree::TooDeep(id(2))));
    }

    #[test]
    fn a_budget_with_sub_budgets_exists() {
        let broken = check(&[(1, 0), (2, 7)]);
        assert_eq!(broken, Err(BrokenTree::Missing(id(7))));
        let message = broken.map_err(|broken| broken.to_string());
        assert_eq!(message, Err(format!("budget {}, which has sub-budgets, is missing", id(7))));
    }
}
