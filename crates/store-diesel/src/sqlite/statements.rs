//! Sets of rows, loaded and stored one by one: a call into SQLite is cheap, and each of these statements stays
//! prepared.

use super::body::column_values::ColumnValues;
use super::body::errors::{Outcome, exactly};
use super::body::statements::{Change, Key, Lookup, Row, identified_by_text};
use super::value_lists::Values;
use super::{Conn, Db};
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::Untyped;
use diesel::{QueryResult, RunQueryDsl};

/// Inserts a row.
struct Insert<R: Row>(R::Values);

impl<R: Row> QueryFragment<Db> for Insert<R> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        insert_into(R::TABLE, R::COLUMNS, &mut out);
        let mut before = ") VALUES (";
        self.0.bind(R::COLUMNS, &mut out, &mut |out, _| {
            out.push_sql(before);
            before = ", ";
        })?;
        out.push_sql(")");
        Ok(())
    }
}

/// Writes the beginning of an insert, up to the names of the columns.
fn insert_into(table: &str, columns: &[&str], out: &mut AstPass<'_, '_, Db>) {
    out.push_sql("INSERT INTO ");
    out.push_sql(table);
    let mut before = " (";
    for name in columns {
        out.push_sql(before);
        out.push_sql(name);
        before = ", ";
    }
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
        for row in 0..self.count {
            InsertTableRow { rows: &self, row }.execute(conn)?;
        }
        Ok(())
    }
}

/// Inserts one of the rows.
struct InsertTableRow<'r> {
    rows: &'r TableRows<'r>,
    row: usize,
}

impl QueryFragment<Db> for InsertTableRow<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        insert_into(self.rows.table, self.rows.names, &mut out);
        let mut before = ") VALUES (";
        for column in self.rows.columns {
            out.push_sql(before);
            column.bind(self.row, &mut out)?;
            before = ", ";
        }
        out.push_sql(")");
        Ok(())
    }
}

// Identified by text, because each table has its own statement.
identified_by_text! {
    InsertTableRow<'_> => Untyped;
}

/// Changes a row.
struct Update<C: Change> {
    set: C::Set,
    key: C::Key,
}

impl<C: Change> QueryFragment<Db> for Update<C> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        out.push_sql(C::TABLE);
        let mut before = " AS t SET ";
        self.set.bind(C::SET, &mut out, &mut |out, name| {
            out.push_sql(before);
            out.push_sql(name);
            out.push_sql(" = ");
            before = ", ";
        })?;
        let mut before = " WHERE t.";
        self.key.bind(C::KEY, &mut out, &mut |out, name| {
            out.push_sql(before);
            out.push_sql(name);
            out.push_sql(" = ");
            before = " AND t.";
        })?;
        out.push_sql(C::FILTER);
        Ok(())
    }
}

/// Selects the rows of a key.
struct Select<L: Lookup> {
    selection: L::Selection,
    key: <L::Key as Key>::Values,
}

impl<L: Lookup> QueryFragment<Db> for Select<L> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        self.selection.walk_ast(out.reborrow())?;
        out.push_sql(" FROM ");
        out.push_sql(L::TABLE);
        out.push_sql(L::JOIN);
        let mut before = " WHERE ";
        self.key.bind(L::KEY, &mut out, &mut |out, name| {
            for part in [before, L::TABLE, ".", name, " = "] {
                out.push_sql(part);
            }
            before = " AND ";
        })?;
        out.push_sql(L::FILTER);
        out.push_sql(L::ORDER);
        Ok(())
    }
}

impl<L: Lookup> Query for Select<L> {
    type SqlType = L::Sql;
}

/// Each of these statements has one text, so its type identifies it.
macro_rules! prepared {
    ($($statement:ident<$parameter:ident: $bound:ident>,)*) => {$(
        impl<$parameter: $bound> QueryId for $statement<$parameter> {
            type QueryId = Self;
            const HAS_STATIC_QUERY_ID: bool = true;
        }

        impl<$parameter: $bound> RunQueryDsl<Conn> for $statement<$parameter> {}
    )*};
}

prepared! {
    Insert<R: Row>,
    Update<C: Change>,
    Select<L: Lookup>,
}

/// Loads the rows of these keys.
pub(crate) fn load<L: Lookup>(keys: impl IntoIterator<Item = L::Key>, conn: &mut Conn) -> Outcome<Vec<L::Row>> {
    let mut rows = Vec::new();
    for key in keys {
        rows.extend(L::run(Select::<L> { selection: L::selection(), key: key.into_values() }, conn)?);
    }
    Ok(rows)
}

/// Loads the rows of two independent lookups.
#[allow(clippy::type_complexity, reason = "a list of rows for each lookup")]
pub(crate) fn load_two<A: Lookup, B: Lookup>(
    a: impl IntoIterator<Item = A::Key>,
    b: impl IntoIterator<Item = B::Key>,
    conn: &mut Conn,
) -> Outcome<(Vec<A::Row>, Vec<B::Row>)> {
    Ok((load::<A>(a, conn)?, load::<B>(b, conn)?))
}

/// Loads the rows of four independent lookups.
#[allow(clippy::type_complexity, reason = "a list of rows for each lookup")]
pub(crate) fn load_four<A: Lookup, B: Lookup, C: Lookup, D: Lookup>(
    a: impl IntoIterator<Item = A::Key>,
    b: impl IntoIterator<Item = B::Key>,
    c: impl IntoIterator<Item = C::Key>,
    d: impl IntoIterator<Item = D::Key>,
    conn: &mut Conn,
) -> Outcome<(Vec<A::Row>, Vec<B::Row>, Vec<C::Row>, Vec<D::Row>)> {
    Ok((load::<A>(a, conn)?, load::<B>(b, conn)?, load::<C>(c, conn)?, load::<D>(d, conn)?))
}

/// Changes of rows of several tables. Each is executed immediately: a call into SQLite is cheap.
pub(crate) struct Changes<'c>(&'c mut Conn);

impl<'c> Changes<'c> {
    /// Creates an empty list of changes.
    pub(crate) const fn on(conn: &'c mut Conn) -> Self {
        Self(conn)
    }

    /// Inserts rows.
    pub(crate) fn insert<R: Row>(&mut self, rows: Vec<R>) -> Outcome<()> {
        for row in rows {
            Insert::<R>(row.into_values()).execute(self.0)?;
        }
        Ok(())
    }

    /// Changes rows. Each row must exist.
    pub(crate) fn update<C: Change>(&mut self, changes: Vec<C>) -> Outcome<()> {
        for change in changes {
            let (set, key) = change.into_values();
            let rows = Update::<C> { set, key }.execute(self.0)?;
            exactly(1, rows, C::TABLE)?;
        }
        Ok(())
    }

    /// Changes all rows under each key, however many exist.
    pub(crate) fn update_all<C: Change>(&mut self, changes: Vec<C>) -> Outcome<()> {
        for change in changes {
            let (set, key) = change.into_values();
            Update::<C> { set, key }.execute(self.0)?;
        }
        Ok(())
    }

    /// Does nothing: the changes are stored already.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self, reason = "every backend has it, and elsewhere it may fail")]
    pub(crate) fn store(self) -> Outcome<()> {
        Ok(())
    }
}
