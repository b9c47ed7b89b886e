//! Sets of rows, loaded and stored one by one: a call into SQLite is cheap, and each of these statements stays prepared.

/// Implements `Stored` for an insertable row.
macro_rules! insert_rows {
    ($row:ident in $table:ident { $($column:ident: $type:ty,)* }) => {
        impl crate::sqlite::body::sets::Stored for $row {
            fn note(
                rows: Vec<Self>,
                changes: &mut crate::sqlite::Changes<'_>,
            ) -> crate::sqlite::body::errors::Outcome<()> {
                for row in rows {
                    diesel::insert_into($table::table).values(row).execute(changes.conn())?;
                }
                Ok(())
            }
        }
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
            use crate::sqlite::{Conn, Db};
            use diesel::dsl::SqlTypeOf;
            use diesel::query_builder::{AstPass, QueryFragment, QueryId};

            impl QueryFragment<Db> for $name {
                fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> diesel::QueryResult<()> {
                    out.push_sql(concat!("UPDATE ", stringify!($table), " AS t SET ", stringify!($set), " = "));
                    out.push_bind_param::<SqlTypeOf<$table::$set>, _>(&self.$set)?;
                    $(
                        out.push_sql(concat!(", ", stringify!($more), " = "));
                        out.push_bind_param::<SqlTypeOf<$table::$more>, _>(&self.$more)?;
                    )*
                    out.push_sql(concat!(" WHERE t.", stringify!($key), " = "));
                    out.push_bind_param::<SqlTypeOf<$table::$key>, _>(&self.$key)?;
                    $(
                        out.push_sql(concat!(" AND t.", stringify!($also), " = "));
                        out.push_bind_param::<SqlTypeOf<$table::$also>, _>(&self.$also)?;
                    )*
                    out.push_sql($condition);
                    Ok(())
                }
            }

            impl QueryId for $name {
                type QueryId = Self;
                const HAS_STATIC_QUERY_ID: bool = true;
            }

            impl diesel::RunQueryDsl<Conn> for $name {}

            impl crate::sqlite::body::sets::Stored for $name {
                fn note(
                    rows: Vec<Self>,
                    changes: &mut crate::sqlite::Changes<'_>,
                ) -> crate::sqlite::body::errors::Outcome<()> {
                    for row in rows {
                        let stored = diesel::RunQueryDsl::execute(row, changes.conn())?;
                        crate::sqlite::body::errors::exactly(1, stored, stringify!($table))?;
                    }
                    Ok(())
                }
            }

            impl crate::sqlite::body::sets::Spread for $name {
                fn spread(
                    rows: Vec<Self>,
                    changes: &mut crate::sqlite::Changes<'_>,
                ) -> crate::sqlite::body::errors::Outcome<()> {
                    for row in rows {
                        diesel::RunQueryDsl::execute(row, changes.conn())?;
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
            selection: <$row as diesel::Selectable<crate::sqlite::Db>>::SelectExpression,
            $key: $key_type,
            $($also: $also_type,)*
        }

        const _: () = {
            use crate::sqlite::{Conn, Db};
            use diesel::dsl::SqlTypeOf;
            use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};

            impl crate::sqlite::body::sets::Keyed for $name {
                type Key = ($key_type, $($also_type,)*);
                type Row = $row;

                fn by_keys(
                    keys: impl IntoIterator<Item = Self::Key>,
                    conn: &mut Conn,
                ) -> crate::sqlite::body::errors::Outcome<Vec<$row>> {
                    let mut rows = Vec::new();
                    for ($key, $($also,)*) in keys {
                        let selection = <$row as diesel::Selectable<Db>>::construct_selection();
                        let one = Self { selection, $key, $($also,)* };
                        rows.extend(diesel::RunQueryDsl::load::<$row>(one, conn)?);
                    }
                    Ok(rows)
                }
            }

            impl QueryFragment<Db> for $name {
                fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> diesel::QueryResult<()> {
                    out.push_sql("SELECT ");
                    self.selection.walk_ast(out.reborrow())?;
                    out.push_sql(concat!(" FROM ", stringify!($table), $joins, " WHERE "));
                    out.push_sql(concat!(stringify!($table), ".", stringify!($key), " = "));
                    out.push_bind_param::<SqlTypeOf<$table::$key>, _>(&self.$key)?;
                    $(
                        out.push_sql(concat!(" AND ", stringify!($table), ".", stringify!($also), " = "));
                        out.push_bind_param::<SqlTypeOf<$table::$also>, _>(&self.$also)?;
                    )*
                    out.push_sql($order);
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

/// Rows of several tables that have nothing to do with each other.
macro_rules! together {
    ($(#[$doc:meta])* $name:ident { $($table:ident: $source:ty,)+ }) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl $name {
            /// Those of these keys.
            #[allow(clippy::type_complexity, reason = "a list of rows for each source")]
            pub(crate) fn load(
                $($table: impl IntoIterator<Item = <$source as crate::sqlite::body::sets::Keyed>::Key>,)+
                conn: &mut crate::sqlite::Conn,
            ) -> crate::sqlite::body::errors::Outcome<(
                $(Vec<<$source as crate::sqlite::body::sets::Keyed>::Row>,)+
            )> {
                Ok(($(<$source as crate::sqlite::body::sets::Keyed>::by_keys($table, conn)?,)+))
            }
        }
    };
}
