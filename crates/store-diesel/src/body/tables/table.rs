//! Operations of exports, imports, snapshots and tests on a table, whatever its rows.
//!
//! Statements are built from the names of the declaration, and values are converted by the types of their columns
//! ([`Column`]). So this code is compiled once per database, and not for each table.

use super::body::backend::sql::IdSql;
use super::body::backend::{Conn, Db, RowByRow, TableRows};
use super::body::column_values::{Column, ColumnValues};
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::json_values::reason;
use super::body::statements::{Row, identified_by_text};
use super::body::types::Id;
use super::json_row;
use diesel::connection::LoadConnection;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::row::{Field, Row as FoundRow};
use diesel::sql_types::{BigInt, Text, Untyped};
use diesel::{QueryResult, QueryableByName, RunQueryDsl, sql_query};
use florin_store_contract::ExportError;
use serde::Deserialize;

/// Maximum number of rows of an owner that are read at a time.
pub(crate) const PORTION: i64 = 1_000;

/// A table.
pub(crate) struct Table {
    /// Its name.
    pub(crate) name: &'static str,
    /// The columns of its primary key.
    key: &'static [&'static str],
    /// The names of its columns.
    names: &'static [&'static str],
    /// The values of its columns.
    values: &'static [Column],
    /// Its columns, as declared.
    #[cfg(test)]
    pub(crate) columns: &'static [crate::columns::DeclaredColumn],
    /// The kind of owner of its rows; `None` if they belong to nobody.
    pub(crate) owned: Option<Owned>,
    /// Whether it is declared `unchecked`.
    #[allow(dead_code, reason = "some databases only test it")]
    pub(crate) is_unchecked: bool,
}

/// The kind of owner of a table's rows, and how an owner's rows are found. The rows of a client, and those of its
/// accounts and subscriptions, move with it to another cell.
#[derive(Clone, Copy)]
pub(crate) enum Owned {
    /// A client. Its rows are found by this column.
    Client(&'static str),
    /// An account. Its rows are found by their column `account_id`.
    Account {
        /// Whether a restore of a world reverts the rows. Snapshots contain them, unless they are derived from others.
        is_reverted: bool,
    },
    /// An account. Its rows have the ids of its payments, so several accounts can share a row. A restore reverts the
    /// rows, and snapshots contain them.
    Payments,
    /// A subscription. Its rows are found by their column `webhook_id`.
    Webhook,
}

/// An owner of rows.
#[derive(Clone, Copy)]
pub(crate) enum OwnerId<'a> {
    /// The client with this id.
    Client(Id),
    /// The account with this id.
    Account(&'a str),
    /// The subscription with this id.
    Webhook(Id),
}

/// The condition that worlds of only one client share an accepted payment. Other accounts share none.
const NOT_OF_OTHERS: &str = " AND (SELECT count(DISTINCT w.client_id) FROM worlds AS w \
    INNER JOIN payments AS p ON p.account_id = w.account_id WHERE p.id = sandbox_payments.id) < 2";

/// A callback that accepts a row as JSON.
pub(crate) type RowSink<'a> = &'a mut dyn FnMut(&str) -> Outcome<()>;

/// The number of a line of an export, and its row as JSON.
pub(crate) type NumberedRow = (u64, String);

/// The whole row of a table.
pub(super) trait WholeRow: Row {
    /// The columns of the primary key.
    const KEY: &'static [&'static str];
    /// The values of the columns.
    const VALUES: &'static [Column];
    /// The columns, as declared.
    #[cfg(test)]
    const DECLARED: &'static [crate::columns::DeclaredColumn];
    /// The kind of owner of the rows; `None` if they belong to nobody.
    const OWNED: Option<Owned>;
    /// Whether the table is declared `unchecked`.
    const IS_UNCHECKED: bool;
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

#[derive(Deserialize)]
struct Identified {
    id: Id,
}

impl Table {
    /// Builds the table of these rows.
    pub(super) const fn of<R: WholeRow>() -> Self {
        Self {
            name: R::TABLE,
            key: R::KEY,
            names: R::COLUMNS,
            values: R::VALUES,
            #[cfg(test)]
            columns: R::DECLARED,
            owned: R::OWNED,
            is_unchecked: R::IS_UNCHECKED,
        }
    }

    /// Whether a restore of a world reverts the rows. Snapshots contain them, unless they are derived from others.
    pub(crate) fn is_reverted(&self) -> bool {
        matches!(self.owned, Some(Owned::Account { is_reverted: true } | Owned::Payments))
    }

    /// Whether several accounts can share a row.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.owned, Some(Owned::Payments))
    }

    /// Passes every row to `take`, in the order of the keys.
    pub(crate) fn export(&self, conn: &mut Conn, take: RowSink<'_>) -> Outcome<()> {
        self.pass_on(conn, None, &[], "", take)
    }

