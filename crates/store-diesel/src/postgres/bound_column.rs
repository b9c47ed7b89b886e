//! Lists of the values of a column.

use super::Db;
use super::body::columns::ColumnType;
use diesel::QueryResult;
use diesel::query_builder::AstPass;
use diesel::serialize::ToSql;
use diesel::sql_types::{Array, HasSqlType};

/// A list of the values of a column.
pub(crate) trait BoundColumn {
    /// Binds the list as an array.
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()>;

    /// Binds the first value of the list.
    fn bind_first<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.bind(out)?;
        out.push_sql("[1]");
        Ok(())
    }
}

impl<T> BoundColumn for Vec<T>
where
    T: ColumnType,
    Self: ToSql<Array<T::Sql>, Db>,
    Db: HasSqlType<Array<T::Sql>>,
{
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_bind_param::<Array<T::Sql>, Self>(self)
    }
}
