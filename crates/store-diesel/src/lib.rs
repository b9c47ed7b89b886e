//! The storage ports on Diesel: one body of queries (`body/`), compiled once per database.
//!
//! A backend (`sqlite`, `postgres`: features of this crate) provides what differs between databases, which `body/backend.rs`
//! lists: the connection and how it is set up, the SQL types of ids, times and dates, how a write transaction begins, how sets of rows
//! are loaded, locked and stored, what its errors mean. It includes the body, which is the same source for every backend.
//!
//! What the stores promise beyond their ports:
//! - **Durable**: a call returns after the commit, and a commit is on the disk (`synchronous` is FULL,
//!   `synchronous_commit` is not off).
//! - **Commands are grouped**: one writer takes what is queued when the last commit ended, in the order of arrival, loads what
//!   all of it needs, decides it sequentially in memory, and stores it in one transaction. A refusal, or a panic of a rule,
//!   affects no other command. If storing fails, the group is rolled back, and each of its commands runs again in a transaction
//!   of its own. So decisions may run more than once, and must be pure.
//! - **Several programs** on one PostgreSQL database are as correct as one: a group locks all rows it will touch before it
//!   looks for idempotency records and decides, in one order for all programs. A group that failed because of a deadlock or
//!   a lost connection is retried for three seconds. A connection that is lost during the commit is not, because nobody knows
//!   whether the commit happened: the caller gets [`StoreError::OutcomeUnknown`], and the idempotency record settles it.
//!   Errors are classified once, where they come in: `body/errors.rs`, and `failures.rs` of each backend.
//! - **Bounded**: a full queue refuses at once ([`StoreError::Overloaded`]); nobody waits longer than two seconds for a
//!   reader ([`StoreError::Unavailable`]).
//! - **A panic in a decision** fails its own caller ([`StoreError::Corrupt`]). The writer survives any other panic too: it
//!   answers all callers, and continues with a new connection.
//! - **A caller that goes away** does not cancel a write that it queued.
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
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "sqlite")]
pub use adapters::sqlite_file;
pub use adapters::{POSTGRES, SQLITE};
#[cfg(feature = "postgres")]
pub use postgres::Store as PostgresStore;
#[cfg(feature = "sqlite")]
pub use sqlite::{Store, Store as SqliteStore};
