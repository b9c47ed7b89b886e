//! A store for the tests of the body.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::Store;
use crate::StoreSettings;

/// Runs a test on an empty store with a queue of this length.
pub(crate) fn with_store<T>(queue: usize, test: impl FnOnce(Store) -> T) {
    let directory = tempfile::tempdir().unwrap();
    let url = directory.path().join("florin.db").display().to_string();
    let store = Store::open(&StoreSettings { queue, ..StoreSettings::at(url) }).unwrap();
    store.migrate().unwrap();
    test(store);
}
