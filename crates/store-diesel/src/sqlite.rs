//! SQLite: what the body needs from it, as `body/backend.rs` and `body/driver.rs` list it.

mod account_lock;
mod balances;
mod bound_column;
mod connection;
mod directory;
mod event_positions;
mod failures;
pub(crate) mod migrations;
mod place;
mod private;
mod statements;
mod statistics;
#[cfg(test)]
pub(crate) mod testing;
mod texts;
mod unchecked;
mod value_lists;
mod values;

#[path = "body/mod.rs"]
mod body;

#[cfg(feature = "simulation")]
pub use body::Stepper;
pub use body::Store;
#[cfg(all(test, feature = "sqlite", feature = "postgres"))]
pub(crate) use body::tables;

/// The connection.
pub(crate) type Conn = diesel::SqliteConnection;
/// The backend of Diesel.
pub(crate) type Db = diesel::sqlite::Sqlite;
/// A column of a row that was read.
pub(crate) type RawValue<'v> = <Db as diesel::backend::Backend>::RawValue<'v>;
/// The loading mode in which rows are fetched one by one.
pub(crate) type RowByRow = diesel::connection::DefaultLoadingMode;

/// The default number of connections that read.
pub(crate) const DEFAULT_READERS: u32 = 4;

/// The number of threads that write: a database has one write transaction at a time.
pub(crate) const WRITERS: usize = 1;

/// Empty: rows are never locked, because the one write transaction has the whole database.
pub(crate) const SKIP_LOCKED: &str = "";
/// The account's time at the real time $1, by the clock of the timeline `t`. Without a timeline: $1.
pub(crate) const CLOCK: &str = "COALESCE(t.frozen_at, $1 + t.ahead_micros, $1)";

/// Turns the letters of the ASCII alphabet into lower case.
pub(crate) const ASCII_LOWER: [&str; 2] = ["lower(", ")"];
/// The name of the recipient of the payment `t`.
pub(crate) const RECIPIENT_NAME: &str = "(t.input ->> '$.recipient.name')";
/// The reference of the payment `t`, or else the default reference of its recipient.
pub(crate) const RECIPIENT_REFERENCE: &str =
    "COALESCE(NULLIF(trim(t.input ->> '$.reference'), ''), t.input ->> '$.recipient.defaultReference')";

/// SQL types that differ between databases.
pub(crate) mod sql {
    /// An id: a UUID in its hyphenated form, in lower case, so that operators can read it and ids sort in byte order.
    pub(crate) type IdSql = diesel::sql_types::Text;
    /// A time: microseconds since the epoch.
    pub(crate) type TimeSql = diesel::sql_types::BigInt;
    /// A date: `YYYY-MM-DD`.
    pub(crate) type DaySql = diesel::sql_types::Text;
}

pub(crate) use account_lock::{lock_account, lock_client, lock_free_webhooks, lock_move};
pub(crate) use balances::lock_balances;
pub(crate) use bound_column::BoundColumn;
pub(crate) use connection::{
    Readers, by_index, check_integrity, check_structure, connect_writer, create, finish, lock_operators, open_readers,
    plan_by_values, probe, read, renew_statistics, set_repeatable_read, sort_by_index, structure_checks,
    without_time_limits, write,
};
pub(crate) use event_positions::{draw_positions, event_tail, events_imported, reserve_positions, still_writing};
pub(crate) use failures::{broken_connection, classify, failed_commit, violated_table};
pub(crate) use migrations::{applied_migrations, known_migrations, migrate};
pub(crate) use place::{Identity, Place, identify, place};
pub(crate) use statements::{Changes, TableRows, load, load_four, load_two};
pub(crate) use texts::read_text;
pub(crate) use unchecked::violated_tables;
pub(crate) use value_lists::Values;
