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
mod credits;
pub(super) mod errors;
pub(super) mod group;
mod job;
mod journal;
mod keys;
mod merchant;
mod mfa;
mod names;
mod payments;
mod registry;
pub(crate) mod repeat;
pub(super) mod schema;
mod seeding;
pub(super) mod sets;
mod store;
mod timelines;
mod transfer;
mod transfers;
pub(super) mod types;
mod upkeep;
mod worlds;
mod writer;

use super as backend;
pub use store::Store;