    /// Passes the rows of an owner to `take`, in the order of the keys.
    pub(crate) fn rows_of(&self, conn: &mut Conn, owner: OwnerId<'_>, take: RowSink<'_>) -> Outcome<()> {
        let Some(of) = self.found_by(owner) else { return Ok(()) };
        self.pass_on(conn, Some(of), &[], "", take)
    }

    /// Returns at most [`PORTION`] rows of an owner, in the order of the keys: the first ones, or those after a row.
    pub(crate) fn portion_of(&self, conn: &mut Conn, owner: OwnerId<'_>, after: Option<&str>) -> Outcome<Vec<String>> {
        let mut rows = Vec::new();
        let Some(of) = self.found_by(owner) else { return Ok(rows) };
        let mut columns = self.empty_columns();
        let mut key = Vec::new();
        if let Some(row) = after {
            json_row::read(row, (self.names, self.values), &mut columns).map_err(corrupt)?;
            let index = |name: &&str| self.names.iter().position(|known| known == name);
            for name in self.key {
                let column = index(name).and_then(|index| columns.get(index));
                key.push((*name, column.ok_or_else(|| corrupt("a column of the key is missing"))?.as_ref()));
            }
        }
        self.pass_on(conn, Some(of), &key, &format!(" LIMIT {PORTION}"), &mut |row| {
            rows.push(row.to_owned());
            Ok(())
        })?;
        Ok(rows)
    }

    /// Returns an empty list of values for each column.
    fn empty_columns(&self) -> Vec<Box<dyn ColumnValues>> {
        self.values.iter().map(|column| (column.empty)()).collect()
    }

    /// Inserts rows.
    pub(crate) fn import(&self, conn: &mut Conn, rows: &[NumberedRow]) -> Result<(), Stop<ExportError>> {
        let mut columns = self.empty_columns();
        for (line, json) in rows {
            json_row::read(json, (self.names, self.values), &mut columns)
                .map_err(|error| ExportError::Line { line: *line, reason: reason(&error) })?;
        }
        let rows = TableRows { table: self.name, names: self.names, columns: &columns, count: rows.len() };
        Ok(rows.insert(conn)?)
    }

    /// Checks that the columns of a row, as JSON, can be read. The error names the column.
    pub(crate) fn check_columns(&self, json: &str) -> serde_json::Result<()> {
        json_row::read(json, (self.names, self.values), &mut self.empty_columns())
    }

    /// Returns the condition that a column of the row `t` contains an unknown name, as SQL. `None` if no column
    /// contains names.
    #[allow(dead_code, reason = "only a database that does not check names itself calls it")]
    pub(crate) fn unknown_name_condition(&self) -> Option<String> {
        let unknown = |(name, column): (&&str, &Column)| {
            let names = (column.names)()?;
            Some(format!("t.\"{name}\" NOT IN ('{}')", names.join("', '")))
        };
        let columns: Vec<_> = self.names.iter().zip(self.values).filter_map(unknown).collect();
        if columns.is_empty() { None } else { Some(columns.join(" OR ")) }
    }

    /// Counts the rows.
    pub(crate) fn count(&self, conn: &mut Conn) -> Outcome<i64> {
        let count = sql_query(format!("SELECT count(*) AS number FROM {}", self.name));
        Ok(count.get_result::<Count>(conn)?.number)
    }

    /// Whether there are no rows.
    pub(crate) fn is_empty(&self, conn: &mut Conn) -> Outcome<bool> {
        let first = format!("SELECT count(*) AS number FROM (SELECT 1 FROM {} LIMIT 1) AS first_row", self.name);
        Ok(sql_query(first).get_result::<Count>(conn)?.number == 0)
    }

    /// Counts the rows of an owner.
    pub(crate) fn count_of(&self, conn: &mut Conn, owner: OwnerId<'_>) -> Outcome<i64> {
        let Some(of) = self.found_by(owner) else { return Ok(0) };
        let start = format!("SELECT count(*) AS number FROM {}", self.name);
        let count = Statement { start: &start, of: Some(of), after: &[], end: "" };
        Ok(count.get_result::<Count>(conn)?.number)
    }

    /// Deletes the rows of an owner.
    pub(crate) fn delete_of(&self, conn: &mut Conn, owner: OwnerId<'_>) -> Outcome<()> {
        self.delete_where(conn, owner, "")
    }

    /// Deletes the rows of an owner, except those that worlds of another client share.
    pub(crate) fn delete_unshared_of(&self, conn: &mut Conn, owner: OwnerId<'_>) -> Outcome<()> {
        self.delete_where(conn, owner, if self.is_shared() { NOT_OF_OTHERS } else { "" })
    }

    fn delete_where(&self, conn: &mut Conn, owner: OwnerId<'_>, end: &str) -> Outcome<()> {
        let Some(of) = self.found_by(owner) else { return Ok(()) };
        let start = format!("DELETE FROM {}", self.name);
        Statement { start: &start, of: Some(of), after: &[], end }.execute(conn)?;
        Ok(())
    }

