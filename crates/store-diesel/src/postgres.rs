//! PostgreSQL: what the body needs from it, as `body/backend.rs` and `body/driver.rs` list it.

mod account_lock;
mod bound_column;
mod changes;
mod citus;
mod connection;
mod event_positions;
mod failures;
mod locks;
mod lookups;
pub(crate) mod migrations;
mod readers;
mod statements;
mod statistics;
#[cfg(test)]
pub(crate) mod testing;
mod texts;
mod unchecked;
mod url;
mod value_lists;
mod values;

#[path = "body/mod.rs"]
mod body;

pub use body::Store;
#[cfg(all(test, feature = "sqlite", feature = "postgres"))]
pub(crate) use body::tables;

/// The connection.
pub(crate) type Conn = diesel::PgConnection;
/// The backend of Diesel.
pub(crate) type Db = diesel::pg::Pg;
/// A column of a row that was read.
pub(crate) type RawValue<'v> = <Db as diesel::backend::Backend>::RawValue<'v>;
/// The loading mode in which rows are fetched one by one.
pub(crate) type RowByRow = diesel::pg::PgRowByRowLoadingMode;
/// The address of a database.
pub(crate) type Place = url::PostgresUrl;

/// The default number of connections that read.
pub(crate) const DEFAULT_READERS: u32 = 8;

/// The number of threads that write: while one commits, the other one works.
pub(crate) const WRITERS: usize = 2;

/// Locks the rows, and skips rows that others have locked.
pub(crate) const SKIP_LOCKED: &str = " FOR UPDATE SKIP LOCKED";
/// The account's time at the real time $1, by the clock of the timeline `t`. Without a timeline: $1.
pub(crate) const CLOCK: &str = "COALESCE(t.frozen_at, $1 + t.ahead_micros * INTERVAL '1 microsecond', $1)";

/// Turns the letters of the ASCII alphabet into lower case.
pub(crate) const ASCII_LOWER: [&str; 2] = ["lower(", " COLLATE \"C\")"];
/// The name of the recipient of the payment `t`.
pub(crate) const RECIPIENT_NAME: &str = "(t.input::json -> 'recipient' ->> 'name')";
/// The reference of the payment `t`, or else the default reference of its recipient.
pub(crate) const RECIPIENT_REFERENCE: &str =
    "COALESCE(NULLIF(trim(t.input::json ->> 'reference'), ''), t.input::json -> 'recipient' ->> 'defaultReference')";

/// SQL types that differ between databases.
pub(crate) mod sql {
    /// An id.
    pub(crate) type IdSql = diesel::sql_types::Uuid;
    /// A time, to the microsecond.
    pub(crate) type TimeSql = diesel::sql_types::Timestamptz;
    /// A date.
    pub(crate) type DaySql = diesel::sql_types::Date;
}

pub(crate) use account_lock::{lock_account, lock_client, lock_move};
pub(crate) use bound_column::BoundColumn;
pub(crate) use changes::Changes;
pub(crate) use connection::{
    by_index, check_integrity, check_structure, connect_writer, create, finish, plan_by_values, probe,
    set_repeatable_read, sort_by_index, structure_checks, without_time_limits, write,
};
pub(crate) use event_positions::{draw_positions, event_tail, events_imported, reserve_positions, still_writing};
pub(crate) use failures::{broken_connection, classify, failed_commit, violated_table};
pub(crate) use locks::{lock_balances, lock_free_webhooks, lock_operators};
pub(crate) use lookups::{load, load_four, load_two};
pub(crate) use migrations::{applied_migrations, known_migrations, migrate};
pub(crate) use readers::{Readers, open_readers, read};
pub(crate) use statements::TableRows;
pub(crate) use statistics::renew_statistics;
pub(crate) use texts::read_text;
pub(crate) use unchecked::violated_tables;
pub(crate) use url::{Identity, identify, place};
pub(crate) use value_lists::Values;
