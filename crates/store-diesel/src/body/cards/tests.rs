//! A test of a query plan.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::body::backend::testing::{EXPLAIN, PLANNER, PlanRow, PlanSql, line, with_store};
use super::body::backend::{Conn, Db};
use super::body::driver;
use super::body::tables::cards::cards;
use super::records::matching;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use florin_domain::card::CardFilter;
use florin_domain::ids::{AccountId, BudgetId};
use uuid::Uuid;

/// The statement that explains the plan of a query of cards.
struct Plan<'a>(cards::BoxedQuery<'a, Db>);

impl<'a> QueryFragment<Db> for Plan<'a> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(EXPLAIN);
        <cards::BoxedQuery<'a, Db> as QueryFragment<Db>>::walk_ast(&self.0, out)
    }
}

impl QueryId for Plan<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Plan<'_> {
    type SqlType = PlanSql;
}

impl RunQueryDsl<Conn> for Plan<'_> {}

#[test]
fn cards_of_a_budget_are_read_by_their_index() {
    let account = AccountId::parse("F1").unwrap();
    let filter = CardFilter { budget: Some(BudgetId(Uuid::nil())), ..CardFilter::default() };
    with_store(1, |store| {
        let plan = driver::read(store.readers(), |conn| {
            conn.batch_execute(PLANNER)?;
            Ok(Plan(matching(&account, &filter)).load::<PlanRow>(conn)?)
        });
        let plan: String = plan.unwrap().into_iter().map(|row| line(row) + "\n").collect();
        assert!(plan.contains("card_budgets_by_budget"), "{plan}");
        // PostgreSQL would check each card of the account against a sub-plan, and SQLite would read each of them by a line
        // without a second condition.
        assert!(!plan.contains("SubPlan") && !plan.contains("(account_id=?)\n"), "{plan}");
    });
}
