//! Rows that are stored many at once, and values as the orders of a group see and change them.
//!
//! `insert_rows!`, `update_rows!`, `select_rows!` and `together!` are the backend's: one statement for all rows, and for
//! several tables, where the database is asked over a network; one for each row where it is called. Either way a statement
//! stays prepared.

use super::backend::{Changes, Conn};
use super::errors::Outcome;
use std::collections::{BTreeMap, BTreeSet};

/// A row, or a change of one, that is stored together with others of its kind.
pub(crate) trait Stored: Sized {
    /// Has them all stored together with other changes, in no order that could be told: none of them may see another. None is
    /// nothing to do.
    fn note(rows: Vec<Self>, changes: &mut Changes<'_>) -> Outcome<()>;

    /// Stores them all at once.
    fn store(rows: Vec<Self>, conn: &mut Conn) -> Outcome<()> {
        let mut changes = Changes::on(conn);
        Self::note(rows, &mut changes)?;
        changes.store()
    }
}

/// A change that each time concerns as many rows as there are.
pub(crate) trait Spread: Sized {
    /// Has them all stored together with other changes.
    fn spread(rows: Vec<Self>, changes: &mut Changes<'_>) -> Outcome<()>;
}

/// Rows that are loaded by keys.
pub(crate) trait Keyed {
    /// What a row is found by.
    type Key;
    /// A row, with what is joined to it.
    type Row;

    /// Those of these keys.
    fn by_keys(keys: impl IntoIterator<Item = Self::Key>, conn: &mut Conn) -> Outcome<Vec<Self::Row>>;
}

/// Rows as Diesel's derives take them, with the table that they are stored in: the only list of its columns.
macro_rules! rows {
    ($($(#[$meta:meta])* $vis:vis struct $row:ident in $table:ident { $($column:ident: $type:ty,)* })*) => {$(
        $(#[$meta])*
        $vis struct $row {
            $($vis $column: $type,)*
        }

        insert_rows!($row in $table { $($column: $type,)* });
    )*};
}
pub(crate) use rows;

/// Queries that are told apart by their text: each text stays prepared. `Conn` is in scope.
macro_rules! prepared {
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
pub(crate) use prepared;

/// Values by key: what was loaded, and what became of it.
pub(crate) struct Known<K, V> {
    values: BTreeMap<K, V>,
    changed: BTreeSet<K>,
}

impl<K: Ord + Clone, V> Known<K, V> {
    /// The value, as the orders so far have left it.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    /// A value that is stored already, or is going to be.
    pub(crate) fn keep(&mut self, key: K, value: V) {
        self.values.insert(key, value);
    }

    /// A value that is to be stored. Of several changes of one value the last is stored.
    pub(crate) fn change(&mut self, key: K, value: V) {
        self.changed.insert(key.clone());
        self.values.insert(key, value);
    }

    /// What is to be stored, in the order of the keys.
    pub(crate) fn into_changes(self) -> impl Iterator<Item = (K, V)> {
        let Self { mut values, changed } = self;
        changed.into_iter().filter_map(move |key| values.remove_entry(&key))
    }
}

impl<K: Ord, V> Default for Known<K, V> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), changed: BTreeSet::new() }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Known<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(values: I) -> Self {
        Self { values: values.into_iter().collect(), changed: BTreeSet::new() }
    }
}
