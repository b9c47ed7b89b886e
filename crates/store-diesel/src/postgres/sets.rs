//! Sets of rows, loaded and stored as arrays of keys or columns, which the server takes apart: one statement for a set, or
//! for several sets together. All of them stay prepared.
//!
//! Rows are found by a look-up for each key (`LATERAL … OFFSET 0`), whatever the planner believes of the table: a plan that was
//! made while it was empty would otherwise read all of it for each group when it has grown.
//!
//! Only the first array is unnested; what belongs to its rows is taken out of the others by their number. `unnest` of many arrays
//! would fill a store of its own for each of them first, which takes longer than to insert a few rows.

/// Implements `Stored` for an insertable row.
macro_rules! insert_rows {
    ($row:ident in $table:ident { $first:ident: $first_type:ty, $($column:ident: $type:ty,)* }) => {
        const _: () = {
            use crate::postgres::Db;
            use diesel::dsl::SqlTypeOf;
            use diesel::query_builder::{AstPass, QueryFragment};
            use diesel::sql_types::Array;

            #[derive(Default)]
            struct Columns {
                $first: Vec<$first_type>,
                $($column: Vec<$type>,)*
            }

            impl QueryFragment<Db> for Columns {
                fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> diesel::QueryResult<()> {
                    out.push_sql(concat!("INSERT INTO ", stringify!($table), " (", stringify!($first)));
                    $(out.push_sql(concat!(", ", stringify!($column)));)*
                    out.push_sql(") SELECT k.v");
                    $(
                        out.push_sql(", ");
                        out.push_bind_param::<Array<SqlTypeOf<$table::$column>>, _>(&self.$column)?;
                        out.push_sql("[k.i]");
                    )*
                    out.push_sql(" FROM unnest(");
                    out.push_bind_param::<Array<SqlTypeOf<$table::$first>>, _>(&self.$first)?;
                    out.push_sql(") WITH ORDINALITY AS k (v, i)");
                    Ok(())
                }
            }

            impl From<Vec<$row>> for Columns {
                fn from(rows: Vec<$row>) -> Self {
                    let mut columns = Self::default();
                    for row in rows {
                        columns.$first.push(row.$first);
                        $(columns.$column.push(row.$column);)*
                    }
                    columns
                }
            }

            impl crate::postgres::body::sets::Stored for $row {
                fn note(
                    rows: Vec<Self>,
                    changes: &mut crate::postgres::Changes<'_>,
                ) -> crate::postgres::body::errors::Outcome<()> {
                    let expected = rows.len();
                    if expected > 0 {
                        changes.add(stringify!($table), Some(expected), Columns::from(rows));
                    }
                    Ok(())
                }
            }
        };
    };
}

