//! Budgets and their balances.

use super::backend::Conn;
use super::cards::controls;
use super::errors::{Outcome, corrupt};
use super::list_counts;
use super::names::Name;
use super::statements;
use super::tables::money::{BalanceRow, BudgetRow, balances, budgets};
use super::types::{Account, Currency, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::budget::{Budget, BudgetFeature, BudgetRecord};
use florin_domain::ids::{AccountId, BudgetId, PersonaId};
use florin_domain::ledger::Balances;
use florin_domain::money::{self, Minor};
use std::collections::BTreeMap;

impl BudgetRow {
    /// Builds the budget from its row and its balances.
    pub(crate) fn read(&self, balances: Vec<(money::Currency, Balances)>) -> Outcome<BudgetRecord> {
        require_balances(self.id, &balances)?;
        self.record(balances)
    }

    /// Builds the budget like [`Self::read`], but accepts an empty list of balances.
    pub(crate) fn record(&self, balances: Vec<(money::Currency, Balances)>) -> Outcome<BudgetRecord> {
        let low_balance = match (self.low_balance_minor, self.low_balance_currency) {
            (Some(minor), Some(currency)) => Some(Minor(minor).of(currency.0)),
            (None, None) => None,
            _ => return Err(corrupt("half a low balance")),
        };
        let feature =
            |name| BudgetFeature::named(name).ok_or_else(|| corrupt(format!("`{name}` is not a budget feature")));
        let budget =
            Budget { id: BudgetId(self.id.0), account: self.account_id.0.clone(), name: self.name.clone(), balances };
        Ok(BudgetRecord {
            budget,
            parent: self.parent_id.map(|parent| BudgetId(parent.0)),
            features: self.features.split_whitespace().map(feature).collect::<Outcome<_>>()?,
            kind: self.kind.0,
            persona: self.persona_id.map(|persona| PersonaId(persona.0)),
            status: self.status.0,
            box_id: self.box_id.clone(),
            low_balance,
            controls: controls::read(self.controls.as_deref())?,
            created_at: self.created_at.map(|at| at.0),
            updated_at: self.updated_at.map(|at| at.0),
        })
    }
}

impl From<&BudgetRecord> for BudgetRow {
    fn from(record: &BudgetRecord) -> Self {
        let features: Vec<_> = record.features.iter().map(|feature| feature.as_str()).collect();
        Self {
            account_id: Account(record.budget.account.clone()),
            id: Id(record.budget.id.0),
            name: record.budget.name.clone(),
            parent_id: record.parent.map(|parent| Id(parent.0)),
            features: features.join(" "),
            created_at: record.created_at.map(Time),
            kind: Named(record.kind),
            persona_id: record.persona.map(|persona| Id(persona.0)),
            status: Named(record.status),
            box_id: record.box_id.clone(),
            low_balance_minor: record.low_balance.map(|money| money.minor.0),
            low_balance_currency: record.low_balance.map(|money| Currency(money.currency)),
            updated_at: record.updated_at.map(Time),
            controls: controls::text(&record.controls),
        }
    }
}

impl BalanceRow {
    pub(crate) fn read(&self) -> Outcome<Balances> {
        Balances::new(Minor(self.available_minor), Minor(self.held_minor), Minor(self.reserved_minor)).map_err(corrupt)
    }
}

/// Requires that a budget has balances. It is created with them, so without any the store is damaged.
pub(crate) fn require_balances<T>(budget: Id, balances: &[T]) -> Outcome<()> {
    if balances.is_empty() { Err(corrupt(format!("the balances of budget {} are missing", budget.0))) } else { Ok(()) }
}

/// Returns all budgets of the account by id, with their balances by currency.
pub(crate) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<Budget>> {
    let mut balances_of: BTreeMap<Id, Vec<(money::Currency, Balances)>> = BTreeMap::new();
    let rows = balances::table
        .filter(balances::account_id.eq(account.as_str()))
        .order((balances::budget_id, balances::currency))
        .select(BalanceRow::as_select())
        .load(conn)?;
    for row in rows {
        balances_of.entry(row.budget_id).or_default().push((row.currency.0, row.read()?));
    }
    let rows = budgets::table
        .filter(budgets::account_id.eq(account.as_str()))
        .order(budgets::id)
        .select(BudgetRow::as_select())
        .load(conn)?;
    let budget = |row: BudgetRow| {
        let balances = balances_of.remove(&row.id).unwrap_or_default();
        require_balances(row.id, &balances)?;
        Ok(Budget { id: BudgetId(row.id.0), account: row.account_id.0, balances, name: row.name })
    };
    rows.into_iter().map(budget).collect()
}

/// Stores a new budget with its balances.
pub(crate) fn insert(conn: &mut Conn, record: &BudgetRecord) -> Outcome<()> {
    let budget = &record.budget;
    let account_id = Account(budget.account.clone());
    statements::insert(vec![BudgetRow::from(record)], conn)?;
    let row = |(currency, balances): &(money::Currency, Balances)| BalanceRow {
        account_id: account_id.clone(),
        budget_id: Id(budget.id.0),
        currency: Currency(*currency),
        available_minor: balances.available().0,
        held_minor: balances.held().0,
        reserved_minor: balances.reserved().0,
        last_number: None,
        movements: 0,
        last_link: 0,
        last_hash: None,
    };
    statements::insert(budget.balances.iter().map(row).collect(), conn)?;
    list_counts::add_budget(conn, &budget.account, budget.id)
}
