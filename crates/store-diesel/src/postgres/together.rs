//! Rows of several tables that have nothing to do with each other, loaded by one statement: one round trip.

use super::body::errors::Outcome;
use super::body::sets::Keyed;
use super::{Conn, Db};
use diesel::QueryResult;
use diesel::query_builder::AstPass;

/// Rows by keys, to be loaded alone or together with others.
pub(crate) trait Source: Keyed {
    /// Asks for those of these keys.
    fn of(keys: impl IntoIterator<Item = Self::Key>) -> Self;

    /// Whether there are no keys.
    fn is_empty(&self) -> bool;

    /// The rows, loaded alone.
    fn rows(self, conn: &mut Conn) -> Outcome<Vec<Self::Row>>;

    /// As a table of a larger statement, under the name of the table that the rows are of. Not for rows with joins.
    fn walk_table<'b>(&'b self, out: AstPass<'_, 'b, Db>) -> QueryResult<()>;
}

/// A statement that loads several sources: of each of its rows one part is there, and the others are null.
macro_rules! together {
    ($(#[$doc:meta])* $name:ident { $one:ident: $one_source:ty, $($more:ident: $source:ty,)+ }) => {
        $(#[$doc])*
        pub(crate) struct $name {
            selection: <(
                Option<<$one_source as crate::postgres::body::sets::Keyed>::Row>,
                $(Option<<$source as crate::postgres::body::sets::Keyed>::Row>,)+
            ) as diesel::Selectable<crate::postgres::Db>>::SelectExpression,
            $one: $one_source,
            $($more: $source,)+
        }

        const _: () = {
            use crate::postgres::body::sets::Keyed;
            use crate::postgres::together::Source;
            use crate::postgres::{Conn, Db};
            use diesel::Selectable;
            use diesel::dsl::SqlTypeOf;
            use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};

            type Parts = (Option<<$one_source as Keyed>::Row>, $(Option<<$source as Keyed>::Row>,)+);

            impl $name {
                /// Those of these keys. Where all keys are of one source, nothing else is asked.
                #[allow(clippy::type_complexity, reason = "a list of rows for each source")]
                pub(crate) fn load(
                    $one: impl IntoIterator<Item = <$one_source as Keyed>::Key>,
                    $($more: impl IntoIterator<Item = <$source as Keyed>::Key>,)+
                    conn: &mut Conn,
                ) -> crate::postgres::body::errors::Outcome<(
                    Vec<<$one_source as Keyed>::Row>,
                    $(Vec<<$source as Keyed>::Row>,)+
                )> {
                    let $one = <$one_source>::of($one);
                    $(let $more = <$source>::of($more);)+
                    let asked = usize::from(!$one.is_empty()) $(+ usize::from(!$more.is_empty()))+;
                    if asked < 2 {
                        return Ok(($one.rows(conn)?, $($more.rows(conn)?,)+));
                    }
                    let all = Self { selection: <Parts as Selectable<Db>>::construct_selection(), $one, $($more,)+ };
                    let rows = diesel::RunQueryDsl::load::<Parts>(all, conn)?;
                    let ($one, $($more,)+): (Vec<_>, $(Vec<Option<<$source as Keyed>::Row>>,)+) =
                        rows.into_iter().collect();
                    Ok(($one.into_iter().flatten().collect(), $($more.into_iter().flatten().collect(),)+))
                }
            }

            impl QueryFragment<Db> for $name {
                fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> diesel::QueryResult<()> {
                    out.push_sql("SELECT ");
                    self.selection.walk_ast(out.reborrow())?;
                    out.push_sql(" FROM ");
                    self.$one.walk_table(out.reborrow())?;
                    $(
                        out.push_sql(" FULL JOIN ");
                        self.$more.walk_table(out.reborrow())?;
                        out.push_sql(" ON FALSE");
                    )+
                    Ok(())
                }
            }

            impl QueryId for $name {
                type QueryId = Self;
                const HAS_STATIC_QUERY_ID: bool = true;
            }

            impl Query for $name {
                type SqlType = SqlTypeOf<<Parts as Selectable<Db>>::SelectExpression>;
            }

            impl diesel::RunQueryDsl<Conn> for $name {}
        };
    };
}
