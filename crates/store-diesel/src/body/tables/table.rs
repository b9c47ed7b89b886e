//! Operations of exports, imports, snapshots and tests on a table, whatever its rows.

use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::statements::{self, Row};
use super::body::types::Id;
use florin_store_contract::ExportError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Number of ids that one statement looks for.
pub(super) const IDS_AT_ONCE: usize = 500;

/// Maximum number of rows of a client that are read at a time.
pub(crate) const PORTION: i64 = 50_000;

/// A table.
pub(crate) struct Table {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its columns, as declared.
    #[cfg(test)]
    pub(crate) columns: &'static [crate::columns::DeclaredColumn],
    /// Passes on every row, in the order of the keys.
    pub(crate) export: fn(&mut Conn, RowSink<'_>) -> Outcome<()>,
    /// Inserts rows.
    pub(crate) import: fn(&mut Conn, &[NumberedRow]) -> Result<(), Stop<ExportError>>,
    /// Counts the rows.
    pub(crate) count: fn(&mut Conn) -> Outcome<i64>,
    /// Whether there are no rows.
    pub(crate) is_empty: fn(&mut Conn) -> Outcome<bool>,
    /// Operations on the rows of an account; `None` if snapshots of worlds do not contain the table.
    pub(crate) owned: Option<Owned>,
    /// What moves with a client to another cell.
    pub(crate) moving: Moving,
}

/// Whose the rows of a table are. They move with their client to another cell.
pub(crate) enum Moving {
    /// A client's, by its id.
    OfClient(Portions<Id>),
    /// Those of its accounts, by the id of each.
    OfAccounts(Portions<str>),
    /// Those of its subscriptions, by the id of each.
    OfWebhooks(Portions<Id>),
    /// Those of its accounts, like [`Owned`]. Accounts can share a row.
    Shared,
    /// Nobody's: they do not move.
    Never,
}

/// Operations on the rows of an owner.
pub(crate) struct Portions<K: ?Sized> {
    /// Returns at most [`PORTION`] rows, in the order of the keys, after as many others.
    pub(crate) read: fn(&mut Conn, &K, i64) -> Outcome<Vec<String>>,
    /// Counts the rows.
    pub(crate) count: fn(&mut Conn, &K) -> Outcome<i64>,
    /// Deletes the rows.
    pub(crate) delete: fn(&mut Conn, &K) -> Outcome<()>,
}

/// Operations on the rows of an account.
pub(crate) struct Owned {
    /// Passes on the rows of an account, in the order of the keys.
    pub(crate) rows: fn(&mut Conn, &str, RowSink<'_>) -> Outcome<()>,
    /// Deletes the rows of an account.
    pub(crate) delete: fn(&mut Conn, &str) -> Outcome<()>,
    /// Whether a row exists already. `None` unless several accounts can share a row.
    pub(crate) exists: Option<fn(&mut Conn, &str) -> Outcome<bool>>,
}

/// A callback that accepts a row as JSON.
pub(crate) type RowSink<'a> = &'a mut dyn FnMut(&str) -> Outcome<()>;

/// The number of a line of an export, and its row as JSON.
pub(crate) type NumberedRow = (u64, String);

/// The whole row of a table.
pub(super) trait WholeRow: Row + Ownership + Serialize + DeserializeOwned {
    /// The columns, as declared.
    #[cfg(test)]
    const DECLARED: &'static [crate::columns::DeclaredColumn];

    /// Passes on every row in the order of the keys, one at a time.
    fn each(conn: &mut Conn, take: &mut dyn FnMut(Self) -> Outcome<()>) -> Outcome<()>;

    /// Counts the rows.
    fn count(conn: &mut Conn) -> Outcome<i64>;

    /// Whether there are no rows.
    fn is_empty(conn: &mut Conn) -> Outcome<bool>;
}

/// A row that may belong to an account or a client.
pub(super) trait Ownership {
    /// Operations on the rows of an account; `None` if snapshots of worlds do not contain the table.
    const OWNED: Option<Owned>;
    /// What moves with a client to another cell.
    const MOVING: Moving;
}

impl Table {
    /// Builds the table of these rows.
    pub(super) const fn of<R: WholeRow>() -> Self {
        Self {
            name: R::TABLE,
            #[cfg(test)]
            columns: R::DECLARED,
            export: export::<R>,
            import: import::<R>,
            count: R::count,
            is_empty: R::is_empty,
            owned: R::OWNED,
            moving: R::MOVING,
        }
    }
}

fn export<R: WholeRow>(conn: &mut Conn, take: RowSink<'_>) -> Outcome<()> {
    R::each(conn, &mut |row| take(&json(&row)?))
}

fn import<R: WholeRow>(conn: &mut Conn, rows: &[NumberedRow]) -> Result<(), Stop<ExportError>> {
    let read = |(line, json): &NumberedRow| {
        serde_json::from_str(json).map_err(|error| ExportError::Line { line: *line, reason: error.to_string() })
    };
    let rows = rows.iter().map(read).collect::<Result<Vec<R>, ExportError>>()?;
    Ok(statements::insert(rows, conn)?)
}

/// Serializes a row as JSON.
pub(super) fn json<R: Serialize>(row: &R) -> Outcome<String> {
    serde_json::to_string(row).map_err(corrupt)
}
