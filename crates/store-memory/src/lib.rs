//! In-memory implementation of the storage ports: one lock around plain maps.
//!
//! The crate shows in little code what an adapter must do for each port. Tests use it where a database would only cost
//! time. The data does not outlive the process.
//!
//! Every change works on a copy of all data, and the copy replaces the original when the change is complete
//! ([`MemoryStore`]'s `change` and `decide`). A change that fails half-way or panics therefore leaves nothing behind.
//! Each change costs a full copy, so the store suits thousands of rows, not millions.

mod access;
mod account_rows;
mod activities;
mod addresses;
mod audit_log;
mod batch_management;
mod batch_processing;
mod batch_reading;
mod batches;
mod books;
mod books_check;
mod budgets;
mod card_management;
mod cards;
mod cell_directory;
mod checkout_sessions;
mod checkouts;
mod credits;
mod data;
mod decision_endpoints;
mod deliveries;
mod disputes;
mod events;
mod hash_chains;
mod idempotency;
mod merchant_books;
mod merchant_payments;
mod merchant_profiles;
mod mfa;
mod money;
mod pages;
mod payees;
mod people;
mod registry;
mod sandbox_bank;
mod secrets;
mod seeding;
mod settlement_accounts;
mod snapshot_files;
mod store;
mod stored;
mod timelines;
mod transfers;
mod upkeep;
mod webhooks;
mod worlds;

pub use store::MemoryStore;
