//! Checks the balances of prepared data against its journal, before any of it is stored.

use florin_domain::ids::BudgetId;
use florin_domain::ledger::{Leg, Pool};
use florin_domain::money::Currency;
use florin_ports::{SeedData, StoreError};
use std::collections::BTreeMap;

/// Available, held and reserved.
type PoolSums = [i128; 3];

/// Checks that every balance is the sum of its journal, and that nothing is held: seeds have no card messages that
/// could hold money.
pub(super) fn check(data: &SeedData) -> Result<(), StoreError> {
    let mut sums = journal_sums(data);
    for budget in data.accounts.iter().flat_map(|seed| &seed.budgets).map(|seed| &seed.budget) {
        for (currency, balances) in &budget.balances {
            let stated = [balances.available(), balances.held(), balances.reserved()].map(|minor| i128::from(minor.0));
            let proved = sums.remove(&(budget.id, *currency)).unwrap_or_default();
            if stated != proved || stated[1] != 0 {
                return Err(disproved(budget.id, *currency));
            }
        }
    }
    match sums.into_keys().next() {
        Some((budget, currency)) => Err(disproved(budget, currency)),
        None => Ok(()),
    }
}

fn journal_sums(data: &SeedData) -> BTreeMap<(BudgetId, Currency), PoolSums> {
    let mut sums: BTreeMap<_, PoolSums> = BTreeMap::new();
    let budgets = data.accounts.iter().flat_map(|seed| &seed.budgets);
    for journal in budgets.flat_map(|seed| &seed.journal) {
        for posting in journal.legs().iter().flat_map(Leg::postings) {
            let (budget, pool) = match posting.pool {
                Pool::Available(budget) => (budget, 0),
                Pool::Held(budget) => (budget, 1),
                Pool::Reserved(budget) => (budget, 2),
                _ => {
                    continue;
                }
            };
            sums.entry((budget, journal.currency)).or_default()[pool] += i128::from(posting.amount.0);
        }
    }
    sums
}

fn disproved(budget: BudgetId, currency: Currency) -> StoreError {
    StoreError::Corrupt(format!(
        "the journal of the seed data does not prove the {currency} balance of budget {budget}"
    ))
}
