//! Florin's rules: pure types, transitions and decisions, with no I/O.
//!
//! Nothing here knows a clock, a random number, a database or HTTP: time and ids come in as arguments, decisions go out
//! as values, and an adapter stores them whole or not at all.

pub mod access;
pub mod activity;
pub mod address;
pub mod batch;
pub mod books;
pub mod budget;
pub mod card;
pub mod event;
pub mod fault;
pub mod ids;
pub mod ledger;
pub mod merchant;
pub mod mfa;
pub mod money;
pub mod page;
pub mod text;
pub mod world;
