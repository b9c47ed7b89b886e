//! Lists of the values of a column.

use super::Db;
use super::body::columns::ColumnType;
use diesel::QueryResult;
use diesel::query_builder::AstPass;
use diesel::serialize::ToSql;
use diesel::sql_types::HasSqlType;

/// A list of the values of a column.
pub(crate) trait BoundColumn {
    /// Binds the value of a row.
    fn bind<'b>(&'b self, row: usize, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()>;

    /// Binds the first value of the list.
    fn bind_first<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.bind(0, out)
    }
}

impl<T> BoundColumn for Vec<T>
where
    T: ColumnType + ToSql<T::Sql, Db>,
    Db: HasSqlType<T::Sql>,
{
    fn bind<'b>(&'b self, row: usize, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.get(row).map_or(Ok(()), |value| out.push_bind_param::<T::Sql, T>(value))
    }
}
