//! Lists of values of different types.

use super::Db;
use super::body::columns::ColumnType;
use diesel::QueryResult;
use diesel::query_builder::AstPass;
use diesel::serialize::ToSql;
use diesel::sql_types::HasSqlType;

/// A list of values as nested pairs.
pub(crate) trait Values: 'static {
    /// Binds each value, after the SQL that `before` writes in front of it.
    fn bind<'b>(
        &'b self,
        names: &[&'static str],
        out: &mut AstPass<'_, 'b, Db>,
        before: &mut Before<'_, 'b>,
    ) -> QueryResult<()>;
}

/// A function that writes the SQL in front of the value of a column.
type Before<'a, 'b> = dyn FnMut(&mut AstPass<'_, 'b, Db>, &'static str) + 'a;

impl Values for () {
    fn bind<'b>(&'b self, _: &[&'static str], _: &mut AstPass<'_, 'b, Db>, _: &mut Before<'_, 'b>) -> QueryResult<()> {
        Ok(())
    }
}

impl<H, T> Values for (H, T)
where
    H: ColumnType + ToSql<H::Sql, Db>,
    Db: HasSqlType<H::Sql>,
    T: Values,
{
    fn bind<'b>(
        &'b self,
        names: &[&'static str],
        out: &mut AstPass<'_, 'b, Db>,
        before: &mut Before<'_, 'b>,
    ) -> QueryResult<()> {
        let Some((name, names)) = names.split_first() else { return Ok(()) };
        before(out, name);
        out.push_bind_param::<H::Sql, H>(&self.0)?;
        self.1.bind(names, out, before)
    }
}
