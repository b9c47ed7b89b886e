//! A test of a query plan.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::body::backend::testing::{PLANNER, with_store};
use super::body::driver;
use super::body::plans::plan;
use super::records::matching;
use diesel::connection::SimpleConnection;
use florin_domain::card::CardFilter;
use florin_domain::ids::{AccountId, BudgetId};
use uuid::Uuid;

#[test]
fn cards_of_a_budget_are_read_by_their_index() {
    let account = AccountId::parse("F1").unwrap();
    let filter = CardFilter { budget: Some(BudgetId(Uuid::nil())), ..CardFilter::default() };
    with_store(1, |store| {
        let plan = driver::read(store.readers(), |conn| {
            conn.batch_execute(PLANNER)?;
            Ok(plan(conn, matching(&account, &filter))?)
        });
        let plan = plan.unwrap();
        assert!(plan.contains("card_budgets_by_budget"), "{plan}");
        // In a worse plan, PostgreSQL would check each card of the account with a sub-plan, and SQLite would search an
        // index by the account alone, and so read all its cards.
        assert!(!plan.contains("SubPlan") && !plan.contains("(account_id=?)\n"), "{plan}");
    });
}