/// A change of rows that are there: what is set, of which row, and what must hold of it.
macro_rules! update_rows {
    (
        $(#[$doc:meta])*
        $name:ident in $table:ident {
            set { $set:ident: $set_type:ty, $($more:ident: $more_type:ty,)* }
            of { $key:ident: $key_type:ty, $($also:ident: $also_type:ty,)* }
            if $condition:literal
        }
    ) => {
        $(#[$doc])*
        pub(crate) struct $name {
            pub(crate) $set: $set_type,
            $(pub(crate) $more: $more_type,)*
            pub(crate) $key: $key_type,
            $(pub(crate) $also: $also_type,)*
        }

        const _: () = {
            use crate::postgres::Db;
            use diesel::dsl::SqlTypeOf;
            use diesel::query_builder::{AstPass, QueryFragment};
            use diesel::sql_types::Array;

            #[derive(Default)]
            struct Columns {
                $set: Vec<$set_type>,
                $($more: Vec<$more_type>,)*
                $key: Vec<$key_type>,
                $($also: Vec<$also_type>,)*
            }

            impl QueryFragment<Db> for Columns {
                fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> diesel::QueryResult<()> {
                    out.push_sql(concat!("UPDATE ", stringify!($table), " AS t SET "));
                    out.push_sql(concat!(stringify!($set), " = v.", stringify!($set)));
                    $(out.push_sql(concat!(", ", stringify!($more), " = v.", stringify!($more)));)*
                    out.push_sql(concat!(" FROM (SELECT k.v AS ", stringify!($key)));
                    $(
                        out.push_sql(", ");
                        out.push_bind_param::<Array<SqlTypeOf<$table::$also>>, _>(&self.$also)?;
                        out.push_sql(concat!("[k.i] AS ", stringify!($also)));
                    )*
                    out.push_sql(", ");
                    out.push_bind_param::<Array<SqlTypeOf<$table::$set>>, _>(&self.$set)?;
                    out.push_sql(concat!("[k.i] AS ", stringify!($set)));
                    $(
                        out.push_sql(", ");
                        out.push_bind_param::<Array<SqlTypeOf<$table::$more>>, _>(&self.$more)?;
                        out.push_sql(concat!("[k.i] AS ", stringify!($more)));
                    )*
                    out.push_sql(" FROM unnest(");
                    out.push_bind_param::<Array<SqlTypeOf<$table::$key>>, _>(&self.$key)?;
                    out.push_sql(") WITH ORDINALITY AS k (v, i)) AS v");
                    out.push_sql(concat!(" WHERE t.", stringify!($key), " = v.", stringify!($key)));
                    $(out.push_sql(concat!(" AND t.", stringify!($also), " = v.", stringify!($also)));)*
                    out.push_sql($condition);
                    Ok(())
                }
            }

            impl From<Vec<$name>> for Columns {
                fn from(rows: Vec<$name>) -> Self {
                    let mut columns = Self::default();
                    for row in rows {
                        columns.$set.push(row.$set);
                        $(columns.$more.push(row.$more);)*
                        columns.$key.push(row.$key);
                        $(columns.$also.push(row.$also);)*
                    }
                    columns
                }
            }

            impl crate::postgres::body::sets::Stored for $name {
                fn note(
                    rows: Vec<Self>,
                    changes: &mut crate::postgres::Changes<'_>,
                ) -> crate::postgres::body::errors::Outcome<()> {
                    let expected = rows.len();
                    if expected > 0 {
                        changes.add(stringify!($table), Some(expected), Columns::from(rows));
                    }
                    Ok(())
                }
            }

            impl crate::postgres::body::sets::Spread for $name {
                fn spread(
                    rows: Vec<Self>,
                    changes: &mut crate::postgres::Changes<'_>,
                ) -> crate::postgres::body::errors::Outcome<()> {
                    if !rows.is_empty() {
                        changes.add(stringify!($table), None, Columns::from(rows));
                    }
                    Ok(())
                }
            }
        };
    };
}

/// Rows of a table, and what is joined to them, by keys.
macro_rules! select_rows {
    (
        $(#[$doc:meta])*
        $name:ident: $row:ty {
            from $table:ident by { $key:ident: $key_type:ty, $($also:ident: $also_type:ty,)* }
            with $joins:literal
            order $order:literal
            lock $lock:literal
        }
    ) => {
        $(#[$doc])*
        pub(crate) struct $name {
            selection: <$row as diesel::Selectable<crate::postgres::Db>>::SelectExpression,
            $key: Vec<$key_type>,
            $($also: Vec<$also_type>,)*
        }

        const _: () = {
            use crate::postgres::together::Source;
            use crate::postgres::{Conn, Db};
            use diesel::dsl::SqlTypeOf;
            use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
            use diesel::sql_types::Array;

            impl crate::postgres::body::sets::Keyed for $name {
                type Key = ($key_type, $($also_type,)*);
                type Row = $row;

                fn by_keys(
                    keys: impl IntoIterator<Item = Self::Key>,
                    conn: &mut Conn,
                ) -> crate::postgres::body::errors::Outcome<Vec<$row>> {
                    Self::of(keys).rows(conn)
                }
            }

            impl Source for $name {
                fn of(keys: impl IntoIterator<Item = ($key_type, $($also_type,)*)>) -> Self {
                    let selection = <$row as diesel::Selectable<Db>>::construct_selection();
                    let mut all = Self { selection, $key: Vec::new(), $($also: Vec::new(),)* };
                    for ($key, $($also,)*) in keys {
                        all.$key.push($key);
                        $(all.$also.push($also);)*
                    }
                    all
                }

                fn is_empty(&self) -> bool {
                    self.$key.is_empty()
                }

                fn rows(self, conn: &mut Conn) -> crate::postgres::body::errors::Outcome<Vec<$row>> {
                    if self.$key.is_empty() {
                        return Ok(Vec::new());
                    }
                    Ok(diesel::RunQueryDsl::load::<$row>(self, conn)?)
                }

                fn walk_table<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> diesel::QueryResult<()> {
                    out.push_sql(concat!("(SELECT ", stringify!($table), ".*"));
                    self.walk_from(out.reborrow())?;
                    out.push_sql(concat!(") AS ", stringify!($table)));
                    Ok(())
                }
            }

            impl QueryFragment<Db> for $name {
                fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> diesel::QueryResult<()> {
                    out.push_sql("SELECT ");
                    self.selection.walk_ast(out.reborrow())?;
                    self.walk_from(out)
                }
            }

            impl $name {
                fn walk_from<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> diesel::QueryResult<()> {
                    out.push_sql(" FROM unnest(");
                    out.push_bind_param::<Array<SqlTypeOf<$table::$key>>, _>(&self.$key)?;
                    out.push_sql(concat!(
                        ") WITH ORDINALITY AS k (", stringify!($key), ", i) CROSS JOIN LATERAL (SELECT * FROM ",
                        stringify!($table), " AS t WHERE t.", stringify!($key), " = k.", stringify!($key)
                    ));
                    $(
                        out.push_sql(concat!(" AND t.", stringify!($also), " = "));
                        out.push_bind_param::<Array<SqlTypeOf<$table::$also>>, _>(&self.$also)?;
                        out.push_sql("[k.i]");
                    )*
                    out.push_sql(concat!(" OFFSET 0) AS ", stringify!($table)));
                    // What is asked for beside the keys goes on with AND.
                    out.push_sql(concat!($joins, " WHERE TRUE", $order, $lock));
                    Ok(())
                }
            }

            impl QueryId for $name {
                type QueryId = Self;
                const HAS_STATIC_QUERY_ID: bool = true;
            }

            impl Query for $name {
                type SqlType = SqlTypeOf<<$row as diesel::Selectable<Db>>::SelectExpression>;
            }

            impl diesel::RunQueryDsl<Conn> for $name {}
        };
    };
}
