//! Tests that a router over memory stores keeps the promises of the ports, and that the kit finds bugs of routers.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "conformance/mutants.rs"]
mod mutants;
mod support;

use florin_ports::Registry;
use florin_store_conformance::{Cases, Factory, Handle, Outcome, SetupError, checks, run, run_against};
use florin_store_memory::MemoryStore;
use std::sync::{Arc, Mutex, PoisonError};
use support::Stores;

/// The cells of the kit's clients with odd numbers, and of those with even numbers. Neither cell is the home.
const APART: (&str, &str) = ("a", "b");
/// All clients of the kit are in the home.
const ALL_AT_HOME: (&str, &str) = ("home", "home");
/// All clients of the kit are in one cell other than the home.
const TOGETHER: (&str, &str) = ("a", "a");
/// One of the kit's clients is in the home.
const ONE_AT_HOME: (&str, &str) = ("home", "a");

/// The checks that fail if clients are in different cells: the snapshot file of a memory store only names rows in that
/// store, so no other store can import the file.
const KNOWN_FAILURES: [&str; 2] =
    ["tenancy.snapshot_files.imports_are_of_their_client", "tenancy.snapshot_files.a_world_names_only_its_own_client"];

/// Creates routers, and keeps the stores of the last one.
struct Routers {
    /// The cell of the kit's clients with odd numbers, and that of the clients with even numbers.
    cells: (&'static str, &'static str),
    last: Mutex<Stores>,
}

impl Routers {
    fn new(cells: (&'static str, &'static str)) -> Self {
        Self { cells, last: Mutex::default() }
    }
}

impl Factory for Routers {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        let stores = Stores::default();
        stores.place(self.cells).await?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = stores.clone();
        Ok(handle(stores))
    }
}

/// Creates a handle; reopening creates another router over the same stores.
fn handle(stores: Stores) -> Handle {
    Handle::of(&stores.router()).reopened_by(move || {
        let stores = stores.clone();
        async move { Ok(handle(stores)) }
    })
}

/// Creates single memory stores, the reference.
struct InMemory;

impl Factory for InMemory {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        Ok(Handle::of(&Arc::new(MemoryStore::new())))
    }
}

/// Runs every check, and expects that only those in [`KNOWN_FAILURES`] fail.
async fn assert_only_known_failures(routers: &Routers) {
    let mut wrong = Vec::new();
    for check in checks() {
        let outcome = check.run(routers).await;
        if matches!(outcome, Outcome::Failed(_)) != KNOWN_FAILURES.contains(&check.name()) {
            wrong.push(format!("{}: {outcome:?}", check.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn promises_are_kept_with_clients_in_different_cells() {
    assert_only_known_failures(&Routers::new(APART)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn promises_are_kept_with_a_client_in_the_home() {
    assert_only_known_failures(&Routers::new(ONE_AT_HOME)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_promise_is_kept_with_all_clients_in_the_home() {
    run(&Routers::new(ALL_AT_HOME)).await.assert_passed();
}

/// The clients share a cell, because only within a cell the oldest record is deleted first.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn answers_are_those_of_a_single_store() {
    run_against(&Routers::new(TOGETHER), &InMemory, Cases::default()).await.assert_passed();
}

/// Without this, the kit would not test a router.
#[tokio::test(flavor = "multi_thread")]
async fn the_accounts_of_the_kit_are_in_different_cells() {
    let routers = Routers::new(APART);
    let check = checks().into_iter().find(|check| check.name() == "cards.due_holds.oldest_first_and_bounded");
    check.unwrap().run(&routers).await;
    let stores = routers.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for (store, expected) in [(&stores.home, vec![]), (&stores.a, vec!["F1"]), (&stores.b, vec!["F2"])] {
        let accounts: Vec<_> = store.accounts().await.unwrap().iter().map(|account| account.id.to_string()).collect();
        assert_eq!(accounts, expected);
    }
}
