//! Budgets and their balances.

use super::backend::{Changes, Conn};
use super::errors::{Outcome, corrupt};
use super::names::Name;
use super::statements;
use super::tables::money::{BalanceChange, BalanceRow, BudgetRow, balances, budgets};
use super::types::{Account, Currency, Id, Time};
use diesel::prelude::*;
use florin_domain::budget::{Budget, BudgetFeature, BudgetRecord};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::Balances;
use florin_domain::money::{self, Minor};
use std::collections::{BTreeMap, BTreeSet};

impl BudgetRow {
    /// Builds the budget from its row and its balances.
    pub(crate) fn read(&self, balances: Vec<(money::Currency, Balances)>) -> Outcome<BudgetRecord> {
        let feature =
            |name| BudgetFeature::named(name).ok_or_else(|| corrupt(format!("`{name}` is not a budget feature")));
        let budget =
            Budget { id: BudgetId(self.id.0), account: self.account_id.0.clone(), name: self.name.clone(), balances };
        Ok(BudgetRecord {
            budget,
            parent: self.parent_id.map(|parent| BudgetId(parent.0)),
            features: self.features.split_whitespace().map(feature).collect::<Outcome<_>>()?,
            created_at: self.created_at.map(|at| at.0),
        })
    }
}

impl BalanceRow {
    pub(crate) fn read(&self) -> Outcome<Balances> {
        Balances::new(Minor(self.available_minor), Minor(self.held_minor), Minor(self.reserved_minor)).map_err(corrupt)
    }
}

/// The balances of the budgets of a group.
#[derive(Default)]
pub(crate) struct BalanceSet {
    held: BTreeMap<(AccountId, BudgetId), Vec<(money::Currency, Balances)>>,
    changed: BTreeSet<(AccountId, BudgetId, money::Currency)>,
    rows: BTreeMap<(AccountId, BudgetId), BudgetRow>,
}

impl BalanceSet {
    /// Builds the set from the rows of the needed balances, which are locked.
    pub(crate) fn of_rows(rows: Vec<BalanceRow>) -> Outcome<Self> {
        let mut balance_set = Self::default();
        for row in rows {
            let held = row.read()?;
            balance_set
                .held
                .entry((row.account_id.0, BudgetId(row.budget_id.0)))
                .or_default()
                .push((row.currency.0, held));
        }
        Ok(balance_set)
    }

    /// Adds the rows of the budgets that commands need whole.
    pub(crate) fn named(mut self, rows: Vec<BudgetRow>) -> Self {
        self.rows = rows.into_iter().map(|row| ((row.account_id.0.clone(), BudgetId(row.id.0)), row)).collect();
        self
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
        self.held.get(&(account.clone(), budget)).map_or(&[], Vec::as_slice)
    }

    /// Returns the balances of a budget in one currency.
    pub(crate) fn balances(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: money::Currency,
    ) -> Option<Balances> {
        self.of(account, budget).iter().find(|(held, _)| *held == currency).map(|(_, balances)| *balances)
    }

    /// Stages new balances of a budget.
    pub(crate) fn change(
        &mut self,
        account: &AccountId,
        (budget, currency): (BudgetId, money::Currency),
        after: Balances,
    ) {
        let held = self.held.entry((account.clone(), budget)).or_default();
        match held.iter_mut().find(|(held, _)| *held == currency) {
            Some((_, balances)) => *balances = after,
            // The row does not exist, so storing it fails and reports that.
            None => held.push((currency, after)),
        }
        self.changed.insert((account.clone(), budget, currency));
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        let row = |(account, budget, currency): (AccountId, BudgetId, money::Currency)| {
            let after = self.balances(&account, budget, currency)?;
            Some(BalanceChange {
                available_minor: after.available().0,
                held_minor: after.held().0,
                reserved_minor: after.reserved().0,
                account_id: Account(account),
                budget_id: Id(budget.0),
                currency: Currency(currency),
            })
        };
        changes.update(self.changed.iter().cloned().filter_map(row).collect())
    }
}

/// Returns all budgets of the account by id, with their balances by currency.
pub(crate) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<Budget>> {
    let mut held: BTreeMap<Id, Vec<(money::Currency, Balances)>> = BTreeMap::new();
    let rows = balances::table
        .filter(balances::account_id.eq(account.as_str()))
        .order((balances::budget_id, balances::currency))
        .select(BalanceRow::as_select())
        .load(conn)?;
    for row in rows {
        held.entry(row.budget_id).or_default().push((row.currency.0, row.read()?));
    }
    let rows = budgets::table
        .filter(budgets::account_id.eq(account.as_str()))
        .order(budgets::id)
        .select(BudgetRow::as_select())
        .load(conn)?;
    let budget = |row: BudgetRow| Budget {
        id: BudgetId(row.id.0),
        account: row.account_id.0,
        balances: held.remove(&row.id).unwrap_or_default(),
        name: row.name,
    };
    Ok(rows.into_iter().map(budget).collect())
}

/// Stores a new budget with its balances.
pub(crate) fn insert(conn: &mut Conn, record: &BudgetRecord) -> Outcome<()> {
    let budget = &record.budget;
    let account_id = Account(budget.account.clone());
    let features: Vec<_> = record.features.iter().map(|feature| feature.as_str()).collect();
    let row = BudgetRow {
        account_id: account_id.clone(),
        id: Id(budget.id.0),
        name: budget.name.clone(),
        parent_id: record.parent.map(|parent| Id(parent.0)),
        features: features.join(" "),
        created_at: record.created_at.map(Time),
    };
    statements::insert(vec![row], conn)?;
    let row = |(currency, held): &(money::Currency, Balances)| BalanceRow {
        account_id: account_id.clone(),
        budget_id: Id(budget.id.0),
        currency: Currency(*currency),
        available_minor: held.available().0,
        held_minor: held.held().0,
        reserved_minor: held.reserved().0,
    };
    statements::insert(budget.balances.iter().map(row).collect(), conn)
}
