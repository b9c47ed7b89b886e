//! The Rust types of columns. The SQL type of a column follows from its Rust type.

use super::backend::sql::{DaySql, IdSql, TimeSql};
use super::backend::{BoundColumn, Db, RawValue};
use super::names::Name;
use super::types::{Account, Bytes, Currency, Day, Exchange, Id, Named, Time};
#[cfg(test)]
use crate::columns::ColumnKind;
use diesel::deserialize::{self, FromSql};
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A type that a column can have.
pub(crate) trait ColumnType: Send + 'static {
    /// The SQL type of the column.
    type Sql;
    /// The kind of its values.
    #[cfg(test)]
    const KIND: ColumnKind;
    /// Whether the column is nullable.
    const NULLABLE: bool = false;
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
}

impl<T: ColumnType> ColumnType for Option<T> {
    type Sql = Nullable<T::Sql>;
    #[cfg(test)]
    const KIND: ColumnKind = T::KIND;
    const NULLABLE: bool = true;
}

/// Exports and imports the values of a column, whatever their type.
pub(crate) struct Column {
    /// Writes a value of a row as JSON.
    pub(crate) write: fn(Option<RawValue<'_>>, &mut Vec<u8>) -> deserialize::Result<()>,
    /// Creates an empty list of values.
    pub(crate) empty: fn() -> Box<dyn ColumnValues>,
    /// Whether it is nullable.
    pub(crate) is_nullable: bool,
}

impl Column {
    /// Returns the column of values of this type.
    pub(crate) const fn of<T>() -> Self
    where
        T: ColumnType + FromSql<T::Sql, Db> + Serialize + DeserializeOwned,
        Vec<T>: BoundColumn,
    {
        Self { write: write::<T>, empty: empty::<T>, is_nullable: T::NULLABLE }
    }
}

fn write<T>(value: Option<RawValue<'_>>, json: &mut Vec<u8>) -> deserialize::Result<()>
where
    T: ColumnType + FromSql<T::Sql, Db> + Serialize,
{
    let value = <T as FromSql<T::Sql, Db>>::from_nullable_sql(value)?;
    Ok(serde_json::to_writer(json, &value)?)
}

fn empty<T>() -> Box<dyn ColumnValues>
where
    T: ColumnType + DeserializeOwned,
    Vec<T>: BoundColumn,
{
    Box::new(Vec::<T>::new())
}

/// The values of a column, in the order of their rows.
pub(crate) trait ColumnValues: BoundColumn {
    /// Appends a value from JSON.
    fn read(&mut self, json: &str) -> serde_json::Result<()>;
}

impl<T> ColumnValues for Vec<T>
where
    T: ColumnType + DeserializeOwned,
    Self: BoundColumn,
{
    fn read(&mut self, json: &str) -> serde_json::Result<()> {
        self.push(serde_json::from_str(json)?);
        Ok(())
    }
}
