//! The body: all queries, written once. It is compiled into each backend, which is its parent module, and takes from it
//! the connection, the SQL types of [`types`], the write transaction, and how sets of rows are loaded and stored ([`sets`]).
//!
//! One row by its key is read with `get_result`, not with `first`: that adds `LIMIT ?`, and SQLite prepares a statement
//! with such a limit anew each time it is run.

mod access;
mod activity;
mod addresses;
mod audit;
pub(super) mod balances;
mod batch_rows;
mod batches;
mod books;
mod budgets;
mod cards;
pub(super) mod columns;
mod credits;
mod dry_runs;
pub(super) mod errors;
pub(super) mod group;
mod job;
mod journal;
mod json_values;
mod keys;
mod merchant;
mod mfa;
mod names;
mod payments;
mod registry;
pub(crate) mod repeat;
mod seeding;
pub(super) mod statements;
mod store;
pub(crate) mod tables;
mod timelines;
mod tracked;
mod transfer;
mod transfers;
pub(super) mod types;
mod upkeep;
mod worlds;
mod writer;

pub(super) use super as backend;
use super::body;
pub use store::Store;
