//! Reads, creates and changes budgets.

use super::ask::ask;
use super::backend::{Conn, Db};
use super::balances::insert;
use super::budget_funds::with_funds;
use super::errors::{Outcome, Stop, corrupt};
use super::footprint::Footprint;
use super::group::under_claim;
use super::list_counts;
use super::people;
use super::statements::update;
use super::store::Store;
use super::tables::access::accounts;
use super::tables::money::{BalanceRow, BudgetChange, BudgetRow, balances, budgets};
use super::types::Id;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::budget::{
    BudgetFilter, BudgetOverview, BudgetRecord, CreateBudgetRefusal, CreateBudgetSituation, EditBudgetRefusal,
    EditBudgetSituation, MAX_LEVELS, ParentBudget, check_tree,
};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::Balances;
use florin_domain::money::Currency;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Budgets, CreateBudgetCommand, EditBudgetCommand, StoreError, WriteError, Written};
use std::collections::BTreeMap;

#[async_trait]
impl Budgets for Store {
    async fn find(&self, account: &AccountId, budget: BudgetId) -> Result<Option<BudgetRecord>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| find(conn, &account, budget)).await
    }

    async fn find_with_funds(
        &self,
        account: &AccountId,
        budget: BudgetId,
    ) -> Result<Option<BudgetOverview>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| {
            let record = find(conn, &account, budget)?;
            Ok(with_funds(conn, &account, record.into_iter().collect())?.pop())
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
        self.read_in_one_transaction(move |conn| list(conn, &account, filter, page)).await
    }

    async fn list_with_funds(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetOverview>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| {
            let Page { count, rows } = list(conn, &account, filter, page)?;
            Ok(Page { count, rows: with_funds(conn, &account, rows)? })
        })
        .await
    }

    async fn create(
        &self,
        command: CreateBudgetCommand,
    ) -> Result<Written<BudgetRecord>, WriteError<CreateBudgetRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                if !working_set.credits.has_account(&command.account) {
                    return Err(WriteError::Absent.into());
                }
                let situation = situation(conn, &command)?;
                let record = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
                insert(conn, &record)?;
                Ok(record)
            })
        })
        .await
    }

    async fn edit(&self, command: EditBudgetCommand) -> Result<Written<BudgetRecord>, WriteError<EditBudgetRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            // Decisions on card messages read the controls of the budget under the lock of its balances. So the edit
            // locks the balances, too.
            footprint.budget(&command.account, command.budget);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, _| edit(conn, &command))
        })
        .await
    }
}

/// Returns a budget of the account.
fn find(conn: &mut Conn, account: &AccountId, budget: BudgetId) -> Outcome<Option<BudgetRecord>> {
    let row = budgets::table
        .filter(budgets::account_id.eq(account.as_str()))
        .filter(budgets::id.eq(Id(budget.0)))
        .select(BudgetRow::as_select())
        .get_result(conn)
        .optional()?;
    Ok(with_balances(conn, account, row.into_iter().collect())?.pop())
}

fn list(conn: &mut Conn, account: &AccountId, filter: BudgetFilter, page: PageRequest) -> Outcome<Page<BudgetRecord>> {
    let rows = matching(account, filter)
        .order((budgets::name, budgets::id))
        .limit(page.limit)
        .offset(page.offset)
        .select(BudgetRow::as_select())
        .load(conn)?;
    let count = list_counts::of_budgets(conn, account, filter)?;
    Ok(Page { count, rows: with_balances(conn, account, rows)? })
}

/// Changes a budget. The caller holds the lock on the account's counter, which serializes edits.
fn edit(conn: &mut Conn, command: &EditBudgetCommand) -> Result<BudgetRecord, Stop<WriteError<EditBudgetRefusal>>> {
    let record = find(conn, &command.account, command.budget)?.ok_or(WriteError::Absent)?;
    let name_is_taken = match &command.name {
        Some(name) => is_taken(conn, &command.account, name, Some(command.budget))?,
        None => false,
    };
    let situation = EditBudgetSituation { record, name_is_taken };
    let edited = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    update(vec![BudgetChange::from(BudgetRow::from(&edited))], conn)?;
    Ok(edited)
}

/// Returns whether names of budgets must be unique on the account, and a budget other than `except` has this name. The
/// caller holds the lock on the account's counter, which serializes creations and edits.
fn is_taken(conn: &mut Conn, account: &AccountId, name: &str, except: Option<BudgetId>) -> Outcome<bool> {
    let are_unique = accounts::table.filter(accounts::id.eq(account.as_str())).select(accounts::unique_budget_names);
    if are_unique.get_result::<bool>(conn).optional()? != Some(true) {
        return Ok(false);
    }
    // The list of budgets has an index by name. At most one of the two rows is `except`.
    let named = budgets::table
        .filter(budgets::account_id.eq(account.as_str()))
        .filter(budgets::name.eq(name))
        .select(budgets::id)
        .limit(2)
        .load::<Id>(conn)?;
    Ok(named.into_iter().any(|id| except != Some(BudgetId(id.0))))
}

