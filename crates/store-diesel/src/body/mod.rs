//! The body: all queries, written once. It is compiled into each backend, which is its parent module, and takes from it
//! the connection, the SQL types of [`types`], the write transaction and the lock clause.

mod access;
mod addresses;
mod audit;
mod balances;
mod batches;
mod cards;
mod credits;
pub(super) mod errors;
mod job;
mod journal;
mod keys;
mod merchant;
mod mfa;
mod names;
mod registry;
mod repeat;
mod schema;
mod seeding;
mod store;
pub(super) mod types;
mod upkeep;
mod writer;

use super as backend;
pub use store::Store;
