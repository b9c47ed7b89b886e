//! The Rust types of columns. The SQL type of a column follows from its Rust type.

use super::backend::sql::{DaySql, IdSql, TimeSql};
use super::names::Name;
use super::types::{Account, Bytes, Currency, Day, Exchange, Id, Named, Time};
#[cfg(test)]
use crate::columns::ColumnKind;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};

/// A type that a column can have.
pub(crate) trait ColumnType: Send + 'static {
    /// The SQL type of the column.
    type Sql;
    /// The kind of its values.
    #[cfg(test)]
    const KIND: ColumnKind;
    /// Whether the column is nullable.
    const NULLABLE: bool = false;

    /// Returns the only names that the column may contain. `None` if it contains other values than names.
    fn names() -> Option<Vec<&'static str>> {
        None
    }
}

/// A declared column, as Diesel's `table!` names it.
pub(crate) trait DeclaredType {
    /// The Rust type that it was declared with.
    type Rust;
}

/// The Rust type that a column was declared with.
pub(crate) type RustOf<C> = <C as DeclaredType>::Rust;

macro_rules! column_types {
    ($($rust:ident => $sql:ident, $kind:ident;)*) => {$(
        impl ColumnType for $rust {
            type Sql = sql_of::$rust;
            #[cfg(test)]
            const KIND: ColumnKind = ColumnKind::$kind;
        }
    )*

    /// The SQL types, by the names of the Rust types.
    #[allow(non_camel_case_types, reason = "they have the names of the Rust types")]
    pub(crate) mod sql_of {
        $(pub(crate) type $rust = super::$sql;)*
    }
    };
}

column_types! {
    i64 => BigInt, Integer;
    bool => Bool, Bool;
    String => Text, Text;
    Bytes => Binary, Bytes;
    Id => IdSql, Id;
    Time => TimeSql, Time;
    Day => DaySql, Day;
    Account => Text, Text;
    Currency => Text, Text;
    Exchange => Text, Text;
}

impl<T: Name + Send> ColumnType for Named<T> {
    type Sql = Text;
    #[cfg(test)]
    const KIND: ColumnKind = ColumnKind::Text;

    fn names() -> Option<Vec<&'static str>> {
        Some(T::all().iter().map(|member| member.name()).collect())
    }
}

impl<T: ColumnType> ColumnType for Option<T> {
    type Sql = Nullable<T::Sql>;
    #[cfg(test)]
    const KIND: ColumnKind = T::KIND;
    const NULLABLE: bool = true;

    fn names() -> Option<Vec<&'static str>> {
        T::names()
    }
}