    /// Whether a row, as JSON, exists already because several accounts share it.
    pub(crate) fn has_shared(&self, conn: &mut Conn, row: &str) -> Outcome<bool> {
        if !self.is_shared() {
            return Ok(false);
        }
        let Identified { id } = serde_json::from_str(row).map_err(corrupt)?;
        let count = sql_query(format!("SELECT count(*) AS number FROM {} WHERE id = $1", self.name));
        Ok(count.bind::<IdSql, _>(id).get_result::<Count>(conn)?.number > 0)
    }

    /// Returns how the rows of an owner are found; `None` if owners of its kind have no rows in the table.
    fn found_by<'a>(&self, owner: OwnerId<'a>) -> Option<Condition<'a>> {
        let (before, after) = match (self.owned?, owner) {
            (Owned::Client(column), OwnerId::Client(_)) => (column, ""),
            (Owned::Account { .. }, OwnerId::Account(_)) => ("account_id", ""),
            (Owned::Payments, OwnerId::Account(_)) => ("id IN (SELECT id FROM payments WHERE account_id", ")"),
            (Owned::Webhook, OwnerId::Webhook(_)) => ("webhook_id", ""),
            _ => return None,
        };
        Some(Condition { before, owner, after })
    }

    /// Passes all rows, or the rows of an owner after this key, to `take`. `limit` is the end of the statement, or
    /// empty.
    fn pass_on(
        &self,
        conn: &mut Conn,
        of: Option<Condition<'_>>,
        after: &[KeyValue<'_>],
        limit: &str,
        take: RowSink<'_>,
    ) -> Outcome<()> {
        let start = format!("SELECT {} FROM {}", quoted(self.names), self.name);
        let end = format!(" ORDER BY {}{limit}", quoted(self.key));
        let statement = Statement { start: &start, of, after, end: &end };
        for row in LoadConnection::<RowByRow>::load(conn, statement)? {
            take(&self.json(&row?)?)?;
        }
        Ok(())
    }

    /// Returns a row as JSON.
    fn json<'a>(&self, row: &impl FoundRow<'a, Db>) -> Outcome<String> {
        let mut json = Vec::new();
        let mut before = "{\"";
        for (index, (name, column)) in self.names.iter().zip(self.values).enumerate() {
            for part in [before, name, "\":"] {
                json.extend_from_slice(part.as_bytes());
            }
            let field = row.get(index).ok_or_else(|| corrupt("a selected column is missing"))?;
            (column.write)(field.value(), &mut json).map_err(|error| corrupt(format!("{name}: {error}")))?;
            before = ",\"";
        }
        json.push(b'}');
        String::from_utf8(json).map_err(corrupt)
    }
}

/// Returns the names of columns as SQL.
fn quoted(names: &[&str]) -> String {
    format!("\"{}\"", names.join("\", \""))
}

/// A column of a key, and a list that begins with its value.
type KeyValue<'a> = (&'static str, &'a dyn ColumnValues);

/// Adds the condition that the key of a row is greater than `key`, unless `key` is empty.
fn walk_key<'b>(key: &'b [KeyValue<'b>], out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
    if key.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = key.iter().map(|(name, _)| *name).collect();
    out.push_sql(" AND (");
    out.push_sql(&quoted(&names));
    let mut before = ") > (";
    for (_, value) in key {
        out.push_sql(before);
        value.bind_first(out)?;
        before = ", ";
    }
    out.push_sql(")");
    Ok(())
}

/// The condition that rows are those of an owner.
struct Condition<'a> {
    /// The SQL before the owner.
    before: &'static str,
    owner: OwnerId<'a>,
    /// The SQL after the owner.
    after: &'static str,
}

/// A statement on all rows of a table, or on those of an owner.
struct Statement<'a> {
    /// The SQL before the condition.
    start: &'a str,
    /// How the rows of the owner are found. `None`: all rows.
    of: Option<Condition<'a>>,
    /// The key after which the rows of the owner begin. Empty: all rows of the owner.
    after: &'a [KeyValue<'a>],
    /// The SQL after the condition.
    end: &'a str,
}

impl QueryFragment<Db> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(self.start);
        if let Some(Condition { before, owner, after }) = &self.of {
            for part in [" WHERE ", *before, " = "] {
                out.push_sql(part);
            }
            match owner {
                OwnerId::Client(id) | OwnerId::Webhook(id) => out.push_bind_param::<IdSql, Id>(id)?,
                OwnerId::Account(account) => out.push_bind_param::<Text, str>(account)?,
            }
            out.push_sql(after);
            walk_key(self.after, &mut out)?;
        }
        out.push_sql(self.end);
        Ok(())
    }
}

// Identified by text, because each table has its own statements.
identified_by_text! {
    Statement<'_> => Untyped;
}
