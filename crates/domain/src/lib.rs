//! Florin's rules: pure types, transitions and decisions, without I/O.
//!
//! Nothing here uses a clock, a random number, a database or HTTP. Time and ids are arguments, decisions are values,
//! and an adapter stores each decision atomically.

pub mod access;
pub mod activity;
pub mod address;
pub mod audit_log;
pub mod batch;
pub mod books;
pub mod budget;
pub mod card;
pub mod checkout;
pub mod event;
pub mod fault;
mod iban;
pub mod ids;
pub mod ledger;
pub mod merchant;
pub mod mfa;
pub mod money;
pub mod page;
pub mod people;
pub mod secret;
pub mod stamp;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
pub mod text;
pub mod webhook;
pub mod world;
