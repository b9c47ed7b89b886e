//! The sums that the sub-budgets of a budget hold, and the number of the last entry of each balance.

use super::backend::Conn;
use super::backend::sql::IdSql;
#[cfg(test)]
use super::backend::testing::{PLANNER, with_store};
use super::books::Halves;
use super::driver;
use super::errors::Outcome;
#[cfg(test)]
use super::plans::plan;
use super::tables::money::balances;
use super::types::{Account, Currency, Id};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Text;
use florin_domain::budget::{BudgetFunds, BudgetKind, BudgetOverview, BudgetRecord};
use florin_domain::ids::AccountId;
use std::collections::BTreeMap;

/// Sums the upper and the lower 32 bits of balances separately, so that no sum overflows. `{root}` is replaced by the
/// id of the budget that is above the budgets of these balances.
const SUMS: &str = "SELECT {root} AS budget_id, e.currency AS currency, \
    CAST(SUM(e.available_minor >> 32) AS BIGINT) AS available_high, \
    CAST(SUM(e.available_minor & 4294967295) AS BIGINT) AS available_low, \
    CAST(SUM(e.held_minor >> 32) AS BIGINT) AS held_high, \
    CAST(SUM(e.held_minor & 4294967295) AS BIGINT) AS held_low, \
    CAST(SUM(e.reserved_minor >> 32) AS BIGINT) AS reserved_high, \
    CAST(SUM(e.reserved_minor & 4294967295) AS BIGINT) AS reserved_low ";
/// For each of several root budgets, adds up the balances of all budgets below it. `{roots}` is replaced by the ids of
/// the root budgets.
const BELOW: &str = "WITH RECURSIVE below (root, id) AS (\
    SELECT b.parent_id, b.id FROM budgets b WHERE b.account_id = $1 AND b.parent_id IN ({roots}) UNION ALL \
    SELECT below.root, b.id FROM below JOIN budgets b ON b.account_id = $1 AND b.parent_id = below.id) \
    {sums} FROM below JOIN balances e ON e.account_id = $1 AND e.budget_id = below.id GROUP BY below.root, e.currency";
/// Adds up the balances of all budgets below the parent budget. These are all other budgets of the account, so no
/// recursion is needed.
const BELOW_PARENT: &str = "{sums} FROM budgets p JOIN balances e ON e.account_id = p.account_id \
    AND e.budget_id <> p.id WHERE p.account_id = $1 AND p.id = $2 GROUP BY p.id, e.currency";

#[derive(QueryableByName)]
struct BelowRow {
    #[diesel(sql_type = IdSql)]
    budget_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(embed)]
    sums: Halves,
}

/// Adds the funds of each currency to budgets of the account, in the view of the transaction.
pub(super) fn with_funds(
    conn: &mut Conn,
    account: &AccountId,
    records: Vec<BudgetRecord>,
) -> Outcome<Vec<BudgetOverview>> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<_> = records.iter().map(|record| Id(record.budget.id.0)).collect();
    let mut funds: BTreeMap<_, BudgetFunds> = BTreeMap::new();
    for row in below(conn, account, &records)? {
        funds.entry((row.budget_id, row.currency.0)).or_default().below = row.sums.into();
    }
    let numbers = balances::table
        .filter(balances::account_id.eq(account.as_str()))
        .filter(balances::budget_id.eq_any(&ids))
        .filter(balances::last_number.is_not_null())
        .select((balances::budget_id, balances::currency, balances::last_number))
        .load::<(Id, Currency, Option<i64>)>(conn)?;
    for (budget, currency, number) in numbers {
        funds.entry((budget, currency.0)).or_default().last_number = number;
    }
    let overview = |record: BudgetRecord| {
        let currencies = record.budget.balances.iter().map(|(currency, _)| *currency);
        let of = |currency| funds.get(&(Id(record.budget.id.0), currency)).copied().unwrap_or_default();
        BudgetOverview { funds: currencies.map(of).collect(), record }
    };
    Ok(records.into_iter().map(overview).collect())
}

/// Returns the statement that adds up the balances below budgets. `ids` are SQL expressions: literals or placeholders.
fn below_roots(ids: &[String]) -> String {
    BELOW.replace("{sums}", &SUMS.replace("{root}", "below.root")).replace("{roots}", &ids.join(", "))
}

fn below(conn: &mut Conn, account: &AccountId, roots: &[BudgetRecord]) -> Outcome<Vec<BelowRow>> {
    let (parents, roots): (Vec<_>, Vec<_>) = roots.iter().partition(|root| root.kind == BudgetKind::AccountBalance);
    let mut rows = Vec::new();
    for parent in parents {
        let query = sql_query(BELOW_PARENT.replace("{sums}", &SUMS.replace("{root}", "p.id")));
        let query = query.bind::<Text, _>(Account(account.clone())).bind::<IdSql, _>(Id(parent.budget.id.0));
        rows.extend(query.load::<BelowRow>(conn)?);
    }
    if roots.is_empty() {
        return Ok(rows);
    }
    // The planner can't know that most budgets have few budgets below them. It would otherwise read all budgets and
    // balances of the account.
    driver::by_index(conn)?;
    let places: Vec<_> = (2..roots.len() + 2).map(|place| format!("${place}")).collect();
    let query = sql_query(below_roots(&places)).into_boxed().bind::<Text, _>(Account(account.clone()));
    let query = roots.iter().fold(query, |query, root| query.bind::<IdSql, _>(Id(root.budget.id.0)));
    rows.extend(query.load::<BelowRow>(conn)?);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use diesel::connection::SimpleConnection;
    use florin_domain::test_support::a_budget;

    #[test]
    fn sums_read_only_what_is_below_the_budgets() {
        let (roots, account) = (["'0198c0de-0005-7000-8000-000000000001'".to_owned()], AccountId::parse("F1").unwrap());
        with_store(1, |store| {
            let plan = driver::read(store.readers(), |conn| {
                conn.batch_execute(PLANNER)?;
                conn.transaction(|conn| {
                    with_funds(conn, &account, vec![a_budget().build()])?;
                    Ok(plan(conn, sql_query(below_roots(&roots).replace("$1", "'F1'")))?)
                })
            });
            let plan = plan.unwrap();
            assert_eq!(plan.matches("budgets_by_parent").count(), 2, "{plan}");
            assert!(["balances_pkey", "PRIMARY KEY"].iter().any(|index| plan.contains(index)), "{plan}");
            // PostgreSQL would join with all rows of the account.
            assert!(["Hash Join", "Merge Join", "Seq Scan"].iter().all(|node| !plan.contains(node)), "{plan}");
        });
    }
}
