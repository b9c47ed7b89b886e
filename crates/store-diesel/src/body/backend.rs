//! The types and constants that a database provides to the body. [`super::driver`] lists its functions. Together they
//! are the complete list: the body reaches its database through these two modules only.
//!
//! The compiler checks each item for each database. To add a database, provide these items in a module next to
//! `sqlite.rs` and `postgres.rs`, and include the body there.

/// A connection.
pub(crate) use super::database::Conn;
/// Diesel's backend.
pub(crate) use super::database::Db;
/// The identity of a database. It differs if somebody has deleted or replaced the file that is in use.
pub(crate) use super::database::Identity;
/// The address of a database.
pub(crate) use super::database::Place;
/// A column of a row that was read.
pub(crate) use super::database::RawValue;
/// The connections that read.
pub(crate) use super::database::Readers;
/// Diesel's loading mode in which rows are fetched one by one.
pub(crate) use super::database::RowByRow;
/// The SQL types that differ between databases: `IdSql`, `TimeSql` and `DaySql`. `Id`, `Time` and `Day` of the body
/// implement Diesel's `ToSql` and `FromSql` for them, and `Exchange` implements `ToSql` for texts.
pub(crate) use super::database::sql;

/// Changes of several tables that are stored together, in no defined order. No change of a group may depend on another
/// one. The functions are `on`, which takes the connection, `insert`, `update`, `update_all` and `store`.
pub(crate) use super::database::Changes;
/// A list of column values, as nested pairs. Implemented for `()`, the empty list, and for every pair of a column value
/// and another list.
pub(crate) use super::database::Values;
/// The number of threads that write: one, or two that take turns.
pub(crate) use super::database::WRITERS;
const _: usize = WRITERS;
/// The default number of connections that read.
pub(crate) use super::database::DEFAULT_READERS;
const _: u32 = DEFAULT_READERS;
/// The end of a `SELECT` that locks its rows and skips rows that others have locked, or an empty text.
pub(crate) use super::database::SKIP_LOCKED;
const _: &str = SKIP_LOCKED;

/// The SQL of an account's time at the real time $1, by the clock of the timeline `t`. Without a timeline it is $1.
pub(crate) use super::database::CLOCK;
const _: &str = CLOCK;

/// The SQL before and after a text that turns ASCII letters, and no others, into lower case.
pub(crate) use super::database::ASCII_LOWER;
const _: [&str; 2] = ASCII_LOWER;
/// The SQL of the recipient's name, and of the reference, in the input of the payment `t`.
pub(crate) use super::database::{RECIPIENT_NAME, RECIPIENT_REFERENCE};
const _: [&str; 2] = [RECIPIENT_NAME, RECIPIENT_REFERENCE];

/// Rows of any table, as a list of values for each column: `insert`. [`BoundColumn`] binds such a list.
pub(crate) use super::database::{BoundColumn, TableRows};

/// Reads a text in place, without a copy.
pub(crate) use super::database::read_text;

#[cfg(test)]
pub(crate) use super::database::{migrations, testing};
