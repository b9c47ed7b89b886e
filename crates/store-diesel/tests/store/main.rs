//! The promises of the store, one per test, on a real file.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod batches;
mod books_check;
mod cards;
mod contention;
mod credits;
mod failures;
mod fan_out;
mod fixture;
mod groups;
mod holds;
mod invariants;
mod limits;
mod lists;
mod moving;
mod opening;
mod registry;
mod repeats;
mod seeding;
mod support;
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
mod working_sets;
