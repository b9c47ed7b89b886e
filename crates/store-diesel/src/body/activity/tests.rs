//! A page reads each source by its index, newest first, and no further than the page reaches.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::body::backend::testing::{EXPLAIN, PLANNER, PlanRow, PlanSql, line, with_store};
use super::body::backend::{Conn, Db};
use super::body::driver;
use super::body::types::Account;
use super::page::{ActivityQuery, walk};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use florin_domain::activity::{ActivityFilter, ActivityStatus, ActivityType};
use florin_domain::ids::AccountId;
use florin_domain::page::PageRequest;

/// The statement that explains the plan of a page.
struct Plan<'a>(&'a ActivityQuery);

impl QueryFragment<Db> for Plan<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        const PAGE: PageRequest = PageRequest { limit: 100, offset: 0 };
        out.push_sql(EXPLAIN);
        walk(self.0, (&PAGE, &PAGE.limit), &mut out)
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

fn plan(conn: &mut Conn, filter: ActivityFilter) -> String {
    let query = ActivityQuery::new(Account(AccountId::parse("F1").unwrap()), filter);
    let rows = Plan(&query).load::<PlanRow>(conn).unwrap();
    rows.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_source_is_read_by_its_index() {
    let all = [
        "card_transactions_newest",
        "journal_credits_newest",
        "payments_newest",
        "transfers_newest",
        "journal_top_ups_newest",
    ];
    with_store(1, |store| {
        let plans = driver::read(store.readers(), |conn| {
            conn.batch_execute(PLANNER)?;
            let none = ActivityFilter::default();
            let declined = ActivityFilter { status: Some(ActivityStatus::Declined), ..none };
            let paid = ActivityFilter { kind: Some(ActivityType::Payment), ..none };
            Ok([(plan(conn, none), 0..5), (plan(conn, declined), 0..1), (plan(conn, paid), 2..3)])
        });
        for (plan, expected) in plans.unwrap() {
            for (place, index) in all.iter().enumerate() {
                assert_eq!(plan.contains(index), expected.contains(&place), "{index}: {plan}");
            }
            assert!(!plan.contains("SCAN card_transactions\n") && !plan.contains("Seq Scan"), "{plan}");
        }
    });
}
