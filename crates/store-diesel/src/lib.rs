//! The storage ports on Diesel: one body of queries (`body/`), compiled once per database.
//!
//! A backend (`sqlite`, `postgres`: features of this crate) provides the differences between databases, which
//! `body/backend.rs` and `body/driver.rs` list: how a connection is set up, the SQL types of ids, times and dates, how
//! a write transaction begins, how sets of rows are loaded, locked and stored, and which errors are transient. Each
//! backend includes the body, which is the same source for all of them.
//!
//! The stores make these promises in addition to the promises of the ports:
//! - **Durable**: an answer is sent after the commit, and a commit is on the disk (`synchronous` is FULL,
//!   `synchronous_commit` is not off).
//! - **Grouped**: the writer takes the waiting commands, at most 256, in the order of their arrival, loads everything
//!   they need, decides them sequentially in memory, and stores the results in one transaction. A refusal, or a panic
//!   of a rule, affects no other command. If storing fails, the group is rolled back, and each of its commands runs
//!   again in its own transaction. Decisions may therefore run more than once, and must be pure.
//! - **Several programs** on one PostgreSQL database are as correct as one: a group locks all rows that it will change,
//!   in the same order in all programs, before it decides. Transient errors (a deadlock, a lost connection) are retried
//!   for three seconds. A connection that is lost at the commit is not retried, because the outcome is unknown: the
//!   caller receives [`StoreError::OutcomeUnknown`]. A client that repeats the request with its idempotency key learns
//!   the outcome.
//! - **Bounded**: a full queue refuses immediately ([`StoreError::Overloaded`]), and no caller waits longer than two
//!   seconds for a reader ([`StoreError::Unavailable`]).
//! - **A panic in a decision** affects only its own caller, which receives [`StoreError::Corrupt`]. The writer survives
//!   any other panic, too: it answers every caller, and continues with a new connection.
//! - **A caller that disconnects** does not cancel a write that it queued.
//!
//! [`StoreError::Overloaded`]: florin_ports::StoreError::Overloaded
//! [`StoreError::Unavailable`]: florin_ports::StoreError::Unavailable
//! [`StoreError::OutcomeUnknown`]: florin_ports::StoreError::OutcomeUnknown
//! [`StoreError::Corrupt`]: florin_ports::StoreError::Corrupt
#![allow(clippy::duplicate_mod, reason = "the body is compiled once per backend")]
#![cfg_attr(
    not(any(feature = "sqlite", feature = "postgres")),
    allow(dead_code, unused, reason = "without a backend there is no store")
)]

mod adapters;
#[cfg(test)]
mod columns;
#[cfg(all(test, feature = "sqlite", feature = "postgres"))]
mod parity;
#[cfg(feature = "postgres")]
mod postgres;
mod schemes;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "sqlite")]
pub use adapters::sqlite_file;
pub use adapters::{POSTGRES, SQLITE};
#[cfg(feature = "postgres")]
pub use postgres::Store as PostgresStore;
#[cfg(all(feature = "sqlite", feature = "simulation"))]
pub use sqlite::Stepper;
#[cfg(feature = "sqlite")]
pub use sqlite::{Store, Store as SqliteStore};
