//! The values of columns in exports and imports, whatever their type.

use super::backend::{BoundColumn, Db, RawValue};
use super::columns::ColumnType;
use diesel::deserialize::{self, FromSql};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Exports and imports the values of a column, whatever their type.
pub(crate) struct Column {
    /// Writes a value of a row as JSON.
    pub(crate) write: fn(Option<RawValue<'_>>, &mut Vec<u8>) -> deserialize::Result<()>,
    /// Creates an empty list of values.
    pub(crate) empty: fn() -> Box<dyn ColumnValues>,
    /// Whether it is nullable.
    pub(crate) is_nullable: bool,
    /// Returns the only names that it may contain.
    #[allow(dead_code, reason = "only a database that does not check them itself reads it")]
    pub(crate) names: fn() -> Option<Vec<&'static str>>,
}

impl Column {
    /// Returns the column of values of this type.
    pub(crate) const fn of<T>() -> Self
    where
        T: ColumnType + FromSql<T::Sql, Db> + Serialize + DeserializeOwned,
        Vec<T>: BoundColumn,
    {
        Self { write: write::<T>, empty: empty::<T>, is_nullable: T::NULLABLE, names: T::names }
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
