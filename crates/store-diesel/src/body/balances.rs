//! Budgets and their balances.

use super::backend::{Conn, Db};
use super::errors::{Outcome, corrupt, exactly_one};
use super::schema::{balances, budgets};
use super::statements::StoreBalances;
use super::types::{Account, Currency, Id};
use diesel::prelude::*;
use florin_domain::budget::Budget;
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::Balances;
use florin_domain::money::{self, Minor};
use std::collections::BTreeMap;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = budgets, check_for_backend(Db))]
struct BudgetRow {
    account_id: Account,
    id: Id,
    name: String,
}

/// The three pools of a budget in one currency.
#[derive(Queryable, Selectable)]
#[diesel(table_name = balances, check_for_backend(Db))]
pub(crate) struct PoolsRow {
    #[diesel(column_name = available_minor)]
    available: i64,
    #[diesel(column_name = held_minor)]
    held: i64,
    #[diesel(column_name = reserved_minor)]
    reserved: i64,
}

impl PoolsRow {
    /// As the domain has them.
    pub(crate) fn read(&self) -> Outcome<Balances> {
        Balances::new(Minor(self.available), Minor(self.held), Minor(self.reserved)).map_err(corrupt)
    }
}

#[derive(Insertable)]
#[diesel(table_name = balances, check_for_backend(Db))]
struct BalanceRow {
    account_id: Account,
    budget_id: Id,
    currency: Currency,
    available_minor: i64,
    held_minor: i64,
    reserved_minor: i64,
}

/// A budget of the account, locked.
pub(crate) fn budget(conn: &mut Conn, account: &AccountId, id: BudgetId) -> Outcome<Option<Budget>> {
    let row = budgets::table
        .filter(budgets::account_id.eq(account.as_str()))
        .filter(budgets::id.eq(Id(id.0)))
        .select(BudgetRow::as_select())
        .get_result(conn)
        .optional()?;
    let Some(row) = row else { return Ok(None) };
    let balances = locked!(
        balances::table
            .filter(balances::account_id.eq(account.as_str()))
            .filter(balances::budget_id.eq(Id(id.0)))
            .order(balances::currency)
            .select((balances::currency, PoolsRow::as_select()))
    )
    .load::<(Currency, PoolsRow)>(conn)?;
    let balances = balances.into_iter().map(|(currency, pools)| Ok((currency.0, pools.read()?)));
    let balances = balances.collect::<Outcome<_>>()?;
    Ok(Some(Budget { id, account: account.clone(), name: row.name, balances }))
}

/// What budgets of the account hold, locked in the order of their ids.
pub(crate) fn of_budgets(
    conn: &mut Conn,
    account: &AccountId,
    budgets: impl IntoIterator<Item = BudgetId>,
) -> Outcome<BTreeMap<(BudgetId, money::Currency), Balances>> {
    let ids: Vec<_> = budgets.into_iter().map(|budget| Id(budget.0)).collect();
    let rows = locked!(
        balances::table
            .filter(balances::account_id.eq(account.as_str()))
            .filter(balances::budget_id.eq_any(ids))
            .order((balances::budget_id, balances::currency))
            .select((balances::budget_id, balances::currency, PoolsRow::as_select()))
    )
    .load::<(Id, Currency, PoolsRow)>(conn)?;
    rows.into_iter().map(|(budget, currency, pools)| Ok(((BudgetId(budget.0), currency.0), pools.read()?))).collect()
}

/// All budgets of the account by id, their balances by currency.
pub(crate) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<Budget>> {
    let mut held: BTreeMap<Id, Vec<(money::Currency, Balances)>> = BTreeMap::new();
    let rows = balances::table
        .filter(balances::account_id.eq(account.as_str()))
        .order((balances::budget_id, balances::currency))
        .select((balances::budget_id, balances::currency, PoolsRow::as_select()))
        .load::<(Id, Currency, PoolsRow)>(conn)?;
    for (budget, currency, pools) in rows {
        held.entry(budget).or_default().push((currency.0, pools.read()?));
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
pub(crate) fn insert(conn: &mut Conn, budget: &Budget) -> Outcome<()> {
    let account_id = Account(budget.account.clone());
    let row = BudgetRow { account_id: account_id.clone(), id: Id(budget.id.0), name: budget.name.clone() };
    diesel::insert_into(budgets::table).values(row).execute(conn)?;
    for (currency, held) in &budget.balances {
        let row = BalanceRow {
            account_id: account_id.clone(),
            budget_id: Id(budget.id.0),
            currency: Currency(*currency),
            available_minor: held.available().0,
            held_minor: held.held().0,
            reserved_minor: held.reserved().0,
        };
        diesel::insert_into(balances::table).values(row).execute(conn)?;
    }
    Ok(())
}

/// Stores what a budget holds now.
pub(crate) fn store(
    conn: &mut Conn,
    account: &AccountId,
    (budget, currency): (BudgetId, money::Currency),
    after: &Balances,
) -> Outcome<()> {
    let statement = StoreBalances {
        available: after.available().0,
        held: after.held().0,
        reserved: after.reserved().0,
        account: Account(account.clone()),
        budget: Id(budget.0),
        currency: Currency(currency),
    };
    let changed = statement.execute(conn)?;
    exactly_one(changed, "balances")
}
