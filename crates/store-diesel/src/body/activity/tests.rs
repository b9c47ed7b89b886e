//! Tests of query plans. A page reads each source by its index, newest first, and no further than the end of the page.
//! A part of the feed reads each source by its index in the order of positions.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::body::backend::testing::{PLANNER, with_store};
use super::body::backend::{Conn, Db};
use super::body::driver;
use super::body::plans;
use super::body::types::{Account, Id};
use super::feed::FeedRange;
use super::sources::ActivityQuery;
use super::{feed, page};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use florin_domain::activity::{ActivityCursor, ActivityFilter, ActivityStatus, ActivityType};
use florin_domain::ids::AccountId;
use florin_domain::page::PageRequest;
use uuid::Uuid;

/// The statement that selects a page, or a part of the feed.
struct Statement<'a>(&'a ActivityQuery, Option<(FeedRange, Id)>);

impl QueryFragment<Db> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        const PAGE: PageRequest = PageRequest { limit: 100, offset: 0 };
        match &self.1 {
            None => page::walk(self.0, (&PAGE, &PAGE.limit), &mut out),
            Some((range, id)) => feed::walk(self.0, (range, id), &mut out),
        }
    }
}

fn plan(conn: &mut Conn, filter: ActivityFilter, of_feed: bool) -> String {
    let query = ActivityQuery::new(Account(AccountId::parse("F1").unwrap()), filter);
    let range = || FeedRange { after: ActivityCursor::beginning(0), until: 9, max: 100 };
    plans::plan(conn, Statement(&query, of_feed.then(|| (range(), Id(Uuid::nil()))))).unwrap()
}

/// Checks the indexes that plans read. The first index in `all` is the index of chains, and the third is the index of
/// payments. The plan without a filter must read all indexes, the plan of declined chains only the first, and the plan
/// of payments only the third.
fn expect_indexes(of_feed: bool, all: &[&str]) {
    with_store(1, |store| {
        let plans = driver::read(store.readers(), |conn| {
            conn.batch_execute(PLANNER)?;
            let none = ActivityFilter::default();
            let declined = ActivityFilter { statuses: vec![ActivityStatus::Declined], ..none.clone() };
            let paid = ActivityFilter { kinds: vec![ActivityType::BatchPayment], ..none.clone() };
            let filters = [(none, 0..all.len()), (declined, 0..1), (paid, 2..3)];
            Ok(filters.map(|(filter, expected)| (plan(conn, filter, of_feed), expected)))
        });
        for (plan, expected) in plans.unwrap() {
            for (position, index) in all.iter().enumerate() {
                assert_eq!(plan.contains(index), expected.contains(&position), "{index}: {plan}");
            }
            assert!(!plan.contains("SCAN t\n") && !plan.contains("SCAN m\n") && !plan.contains("Seq Scan"), "{plan}");
        }
    });
}

#[test]
fn every_source_is_read_by_its_index() {
    expect_indexes(
        false,
        &[
            "card_transactions_newest",
            "journal_credits_newest",
            "payments_newest",
            "transfers_newest",
            "transfers_received",
            "journal_top_ups_newest",
        ],
    );
}

#[test]
fn every_source_of_the_feed_is_read_by_its_index() {
    let indexes = ["card_transactions_changed", "journal_changed", "payments_changed", "transfers_changed"];
    expect_indexes(true, &indexes);
}

#[test]
fn the_feed_finds_later_messages_by_their_chain() {
    with_store(1, |store| {
        let plan = driver::read(store.readers(), |conn| {
            conn.batch_execute(PLANNER)?;
            Ok(plan(conn, ActivityFilter::default(), true))
        });
        let plan = plan.unwrap();
        assert!(plan.contains("card_transactions_by_chain"), "{plan}");
    });
}
