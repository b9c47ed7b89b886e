//! The storage ports on Diesel: one body of queries (`body/`), compiled once per database.
//!
//! A backend (`sqlite`) declares what differs between databases: the connection and how it is set up, the SQL types of
//! ids, times and dates, how a write transaction begins, how rows are locked, which errors are passing ones. It includes
//! the body, which is the same source for every backend and knows none of them.
//!
//! What [`Store`] promises beyond its ports:
//! - **Durable**: an answer is given after the commit, and a commit is on the disk (`synchronous` is FULL).
//! - **Money jobs are grouped**: one writer takes what is queued when the last commit ended and runs it, in the order of
//!   arrival, in one transaction. A job that fails fails alone: its group is rolled back, and each job of it is run again
//!   in a transaction of its own. So decisions may run more than once, and must be pure.
//! - **Bounded**: a full queue refuses at once ([`StoreError::Overloaded`]); nobody waits longer than two seconds for a
//!   reader ([`StoreError::Unavailable`]).
//! - **A panic in a decision** answers its own caller ([`StoreError::Corrupt`]); the writer lives on.
//! - **A caller that goes away** does not cancel a write that it queued.
//!
//! [`StoreError::Overloaded`]: florin_ports::StoreError::Overloaded
//! [`StoreError::Unavailable`]: florin_ports::StoreError::Unavailable
//! [`StoreError::Corrupt`]: florin_ports::StoreError::Corrupt

mod error;
mod settings;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use error::OpenError;
pub use settings::StoreSettings;
#[cfg(feature = "sqlite")]
pub use sqlite::Store;
