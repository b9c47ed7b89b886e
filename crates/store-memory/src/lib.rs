//! The storage ports in memory: one lock around plain maps.
//!
//! It is small enough to be read in one sitting, and shows what an adapter must do for each port. Tests use it where a
//! database would only cost time. Nothing outlives the process.
//!
//! Every change works on a copy of all data, which takes the place of the original when all of the change is made
//! ([`MemoryStore`]'s `change` and `decide`). So a change that fails half-way, or panics, leaves nothing behind. The price
//! is a copy a change: it is a store for thousands of rows, not for millions.

mod access;
mod account_rows;
mod activities;
mod addresses;
mod audit;
mod batch_management;
mod batch_processing;
mod batch_reading;
mod batches;
mod books;
mod budgets;
mod card_management;
mod cards;
mod credits;
mod data;
mod merchant;
mod mfa;
mod money;
mod registry;
mod repeat;
mod sandbox_bank;
mod seeding;
mod store;
mod timelines;
mod transfers;
mod upkeep;
mod worlds;

pub use store::MemoryStore;
