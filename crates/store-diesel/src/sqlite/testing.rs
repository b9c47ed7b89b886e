//! A temporary SQLite store for tests of the shared queries.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::Store;
use diesel::sql_types::{Integer, Text};
use florin_store_contract::StoreSettings;

/// Runs a test on an empty store with a queue of this length.
pub(crate) fn with_store<T>(queue: usize, test: impl FnOnce(Store) -> T) {
    let directory = tempfile::tempdir().unwrap();
    let url = directory.path().join("florin.db").display().to_string();
    let store = Store::open(&StoreSettings { queue, ..StoreSettings::at(url) }).unwrap();
    store.migrate().unwrap();
    test(store);
}

/// The statement prefix that returns a query plan.
pub(crate) const EXPLAIN: &str = "EXPLAIN QUERY PLAN ";
/// Planner settings for these tests. SQLite needs none.
pub(crate) const PLANNER: &str = "";
/// The SQL type of a row of a plan.
pub(crate) type PlanSql = (Integer, Integer, Integer, Text);
/// The Rust type of a row of a plan.
pub(crate) type PlanRow = (i32, i32, i32, String);

/// Returns the text of a row of a plan.
pub(crate) fn line((_, _, _, line): PlanRow) -> String {
    line
}
