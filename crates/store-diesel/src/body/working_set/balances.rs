//! The balances of budgets.

use super::body::backend::Changes;
use super::body::balances::require_balances;
use super::body::errors::{Outcome, corrupt};
use super::body::legs::{hash_column, link};
use super::body::tables::money::{BalanceChange, BalanceRow, BudgetRow};
use super::body::types::{Account, Currency, Id};
use florin_domain::budget::{Budget, BudgetRecord};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::{Balances, Link};
use florin_domain::money;
use std::collections::{BTreeMap, BTreeSet};

/// Identifies a balance.
pub(super) type BalanceKey = (AccountId, BudgetId, money::Currency);

/// The balances of the budgets of a group.
#[derive(Default)]
pub(crate) struct BalanceSet {
    balances: BTreeMap<(AccountId, BudgetId), Vec<(money::Currency, Balances)>>,
    changed: BTreeSet<BalanceKey>,
    counters: BTreeMap<BalanceKey, Counters>,
    rows: BTreeMap<(AccountId, BudgetId), BudgetRow>,
}

/// The counters of a balance.
#[derive(Default)]
struct Counters {
    /// The number of the last credit, top-up, transfer or payment.
    last_number: Option<i64>,
    /// The number of journal transactions that changed it.
    movements: i64,
    /// The last link of its hash chain.
    last: Link,
}

impl BalanceSet {
    /// Builds the set from the rows of the needed balances, which are locked.
    pub(crate) fn of_rows(rows: Vec<BalanceRow>) -> Outcome<Self> {
        let mut balance_set = Self::default();
        for row in rows {
            let balances = row.read()?;
            let key = (row.account_id.0.clone(), BudgetId(row.budget_id.0), row.currency.0);
            let last = link(row.last_link, row.last_hash.as_ref())?;
            let counters = Counters { last_number: row.last_number, movements: row.movements, last };
            balance_set.counters.insert(key, counters);
            balance_set
                .balances
                .entry((row.account_id.0, BudgetId(row.budget_id.0)))
                .or_default()
                .push((row.currency.0, balances));
        }
        Ok(balance_set)
    }

    /// Adds the rows of the budgets that the footprint names.
    pub(crate) fn with_budgets(mut self, rows: Vec<BudgetRow>) -> Outcome<Self> {
        for row in &rows {
            require_balances(row.id, self.of(&row.account_id.0, BudgetId(row.id.0)))?;
        }
        self.rows = rows.into_iter().map(|row| ((row.account_id.0.clone(), BudgetId(row.id.0)), row)).collect();
        Ok(self)
    }

    /// Returns a budget with all its balances, if the footprint named it.
    pub(crate) fn budget(&self, account: &AccountId, id: BudgetId) -> Option<Budget> {
        let name = self.rows.get(&(account.clone(), id))?.name.clone();
        Some(Budget { id, account: account.clone(), name, balances: self.of(account, id).to_vec() })
    }

    /// Returns the full record of a budget with all its balances, if the footprint named it.
    pub(crate) fn record(&self, account: &AccountId, id: BudgetId) -> Outcome<Option<BudgetRecord>> {
        let row = self.rows.get(&(account.clone(), id));
        row.map(|row| row.read(self.of(account, id).to_vec())).transpose()
    }

    /// Returns the balances of a budget in each of its currencies.
    pub(crate) fn of(&self, account: &AccountId, budget: BudgetId) -> &[(money::Currency, Balances)] {
        self.balances.get(&(account.clone(), budget)).map_or(&[], Vec::as_slice)
    }

    /// Returns the balances of a budget in one currency.
    pub(crate) fn balances(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: money::Currency,
    ) -> Option<Balances> {
        self.of(account, budget).iter().find(|(known, _)| *known == currency).map(|(_, balances)| *balances)
    }

    /// Stages new balances of a budget.
    pub(crate) fn change(
        &mut self,
        account: &AccountId,
        (budget, currency): (BudgetId, money::Currency),
        after: Balances,
    ) {
        let of_budget = self.balances.entry((account.clone(), budget)).or_default();
        match of_budget.iter_mut().find(|(known, _)| *known == currency) {
            Some((_, balances)) => *balances = after,
            // The row does not exist, so storing the change fails.
            None => of_budget.push((currency, after)),
        }
        self.changed.insert((account.clone(), budget, currency));
    }

    /// Stages new balances of a budget after a credit, top-up or transfer with this number.
    pub(crate) fn change_with_number(
        &mut self,
        account: &AccountId,
        (budget, currency): (BudgetId, money::Currency),
        after: Balances,
        number: i64,
    ) {
        self.change(account, (budget, currency), after);
        self.set_last_number(account, (budget, currency), number);
    }

    /// Stages the number of the last credit, top-up, transfer or payment that changed a balance.
    pub(crate) fn set_last_number(
        &mut self,
        account: &AccountId,
        (budget, currency): (BudgetId, money::Currency),
        number: i64,
    ) {
        self.counters.entry((account.clone(), budget, currency)).or_default().last_number = Some(number);
    }

    /// Returns the last link of the hash chain of a balance. `None` if the balance was not loaded.
    pub(super) fn last_link(
        &self,
        account: &AccountId,
        (budget, currency): (BudgetId, money::Currency),
    ) -> Option<Link> {
        self.counters.get(&(account.clone(), budget, currency)).map(|counters| counters.last)
    }

    /// Stages the last link of the hash chain of a balance.
    pub(super) fn set_last_link(
        &mut self,
        account: &AccountId,
        (budget, currency): (BudgetId, money::Currency),
        last: Link,
    ) {
        self.counters.entry((account.clone(), budget, currency)).or_default().last = last;
    }

    /// Adds the new journal transactions to the counts of the balances that they change. Fails if a balance was not
    /// loaded: a leg would be stored without the change of its balance.
    pub(super) fn count_movements(&mut self, more: &BTreeMap<BalanceKey, i64>) -> Outcome<()> {
        for (key, count) in more {
            let counters = self.counters.get_mut(key).ok_or_else(|| {
                let (_, budget, currency) = key;
                corrupt(format!("the journal moves {currency} of budget {budget}, which was not loaded"))
            })?;
            counters.movements += count;
            self.changed.insert(key.clone());
        }
        Ok(())
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        let row = |key: &BalanceKey| {
            let (account, budget, currency) = key;
            let after = self.balances(account, *budget, *currency)?;
            let counters = self.counters.get(key);
            let last = counters.map(|counters| counters.last).unwrap_or_default();
            Some(BalanceChange {
                available_minor: after.available().0,
                held_minor: after.held().0,
                reserved_minor: after.reserved().0,
                last_number: counters.and_then(|counters| counters.last_number),
                movements: counters.map_or(0, |counters| counters.movements),
                last_link: last.number,
                last_hash: hash_column(last),
                account_id: Account(account.clone()),
                budget_id: Id(budget.0),
                currency: Currency(*currency),
            })
        };
        changes.update(self.changed.iter().filter_map(row).collect())
    }
}
