//! Sets of rows, loaded and stored as arrays of keys or columns, which the server unpacks. One statement is for one
//! set, or for several sets together. All statements stay prepared.
//!
//! Rows are found by one lookup per key (`LATERAL … OFFSET 0`), whatever the planner believes about the table: a plan
//! that was created while the table was empty would otherwise scan the whole table for each group after it has grown.
//!
//! Only the first array is unnested; the other values of a row are read from the other arrays by its number. `unnest`
//! of many arrays would first fill a tuple store for each of them, which takes longer than to insert a few rows.

use super::body::column_values::ColumnValues;
use super::body::errors::{Outcome, exactly};
use super::body::statements::{Change, Row, identified_by_text};
use super::value_lists::{Arrays, ArraysOf, Side, Values};
use super::{Conn, Db};
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::Untyped;
use diesel::{QueryResult, RunQueryDsl};

/// Inserts rows.
pub(super) struct Insert<R: Row>(ArraysOf<R::Values>);

impl<R: Row> From<Vec<R>> for Insert<R> {
    fn from(rows: Vec<R>) -> Self {
        let mut arrays = ArraysOf::<R::Values>::default();
        for row in rows {
            row.into_values().append_to(&mut arrays);
        }
        Self(arrays)
    }
}

impl<R: Row> QueryFragment<Db> for Insert<R> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        insert_into(R::TABLE, R::COLUMNS, &mut out);
        self.0.bind_others(R::COLUMNS, &mut out, &mut |out, side, _| match side {
            Side::Before => out.push_sql(", "),
            Side::After => out.push_sql("[k.i]"),
        })?;
        out.push_sql(" FROM unnest(");
        self.0.bind_first(&mut out)?;
        out.push_sql(") WITH ORDINALITY AS k (v, i)");
        Ok(())
    }
}

/// Writes the beginning of an insert, up to the value of the first column.
fn insert_into(table: &str, columns: &[&str], out: &mut AstPass<'_, '_, Db>) {
    out.push_sql("INSERT INTO ");
    out.push_sql(table);
    let mut before = " (";
    for name in columns {
        out.push_sql(before);
        out.push_sql(name);
        before = ", ";
    }
    out.push_sql(") SELECT k.v");
}

/// Rows of any table.
pub(crate) struct TableRows<'r> {
    pub(crate) table: &'static str,
    /// The names of the columns.
    pub(crate) names: &'static [&'static str],
    /// The values of the columns.
    pub(crate) columns: &'r [Box<dyn ColumnValues>],
    /// The number of rows.
    pub(crate) count: usize,
}

impl TableRows<'_> {
    /// Inserts the rows.
    pub(crate) fn insert(self, conn: &mut Conn) -> Outcome<()> {
        let (table, count) = (self.table, self.count);
        exactly(count, self.execute(conn)?, table)
    }
}

impl QueryFragment<Db> for TableRows<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        let Some((first, others)) = self.columns.split_first() else { return Ok(()) };
        insert_into(self.table, self.names, &mut out);
        for column in others {
            out.push_sql(", ");
            column.bind(&mut out)?;
            out.push_sql("[k.i]");
        }
        out.push_sql(" FROM unnest(");
        first.bind(&mut out)?;
        out.push_sql(") WITH ORDINALITY AS k (v, i)");
        Ok(())
    }
}

// Identified by text, because each table has its own statement.
identified_by_text! {
    TableRows<'_> => Untyped;
}

/// Changes rows.
pub(super) struct Update<C: Change> {
    set: ArraysOf<C::Set>,
    key: ArraysOf<C::Key>,
}

impl<C: Change> From<Vec<C>> for Update<C> {
    fn from(changes: Vec<C>) -> Self {
        let mut arrays = Self { set: ArraysOf::<C::Set>::default(), key: ArraysOf::<C::Key>::default() };
        for change in changes {
            let (set, key) = change.into_values();
            set.append_to(&mut arrays.set);
            key.append_to(&mut arrays.key);
        }
        arrays
    }
}

impl<C: Change> QueryFragment<Db> for Update<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        out.push_sql(C::TABLE);
        let mut before = " AS t SET ";
        for name in C::SET {
            for part in [before, name, " = v.", name] {
                out.push_sql(part);
            }
            before = ", ";
        }
        out.push_sql(" FROM (SELECT k.v AS ");
        out.push_sql(C::KEY.first().copied().unwrap_or_default());
        let mut named = |out: &mut AstPass<'_, 'b, Db>, side, name| match side {
            Side::Before => out.push_sql(", "),
            Side::After => {
                out.push_sql("[k.i] AS ");
                out.push_sql(name);
            }
        };
        self.key.bind_others(C::KEY, &mut out, &mut named)?;
        self.set.bind(C::SET, &mut out, &mut named)?;
        out.push_sql(" FROM unnest(");
        self.key.bind_first(&mut out)?;
        out.push_sql(") WITH ORDINALITY AS k (v, i)) AS v");
        let mut before = " WHERE t.";
        for name in C::KEY {
            for part in [before, name, " = v.", name] {
                out.push_sql(part);
            }
            before = " AND t.";
        }
        out.push_sql(C::FILTER);
        Ok(())
    }
}
