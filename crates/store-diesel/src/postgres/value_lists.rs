//! Lists of values of different types, and of their arrays.

use super::Db;
use super::body::columns::ColumnType;
use diesel::QueryResult;
use diesel::query_builder::AstPass;
use diesel::serialize::ToSql;
use diesel::sql_types::{Array, HasSqlType};

/// A list of values as nested pairs.
pub(crate) trait Values: 'static {
    /// An array for each value.
    type Arrays: Arrays;

    /// Appends each value to its array.
    fn append_to(self, arrays: &mut Self::Arrays);
}

/// A list of arrays as nested pairs. All of them have the same length.
pub(crate) trait Arrays: Default + Send + 'static {
    /// Binds the first array.
    fn bind_first<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()>;

    /// Binds each array but the first, between the SQL that `around` writes before and after it.
    fn bind_others<'b>(
        &'b self,
        names: &[&'static str],
        out: &mut AstPass<'_, 'b, Db>,
        around: &mut Around<'_, 'b>,
    ) -> QueryResult<()>;

    /// Binds each array, between the SQL that `around` writes before and after it.
    fn bind<'b>(
        &'b self,
        names: &[&'static str],
        out: &mut AstPass<'_, 'b, Db>,
        around: &mut Around<'_, 'b>,
    ) -> QueryResult<()> {
        let Some(first) = names.first() else { return Ok(()) };
        around(out, Side::Before, first);
        self.bind_first(out)?;
        around(out, Side::After, first);
        self.bind_others(names, out, around)
    }
}

/// The side of an array on which SQL is written.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    /// Before it.
    Before,
    /// After it.
    After,
}

/// A function that writes the SQL before or after the array of a column.
type Around<'a, 'b> = dyn FnMut(&mut AstPass<'_, 'b, Db>, Side, &'static str) + 'a;

impl Values for () {
    type Arrays = ();

    fn append_to(self, (): &mut ()) {}
}

impl Arrays for () {
    fn bind_first<'b>(&'b self, _: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        Ok(())
    }

    fn bind_others<'b>(
        &'b self,
        _: &[&'static str],
        _: &mut AstPass<'_, 'b, Db>,
        _: &mut Around<'_, 'b>,
    ) -> QueryResult<()> {
        Ok(())
    }
}

impl<H, T> Values for (H, T)
where
    H: ColumnType,
    T: Values,
    (Vec<H>, T::Arrays): Arrays,
{
    type Arrays = (Vec<H>, T::Arrays);

    fn append_to(self, arrays: &mut Self::Arrays) {
        arrays.0.push(self.0);
        self.1.append_to(&mut arrays.1);
    }
}

impl<H, T> Arrays for (Vec<H>, T)
where
    H: ColumnType,
    Vec<H>: ToSql<Array<H::Sql>, Db>,
    Db: HasSqlType<Array<H::Sql>>,
    T: Arrays,
{
    fn bind_first<'b>(&'b self, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_bind_param::<Array<H::Sql>, Vec<H>>(&self.0)
    }

    fn bind_others<'b>(
        &'b self,
        names: &[&'static str],
        out: &mut AstPass<'_, 'b, Db>,
        around: &mut Around<'_, 'b>,
    ) -> QueryResult<()> {
        let Some((_, names)) = names.split_first() else { return Ok(()) };
        self.1.bind(names, out, around)
    }
}

/// The arrays of a list of values.
pub(super) type ArraysOf<V> = <V as Values>::Arrays;
