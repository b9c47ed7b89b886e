//! The traits of declared rows, changes and lookups, from which each database builds its generic statements.

use super::backend::{Conn, Db, Values};
use super::types::Account;
use diesel::query_builder::{Query, QueryFragment, QueryId};
use diesel::{QueryResult, RunQueryDsl};

/// A row that can be inserted.
pub(crate) trait Row: Sized + 'static {
    /// The name of its table.
    const TABLE: &'static str;
    /// The names of its columns.
    const COLUMNS: &'static [&'static str];
    /// The values of its columns, as a list of nested pairs.
    type Values: Values;

    /// Returns the account of the row if its table is declared `unchecked`. `None` for rows of other tables.
    #[allow(dead_code, reason = "only a database that checks less of these tables calls it")]
    fn unchecked_account(&self) -> Option<&Account>;

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

    /// Executes the statement of the lookup.
    fn run<Q>(statement: Q, conn: &mut Conn) -> QueryResult<Vec<Self::Row>>
    where
        Q: Query<SqlType = Self::Sql> + QueryFragment<Db> + QueryId + RunQueryDsl<Conn> + 'static;
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
