//! Tests that a search reads no more deliveries than it returns, however many wait.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::body::backend::Conn;
use super::body::backend::testing::{PLANNER, with_store};
use super::body::driver;
use super::body::plans;
use super::{claims, log};
use diesel::connection::SimpleConnection;
use diesel::sql_query;

/// Returns the plan of a statement with these values.
fn plan(conn: &mut Conn, sql: &str, values: &[&str]) -> String {
    let mut sql = sql.to_owned();
    for (index, value) in values.iter().enumerate() {
        sql = sql.replace(&format!("${}", index + 1), value);
    }
    plans::plan(conn, sql_query(sql)).unwrap()
}

#[test]
fn searches_read_their_indexes() {
    const TIME: &str = "CURRENT_TIMESTAMP";
    const ID: &str = "'0198c0de-0005-7000-8000-000000000001'";
    let (at_once, retried) = ("webhook_deliveries_at_once", "webhook_deliveries_retried");
    let by_object = "webhook_deliveries_by_object";
    with_store(1, |store| {
        let plans = driver::read(store.readers(), |conn| {
            conn.batch_execute(PLANNER)?;
            let due = plan(conn, &claims::due_subscriptions(), &[TIME]);
            let accounts = plan(conn, &claims::accounts_with_retries(), &[TIME, ID, "'F1'", ID, "9"]);
            let due_one = plan(conn, &claims::due_subscription(), &[TIME, ID]);
            let of_one = format!("SELECT id FROM webhooks WHERE webhooks.id = $1 AND {}", claims::HAS_BLOCKED);
            let blocked = plan(conn, &of_one, &[ID]);
            let values = [TIME, ID, "'F1'", TIME, "9"];
            Ok([
                (due, vec![at_once, "webhook_deliveries_blocked", retried]),
                (due_one, vec![at_once, "webhook_deliveries_blocked", retried]),
                (accounts, vec![retried]),
                (plan(conn, &claims::first_attempts(false), &[TIME, ID, "9"]), vec![at_once]),
                (plan(conn, &claims::first_attempts(true), &[TIME, ID, "9"]), vec![at_once, by_object]),
                (plan(conn, &claims::retries(false), &values), vec![retried]),
                (plan(conn, &claims::retries(true), &values), vec![retried, by_object]),
                (blocked, vec!["webhook_deliveries_blocked"]),
                (plan(conn, log::OLD_DELIVERIES, &[TIME, "9"]), vec!["webhook_deliveries_ended"]),
                (plan(conn, log::DELETED_WEBHOOK, &[]), vec!["webhooks_deleted"]),
            ])
        });
        for (plan, expected) in plans.unwrap() {
            for index in expected {
                assert!(plan.contains(index), "{index}: {plan}");
            }
            let is_search = |line: &str| {
                !line.contains(" webhook_deliveries") || line.contains("webhook_deliveries_") || line.contains("Key")
            };
            assert!(plan.lines().all(is_search), "{plan}");
            assert!(!plan.contains("SCAN d\n") && !plan.contains("TEMP B-TREE") && !plan.contains("Sort"), "{plan}");
        }
    });
}
