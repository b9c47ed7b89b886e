//! Reads and creates budgets.

use super::ask::ask;
use super::backend::{Conn, Db};
use super::balances::insert;
use super::errors::{Outcome, corrupt};
use super::footprint::Footprint;
use super::group::under_claim;
use super::store::Store;
use super::tables::money::{BalanceRow, BudgetRow, balances, budgets};
use super::types::Id;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::budget::{BudgetFilter, BudgetRecord, CreateBudgetRefusal, CreateBudgetSituation, MAX_LEVELS};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::Balances;
use florin_domain::money::Currency;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Budgets, CreateBudgetCommand, StoreError, WriteError, Written};
use std::collections::BTreeMap;

#[async_trait]
impl Budgets for Store {
    async fn find(&self, account: &AccountId, budget: BudgetId) -> Result<Option<BudgetRecord>, StoreError> {
        let account = account.clone();
        self.read(move |conn| {
            conn.transaction(|conn| {
                let row = budgets::table
                    .filter(budgets::account_id.eq(account.as_str()))
                    .filter(budgets::id.eq(Id(budget.0)))
                    .select(BudgetRow::as_select())
                    .get_result(conn)
                    .optional()?;
                Ok(with_balances(conn, &account, row.into_iter().collect())?.pop())
            })
        })
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetRecord>, StoreError> {
        let account = account.clone();
        self.read(move |conn| {
            conn.transaction(|conn| {
                let rows = matching(&account, filter)
                    .order(budgets::id.desc())
                    .limit(page.limit)
                    .offset(page.offset)
                    .select(BudgetRow::as_select())
                    .load(conn)?;
                let count = matching(&account, filter).count().get_result(conn)?;
                Ok(Page { count, rows: with_balances(conn, &account, rows)? })
            })
        })
        .await
    }

    async fn create(
        &self,
        command: CreateBudgetCommand,
    ) -> Result<Written<BudgetRecord>, WriteError<CreateBudgetRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.creation(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                if !working_set.credits.has(&command.account) {
                    return Err(WriteError::Absent.into());
                }
                let situation = situation(conn, &command.account, command.parent)?;
                let record = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
                insert(conn, &record)?;
                Ok(record)
            })
        })
        .await
    }
}

/// Selects the budgets of the account that match the filter.
fn matching(account: &AccountId, filter: BudgetFilter) -> budgets::BoxedQuery<'_, Db> {
    let mut rows = budgets::table.filter(budgets::account_id.eq(account.as_str())).into_boxed();
    if let Some(parent) = filter.parent {
        rows = rows.filter(budgets::parent_id.eq(Id(parent.0)));
    }
    if let Some(currency) = filter.currency {
        let holders = balances::table
            .filter(balances::account_id.eq(account.as_str()))
            .filter(balances::currency.eq(currency.code()))
            .select(balances::budget_id);
        rows = rows.filter(budgets::id.eq_any(holders));
    }
    rows
}

/// Returns all budgets of the account by id.
pub(super) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<BudgetRecord>> {
    let rows = budgets::table
        .filter(budgets::account_id.eq(account.as_str()))
        .order(budgets::id)
        .select(BudgetRow::as_select())
        .load(conn)?;
    with_balances(conn, account, rows)
}

/// Adds to each budget of the account its balances by currency code.
fn with_balances(conn: &mut Conn, account: &AccountId, rows: Vec<BudgetRow>) -> Outcome<Vec<BudgetRecord>> {
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let mut held: BTreeMap<Id, Vec<(Currency, Balances)>> = BTreeMap::new();
    let balances = balances::table
        .filter(balances::account_id.eq(account.as_str()))
        .filter(balances::budget_id.eq_any(ids))
        .order((balances::budget_id, balances::currency))
        .select(BalanceRow::as_select())
        .load(conn)?;
    for row in balances {
        held.entry(row.budget_id).or_default().push((row.currency.0, row.read()?));
    }
    rows.into_iter().map(|row| row.read(held.remove(&row.id).unwrap_or_default())).collect()
}

/// Reads the situation of a creation. The caller holds the lock on the account's counter, so the situation stays true.
fn situation(conn: &mut Conn, account: &AccountId, parent: Option<BudgetId>) -> Outcome<CreateBudgetSituation> {
    let of_account = budgets::table.filter(budgets::account_id.eq(account.as_str()));
    let budgets: i64 = of_account.count().get_result(conn)?;
    let parent_level = parent.map(|parent| level(conn, account, parent)).transpose()?.flatten();
    Ok(CreateBudgetSituation { budgets: u64::try_from(budgets).map_err(corrupt)?, parent_level })
}

/// Returns the nesting level of a budget of the account, from 1.
fn level(conn: &mut Conn, account: &AccountId, budget: BudgetId) -> Outcome<Option<u32>> {
    let mut next = Id(budget.0);
    // No budget is deeper than the last level. The bound also ends the search in a cycle, which would be a bug.
    for level in 1..=MAX_LEVELS {
        let parent: Option<Option<Id>> = budgets::table
            .filter(budgets::account_id.eq(account.as_str()))
            .filter(budgets::id.eq(next))
            .select(budgets::parent_id)
            .get_result(conn)
            .optional()?;
        match parent {
            None if level == 1 => return Ok(None),
            None => return Err(corrupt("a budget without its parent")),
            Some(None) => return Ok(Some(level)),
            Some(Some(parent)) => next = parent,
        }
    }
    Ok(Some(MAX_LEVELS))
}
