//! What a database needs to build its generic statements: rows to insert, changes of existing rows, and lookups of rows
//! by key.
//!
//! Each database executes them in its own way, with `Changes`, `load`, `load_two` and `load_four`. Every statement
//! stays prepared.

use super::backend::{self, Changes, Conn, Db, Values};
pub(crate) use super::driver::{load, load_four, load_two};
use super::errors::Outcome;
use super::names::Name;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::{Connection, QueryResult, RunQueryDsl};
use florin_domain::page::{Page, PageRequest};

/// A row that can be inserted.
pub(crate) trait Row: Sized + 'static {
    /// The name of its table.
    const TABLE: &'static str;
    /// The names of its columns.
    const COLUMNS: &'static [&'static str];
    /// The values of its columns, as a list of nested pairs.
    type Values: Values;

    /// Returns the values, in the order of the columns.
    fn into_values(self) -> Self::Values;
}

/// A change of existing rows.
pub(crate) trait Change: Sized + 'static {
    /// The name of its table.
    const TABLE: &'static str;
    /// The names of the columns that it sets.
    const SET: &'static [&'static str];
    /// The names of the columns that identify the rows.
    const KEY: &'static [&'static str];
    /// A further condition, which begins with ` AND `, or an empty text. The table's alias is `t`.
    const FILTER: &'static str;
    /// The values that it sets.
    type Set: Values;
    /// The values that identify the rows.
    type Key: Values;

    /// Returns both lists of values, in the orders of their columns.
    fn into_values(self) -> (Self::Set, Self::Key);
}

/// A lookup of rows by key, with joined rows.
pub(crate) trait Lookup: Sized + 'static {
    /// The name of the table.
    const TABLE: &'static str;
    /// The names of the columns that identify the rows.
    const KEY: &'static [&'static str];
    /// The join, or an empty text.
    const JOIN: &'static str;
    /// A further condition on the table, which begins with ` AND `, or an empty text.
    const FILTER: &'static str;
    /// The order of the rows of all keys, which begins with ` ORDER BY `, or an empty text.
    const ORDER: &'static str;
    /// The lock on the rows, or an empty text where the database has no row locks.
    #[allow(dead_code, reason = "some databases have no locks on rows")]
    const LOCK: &'static str;
    /// A key: a tuple of values.
    type Key: Key;
    /// A row with its joined rows.
    type Row;
    /// The columns that are selected.
    type Selection: QueryFragment<Db> + diesel::Expression<SqlType = Self::Sql>;
    /// The SQL types of the columns.
    type Sql;

    /// Returns the columns that are selected.
    fn selection() -> Self::Selection;

    /// Executes a statement.
    fn run(statement: backend::Select<Self>, conn: &mut Conn) -> QueryResult<Vec<Self::Row>>;
}

/// A tuple of values that identifies rows.
pub(crate) trait Key {
    /// The same values as a list of nested pairs.
    type Values: Values;

    /// Returns the values, in their order.
    fn into_values(self) -> Self::Values;
}

/// Expands to the type of a list of nested pairs.
macro_rules! list_type {
    () => { () };
    ($first:ty $(, $more:ty)*) => { ($first, super::body::statements::list_type!($($more),*)) };
}

/// Expands to a list of nested pairs.
macro_rules! list {
    () => { () };
    ($first:expr $(, $more:expr)*) => { ($first, super::body::statements::list!($($more),*)) };
}
pub(crate) use {list, list_type};

macro_rules! keys {
    ($(($($type:ident $value:ident),+))*) => {$(
        impl<$($type),+> Key for ($($type,)+)
        where
            list_type!($($type),+): Values,
        {
            type Values = list_type!($($type),+);

            fn into_values(self) -> Self::Values {
                let ($($value,)+) = self;
                list!($($value),+)
            }
        }
    )*};
}

keys! {
    (A a)
    (A a, B b)
    (A a, B b, C c)
}

/// Inserts rows.
pub(crate) fn insert<R: Row>(rows: Vec<R>, conn: &mut Conn) -> Outcome<()> {
    let mut changes = Changes::on(conn);
    changes.insert(rows)?;
    changes.store()
}

/// Changes rows. Each row must exist.
pub(crate) fn update<C: Change>(rows: Vec<C>, conn: &mut Conn) -> Outcome<()> {
    let mut changes = Changes::on(conn);
    changes.update(rows)?;
    changes.store()
}

/// Adds a condition on the name of a member, as a literal, if a member is given.
pub(crate) fn push_name<T: Name>(column: &str, member: Option<T>, out: &mut AstPass<'_, '_, Db>) {
    if let Some(member) = member {
        for part in [" AND ", column, " = '", member.name(), "'"] {
            out.push_sql(part);
        }
    }
}

/// Reads a page whose rows carry the count of all matches, in one view. Past the end no row carries it, so `count`
/// reads it.
pub(crate) fn counted_page<T>(
    conn: &mut Conn,
    page: PageRequest,
    rows: impl Fn(&mut Conn) -> Outcome<Page<T>>,
    count: impl Fn(&mut Conn) -> Outcome<i64>,
) -> Outcome<Page<T>> {
    let found = rows(conn)?;
    if !found.rows.is_empty() || page.offset == 0 {
        return Ok(found);
    }
    conn.transaction(|conn| {
        let found = rows(conn)?;
        Ok(if found.rows.is_empty() { Page { count: count(conn)?, ..found } } else { found })
    })
}

/// A query for one row. Its limit is part of its text, so it stays prepared on SQLite, too.
pub(crate) struct FirstRow<Q>(pub(crate) Q);

impl<Q: QueryFragment<Db>> QueryFragment<Db> for FirstRow<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" LIMIT 1");
        Ok(())
    }
}

impl<Q: Query> Query for FirstRow<Q> {
    type SqlType = Q::SqlType;
}

impl<Q> QueryId for FirstRow<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q> RunQueryDsl<Conn> for FirstRow<Q> {}

/// Identifies queries by their texts, so that each text stays prepared. `Conn` must be in scope.
macro_rules! identified_by_text {
    ($($query:ty => $sql:ty;)*) => {$(
        impl diesel::query_builder::QueryId for $query {
            type QueryId = ();
            const HAS_STATIC_QUERY_ID: bool = false;
        }

        impl diesel::query_builder::Query for $query {
            type SqlType = $sql;
        }

        impl diesel::RunQueryDsl<Conn> for $query {}
    )*};
}
pub(crate) use identified_by_text;