/// Selects the budgets of the account that match the filter.
fn matching(account: &AccountId, filter: BudgetFilter) -> budgets::BoxedQuery<'_, Db> {
    let mut rows = budgets::table.filter(budgets::account_id.eq(account.as_str())).into_boxed();
    if let Some(parent) = filter.parent {
        rows = rows.filter(budgets::parent_id.eq(Id(parent.0)));
    }
    if let Some(currency) = filter.currency {
        // Checked budget by budget in the order of the list. With `IN` instead of `EXISTS`, each page would read all
        // budgets with this currency.
        let of_budget = balances::table
            .filter(balances::account_id.eq(account.as_str()))
            .filter(balances::budget_id.eq(budgets::id))
            .filter(balances::currency.eq(currency.code()));
        rows = rows.filter(diesel::dsl::exists(of_budget));
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
    let balances = balances::table
        .filter(balances::account_id.eq(account.as_str()))
        .order((balances::budget_id, balances::currency))
        .select(BalanceRow::as_select())
        .load(conn)?;
    assemble(rows, balances)
}

/// Checks all budgets of an account. `Corrupt`: one of them can't be read or has no balances, or they do not form a
/// tree below the parent budget. If a budget were below itself, the statement that adds up sub-budgets would not end.
pub(super) fn read_all(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    parent_of_account(conn, account)?;
    let records = of_account(conn, account)?.into_iter();
    check_tree(&records.map(|record| (record.budget.id, record.parent)).collect()).map_err(corrupt)
}

/// Adds the balances to each budget of the account, in the order of the currency codes.
fn with_balances(conn: &mut Conn, account: &AccountId, rows: Vec<BudgetRow>) -> Outcome<Vec<BudgetRecord>> {
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let balances = balances::table
        .filter(balances::account_id.eq(account.as_str()))
        .filter(balances::budget_id.eq_any(ids))
        .order((balances::budget_id, balances::currency))
        .select(BalanceRow::as_select())
        .load(conn)?;
    assemble(rows, balances)
}

/// Combines rows of budgets with the balances that were loaded for them, in the order of the rows.
fn assemble(rows: Vec<BudgetRow>, balances: Vec<BalanceRow>) -> Outcome<Vec<BudgetRecord>> {
    let mut balances_of: BTreeMap<Id, Vec<(Currency, Balances)>> = BTreeMap::new();
    for row in balances {
        balances_of.entry(row.budget_id).or_default().push((row.currency.0, row.read()?));
    }
    rows.into_iter().map(|row| row.read(balances_of.remove(&row.id).unwrap_or_default())).collect()
}

/// Reads the situation of a creation. The caller holds the lock on the account's counter, so the situation can't
/// change.
fn situation(conn: &mut Conn, command: &CreateBudgetCommand) -> Outcome<CreateBudgetSituation> {
    let account = &command.account;
    let budget_count = list_counts::of_budgets(conn, account, BudgetFilter::default())?;
    let parent = match command.parent {
        Some(parent) => find(conn, account, parent)?,
        None => Some(parent_of_account(conn, account)?),
    };
    let parent = parent.map(|parent| parent_budget(conn, &parent)).transpose()?;
    Ok(CreateBudgetSituation {
        budgets: u64::try_from(budget_count).map_err(corrupt)?,
        parent,
        persona_has_budget: match command.persona {
            Some(persona) => people::has_budget(conn, account, persona)?,
            None => None,
        },
        name_is_taken: is_taken(conn, account, &command.name, None)?,
    })
}

/// Returns the parent budget of the account.
fn parent_of_account(conn: &mut Conn, account: &AccountId) -> Outcome<BudgetRecord> {
    let row = budgets::table
        .filter(budgets::account_id.eq(account.as_str()))
        // The kind is part of the SQL text, not a bound value, so that the partial index is used.
        .filter(diesel::dsl::sql::<diesel::sql_types::Bool>("kind = 'accountBalance'"))
        .select(BudgetRow::as_select())
        .load(conn)?;
    with_balances(conn, account, row)?.pop().ok_or_else(|| corrupt(format!("account {account} has no parent budget")))
}

/// Returns what the rule for new budgets reads of `parent`, below which a budget is to be created. The level of a
/// budget with no budget above it is 1.
fn parent_budget(conn: &mut Conn, parent: &BudgetRecord) -> Outcome<ParentBudget> {
    let mut level = 1;
    let mut next = parent.parent;
    // Nothing can be created below the last level. The bound also ends the search in a cycle, which would be a bug.
    while let (Some(above), true) = (next, level < MAX_LEVELS) {
        next = budgets::table
            .filter(budgets::account_id.eq(parent.budget.account.as_str()))
            .filter(budgets::id.eq(Id(above.0)))
            .select(budgets::parent_id)
            .get_result::<Option<Id>>(conn)
            .optional()?
            .ok_or_else(|| corrupt("a budget without its parent"))?
            .map(|above| BudgetId(above.0));
        level += 1;
    }
    let currencies = parent.budget.balances.iter().map(|(currency, _)| *currency).collect();
    Ok(ParentBudget { id: parent.budget.id, level, currencies })
}
