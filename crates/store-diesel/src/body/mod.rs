//! The body: all queries, written once. The module of each database includes it, so it is compiled once for each.
//! [`backend`] and [`driver`] list everything it needs from the database; [`tables`] declares the tables.
//!
//! A module of the body has no single path from `crate`, because it exists once for each database. Folders import the
//! name `body` from above, and their files use paths such as `super::body::errors`.
//!
//! A row is read by its key with `get_result`, not with `first`: `first` adds `LIMIT ?`, and SQLite prepares a
//! statement with such a limit again each time it is executed.

mod access;
mod activity;
mod addresses;
mod anchor;
mod answer;
mod ask;
mod audit_log;
pub(crate) mod backend;
pub(super) mod balances;
mod batch_rows;
mod batches;
mod books;
mod books_check;
mod budget_funds;
mod budgets;
mod cards;
mod cell_directory;
mod checkout;
pub(super) mod column_values;
pub(super) mod columns;
mod credits;
mod decision_endpoints;
mod declarations;
pub(super) mod departures;
mod diesel_errors;
mod disputes;
mod driver;
mod environment;
mod epochs;
pub(super) mod errors;
pub(super) mod event_tail;
mod events;
mod export_import;
pub(super) mod footprint;
pub(super) mod group;
pub(crate) mod idempotency;
mod idempotency_records;
mod job;
mod journal;
mod json_values;
mod kept_counts;
mod key_admin;
mod keys;
mod legs;
mod list_counts;
mod merchant;
mod mfa;
mod mfa_rows;
mod names;
mod networks;
mod payments;
mod people;
#[cfg(test)]
pub(super) mod plans;
mod query_ids;
mod recording;
mod registry;
mod secrets;
mod seeding;
pub(super) mod statements;
mod store;
pub(crate) mod tables;
mod timelines;
mod transfers;
pub(super) mod types;
mod upkeep;
mod webhooks;
mod working_set;
mod worlds;
mod writer;

use super as database;
use super::body;
pub use store::Store;
#[cfg(feature = "simulation")]
#[allow(unused_imports, unreachable_pub, reason = "simulations run on SQLite only")]
pub use writer::Stepper;
