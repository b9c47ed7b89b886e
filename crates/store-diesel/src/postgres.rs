//! PostgreSQL: what the body needs to know of it.

#[macro_use]
mod sets;
#[macro_use]
mod together;

mod account_lock;
mod changes;
mod connection;
mod failures;
mod locks;
pub(crate) mod migrations;
mod readers;
#[cfg(test)]
pub(crate) mod testing;
mod url;
mod values;

#[path = "body/mod.rs"]
mod body;

pub use body::Store;
#[cfg(all(test, feature = "sqlite", feature = "postgres"))]
pub(crate) use body::schema::WRITTEN;

/// The connection.
pub(crate) type Conn = diesel::PgConnection;
/// The backend of Diesel.
pub(crate) type Db = diesel::pg::Pg;
/// A column of a row that was read.
pub(crate) type RawValue<'v> = <Db as diesel::backend::Backend>::RawValue<'v>;
/// Rows are fetched one by one.
pub(crate) type RowByRow = diesel::pg::PgRowByRowLoadingMode;
/// Where a database is.
pub(crate) type Place = url::PostgresUrl;

/// The default number of connections that read.
pub(crate) const DEFAULT_READERS: u32 = 8;

/// How many threads write: while one commits, another works.
pub(crate) const WRITERS: usize = 2;

/// Rows that others hold locked are passed over.
pub(crate) const SKIP_LOCKED: &str = " FOR UPDATE SKIP LOCKED";

/// SQL types that differ between databases.
pub(crate) mod sql {
    /// An id.
    pub(crate) type IdSql = diesel::sql_types::Uuid;
    /// A time, to the microsecond.
    pub(crate) type TimeSql = diesel::sql_types::Timestamptz;
    /// A date.
    pub(crate) type DaySql = diesel::sql_types::Date;
}

pub(crate) use account_lock::lock_account;
pub(crate) use changes::Changes;
pub(crate) use connection::{connect_writer, finish, unhurried, write};
pub(crate) use failures::{broken_connection, classify, violated_table};
pub(crate) use locks::{lock_balances, lock_operators};
pub(crate) use migrations::{applied, known, migrate};
pub(crate) use readers::{Readers, open_readers, read};
pub(crate) use url::place;
pub(crate) use values::read_text;
