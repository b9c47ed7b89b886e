//! Operations of exports, imports, snapshots and tests on a table, whatever its rows.
//!
//! Statements are built from the names of the declaration, and values are converted by the types of their columns
//! ([`Column`]). So this code is compiled once per database, and not for each table.

use super::body::backend::sql::IdSql;
use super::body::backend::{Conn, Db, RowByRow, TableRows};
use super::body::columns::Column;
use super::body::errors::{Outcome, Stop, corrupt};
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
    /// How the rows of an account are found; `None` if snapshots of worlds do not contain the table.
    pub(crate) owned: Option<Owned>,
}

/// How the rows of an account are found.
#[derive(Clone, Copy)]
pub(crate) enum Owned {
    /// By their column `account_id`.
    ByAccount,
    /// By their ids, which are those of the account's payments. Several accounts can share a row.
    ByPayments,
}

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
    /// How the rows of an account are found; `None` if snapshots of worlds do not contain the table.
    const OWNED: Option<Owned>;
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
        }
    }

    /// Passes on every row, in the order of the keys.
    pub(crate) fn export(&self, conn: &mut Conn, take: RowSink<'_>) -> Outcome<()> {
        self.pass_on(conn, None, take)
    }

    /// Passes on the rows of an account, in the order of the keys. There are none if the table is not owned.
    pub(crate) fn rows_of(&self, conn: &mut Conn, account: &str, take: RowSink<'_>) -> Outcome<()> {
        let Some(owned) = self.owned else { return Ok(()) };
        self.pass_on(conn, Some((owned, account)), take)
    }

    /// Inserts rows.
    pub(crate) fn import(&self, conn: &mut Conn, rows: &[NumberedRow]) -> Result<(), Stop<ExportError>> {
        let mut columns: Vec<_> = self.values.iter().map(|column| (column.empty)()).collect();
        for (line, json) in rows {
            json_row::read(json, (self.names, self.values), &mut columns)
                .map_err(|error| ExportError::Line { line: *line, reason: error.to_string() })?;
        }
        let rows = TableRows { table: self.name, names: self.names, columns: &columns, count: rows.len() };
        Ok(rows.insert(conn)?)
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

    /// Deletes the rows of an account. Deletes none if the table is not owned.
    pub(crate) fn delete_of(&self, conn: &mut Conn, account: &str) -> Outcome<()> {
        let Some(owned) = self.owned else { return Ok(()) };
        let start = format!("DELETE FROM {}", self.name);
        Statement { start: &start, of: Some((owned, account)), end: "" }.execute(conn)?;
        Ok(())
    }

    /// Whether a row, as JSON, exists already because several accounts share it.
    pub(crate) fn has_shared(&self, conn: &mut Conn, row: &str) -> Outcome<bool> {
        let Some(Owned::ByPayments) = self.owned else { return Ok(false) };
        let Identified { id } = serde_json::from_str(row).map_err(corrupt)?;
        let count = sql_query(format!("SELECT count(*) AS number FROM {} WHERE id = $1", self.name));
        Ok(count.bind::<IdSql, _>(id).get_result::<Count>(conn)?.number > 0)
    }

    fn pass_on(&self, conn: &mut Conn, of: Option<(Owned, &str)>, take: RowSink<'_>) -> Outcome<()> {
        let start = format!("SELECT {} FROM {}", quoted(self.names), self.name);
        let end = format!(" ORDER BY {}", quoted(self.key));
        let statement = Statement { start: &start, of, end: &end };
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

/// A statement on all rows of a table, or on those of an account.
struct Statement<'a> {
    /// The SQL before the condition.
    start: &'a str,
    /// The account, and how its rows are found. `None`: all rows.
    of: Option<(Owned, &'a str)>,
    /// The SQL after the condition.
    end: &'a str,
}

impl QueryFragment<Db> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(self.start);
        if let Some((owned, account)) = self.of {
            let (before, after) = match owned {
                Owned::ByAccount => (" WHERE account_id = ", ""),
                Owned::ByPayments => (" WHERE id IN (SELECT id FROM payments WHERE account_id = ", ")"),
            };
            out.push_sql(before);
            out.push_bind_param::<Text, str>(account)?;
            out.push_sql(after);
        }
        out.push_sql(self.end);
        Ok(())
    }
}

// Identified by text: each table has its own.
identified_by_text! {
    Statement<'_> => Untyped;
}
