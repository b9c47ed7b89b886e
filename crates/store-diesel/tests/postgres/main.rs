//! The promises of the store on PostgreSQL: the tests of `tests/store` again, and tests with several instances and with
//! a server that goes away.
//!
//! `DATABASE_URL` names the server. Its user must be allowed to create databases. Each test creates a database and
//! drops it. Without `DATABASE_URL`, nothing is tested, and the test prints a line.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

// The shared tests refer to the crate by name. Here that name resolves to this crate, which defines another `Store`.
extern crate florin_store_diesel as adapter;
extern crate self as florin_store_diesel;
pub(crate) use adapter::PostgresStore as Store;

#[path = "../store/batches.rs"]
mod batches;
#[path = "../store/books_check.rs"]
mod books_check;
#[path = "../store/cards.rs"]
mod cards;
#[path = "../store/contention.rs"]
mod contention;
#[path = "../store/credits.rs"]
mod credits;
#[path = "../store/fixture.rs"]
mod fixture;
#[allow(dead_code, reason = "the fixture in it is on SQLite")]
#[path = "../store/support.rs"]
mod fixtures;
#[path = "../store/groups.rs"]
mod groups;
#[path = "../store/holds.rs"]
mod holds;
#[path = "../store/invariants.rs"]
mod invariants;
#[path = "../store/limits.rs"]
mod limits;
#[path = "../store/lists.rs"]
mod lists;
#[path = "../store/moving.rs"]
mod moving;
#[path = "../store/registry.rs"]
mod registry;
#[path = "../store/repeats.rs"]
mod repeats;
#[path = "../store/seeding.rs"]
mod seeding;
#[path = "../store/tenancy.rs"]
mod tenancy;
#[path = "../conformance/upgrade.rs"]
mod upgrade;
#[path = "../conformance/upgrade_checks.rs"]
mod upgrade_checks;
#[path = "../conformance/upgrade_events.rs"]
mod upgrade_events;
#[path = "../conformance/upgrade_fees.rs"]
mod upgrade_fees;
#[path = "../conformance/upgrade_legs.rs"]
mod upgrade_legs;
#[path = "../conformance/upgrade_payments.rs"]
mod upgrade_payments;
#[path = "../conformance/upgrade_people.rs"]
mod upgrade_people;
mod upgrading;
#[path = "../store/working_sets.rs"]
mod working_sets;

mod crossing;
mod database;
mod fan_out;
mod faults;
mod instances;
mod locked_webhooks;
mod moving_across;
mod opening;
mod plans;
mod prepared;
mod proxy;
mod pruning;
mod support;
mod turns;
mod unchecked;
mod work;
