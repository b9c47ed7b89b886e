//! The macros that declare tables, and their reads and changes.

/// Declares the tables of an area, each with the struct of its whole row, in the order of an export: a table comes
/// after the tables that its rows refer to.
///
/// Each table declares the owner of its rows. The rows move with their client to another cell. `owned by account_id`
/// says that the rows belong to an account: a snapshot of a world contains them, and they are deleted with the world.
/// `owned by payments` says the same of rows that have the ids of an account's payments. `of client by`, `of account
/// by` and `of webhook by` name the column with the owner of a row, for tables that snapshots do not contain. `of
/// nobody` is for rows that do not move. Snapshots do not contain them, either.
///
/// `owned by account_id unchecked` is for the tables with the most rows. A database may leave out their foreign keys
/// and the lists of names that they accept, because such constraints cost more than storing the rows. It then locks the
/// accounts of new rows in the same statement, and `violated_tables` of the driver finds rows that violate the
/// constraints.
macro_rules! tables {
    ($(
        $(#[$doc:meta])*
        struct $row:ident in $table:ident($($key:ident),+) $($owned:ident)+ { $($columns:tt)+ }
    )+) => {
        // The modules of the tables import it from here.
        use super::body::columns::sql_of;

        $(
            super::body::tables::declare::diesel_table!($table ($($key),+) {} $($columns)+);
            super::body::tables::declare::whole_row! {
                $(#[$doc])*
                struct $row in $table($($key),+) $($owned)+ { $($columns)+ }
            }
        )+

        /// The tables of this area, in the order of an export.
        pub(super) const TABLES: &[super::table::Table] = &[$(super::table::Table::of::<$row>()),+];
    };
}

/// Declares the table for Diesel's queries. `table!` does not accept projections of types, so the SQL type is found by
/// the name of the Rust type, in `columns::sql_of`.
macro_rules! diesel_table {
    ($table:ident $key:tt {$($done:tt)*}) => {
        diesel::table! {
            use super::sql_of;
            use diesel::sql_types::{Nullable, Text};

            $table $key { $($done)* }
        }
    };
    ($table:ident $key:tt {$($done:tt)*} #[$doc:meta] $($more:tt)*) => {
        super::body::tables::declare::diesel_table!($table $key {$($done)*} $($more)*);
    };
    ($table:ident $key:tt {$($done:tt)*} $column:ident: Option<Named<$list:ident>>, $($more:tt)*) => {
        super::body::tables::declare::diesel_table!($table $key {$($done)* $column -> Nullable<Text>,} $($more)*);
    };
    ($table:ident $key:tt {$($done:tt)*} $column:ident: Named<$list:ident>, $($more:tt)*) => {
        super::body::tables::declare::diesel_table!($table $key {$($done)* $column -> Text,} $($more)*);
    };
    ($table:ident $key:tt {$($done:tt)*} $column:ident: Option<$type:ident>, $($more:tt)*) => {
        super::body::tables::declare::diesel_table!(
            $table $key {$($done)* $column -> Nullable<sql_of::$type>,} $($more)*
        );
    };
    ($table:ident $key:tt {$($done:tt)*} $column:ident: $type:ident, $($more:tt)*) => {
        super::body::tables::declare::diesel_table!($table $key {$($done)* $column -> sql_of::$type,} $($more)*);
    };
}

/// Declares the struct of a whole row, which can also be read from JSON.
macro_rules! whole_row {
    (
        $(#[$doc:meta])*
        struct $row:ident in $table:ident($($key:ident),+) $($owned:ident)+ {
            $($(#[$column_doc:meta])* $column:ident: $type:ty,)+
        }
    ) => {
        $(impl super::body::columns::DeclaredType for $table::$column {
            type Rust = $type;
        })+

        $(#[$doc])*
        #[derive(Clone, diesel::Queryable, diesel::Selectable, serde::Deserialize)]
        #[diesel(table_name = $table, check_for_backend(super::body::backend::Db))]
        #[allow(clippy::struct_field_names, reason = "these are the names of the columns")]
        pub(crate) struct $row {
            $($(#[$column_doc])* pub(crate) $column: $type,)+
        }

        impl super::body::statements::Row for $row {
            const TABLE: &'static str = stringify!($table);
            const COLUMNS: &'static [&'static str] = &[$(stringify!($column)),+];
            type Values = super::body::statements::list_type!($($type),+);

            fn unchecked_account(&self) -> Option<&super::body::types::Account> {
                super::body::tables::declare::unchecked_account!(self, $($owned)+)
            }

            fn into_values(self) -> Self::Values {
                super::body::statements::list!($(self.$column),+)
            }
        }

        impl super::table::WholeRow for $row {
            const KEY: &'static [&'static str] = &[$(stringify!($key)),+];
            const VALUES: &'static [super::body::column_values::Column] =
                &[$(super::body::column_values::Column::of::<$type>()),+];
            #[cfg(test)]
            const DECLARED: &'static [crate::columns::DeclaredColumn] = &[$(crate::columns::DeclaredColumn {
                name: stringify!($column),
                kind: <$type as super::body::columns::ColumnType>::KIND,
                nullable: <$type as super::body::columns::ColumnType>::NULLABLE,
            }),+];
            const OWNED: Option<super::table::Owned> = super::body::tables::declare::owned!($($owned)+);
            const IS_UNCHECKED: bool = super::body::tables::declare::is_unchecked!($($owned)+);
        }
    };
}

/// Expands to the kind of owner of a table's rows.
macro_rules! owned {
    (owned by account_id $(unchecked)?) => {
        Some(super::table::Owned::Account { is_reverted: true })
    };
    (owned by payments) => {
        Some(super::table::Owned::Payments)
    };
    (of account by account_id) => {
        Some(super::table::Owned::Account { is_reverted: false })
    };
    (of client by $column:ident) => {
        Some(super::table::Owned::Client(stringify!($column)))
    };
    (of webhook by webhook_id) => {
        Some(super::table::Owned::Webhook)
    };
    (of nobody) => {
        None
    };
}

/// Expands to whether a table is declared `unchecked`.
macro_rules! is_unchecked {
    (owned by account_id unchecked) => {
        true
    };
    ($($owned:ident)+) => {
        false
    };
}

/// Expands to the account of a row if its table is declared `unchecked`.
macro_rules! unchecked_account {
    ($row:expr, owned by account_id unchecked) => {
        Some(&$row.account_id)
    };
    ($row:expr, $($owned:ident)+) => {
        None
    };
}

/// Declares structs of some columns of a table, for reads that do not need the whole row.
macro_rules! parts {
    ($(
        $(#[$doc:meta])*
        struct $part:ident of $table:ident { $($column:ident,)+ }
    )+) => {$(
        $(#[$doc])*
        #[derive(diesel::Queryable, diesel::Selectable)]
        #[diesel(table_name = $table, check_for_backend(super::body::backend::Db))]
        pub(crate) struct $part {
            $(pub(crate) $column: super::body::columns::RustOf<$table::$column>,)+
        }
    )+};
}

/// Declares changes of existing rows: the columns to set, the columns that identify the rows, and a further condition
/// on the row. The condition uses `t` as the alias of the row.
///
/// With `from`, the change can be built from a whole row, and `keeping` lists the columns that it leaves as they are. A
/// new column that is in none of the three lists does not compile.
macro_rules! changes {
    ($(
        $(#[$doc:meta])*
        struct $change:ident of $table:ident {
            set { $($set:ident,)+ }
            by { $($key:ident,)+ }
            $(from $row:ident keeping { $($kept:ident,)* })?
            $(if $filter:literal)?
        }
    )+) => {$(
        $(#[$doc])*
        pub(crate) struct $change {
            $(pub(crate) $set: super::body::columns::RustOf<$table::$set>,)+
            $(pub(crate) $key: super::body::columns::RustOf<$table::$key>,)+
        }

        impl super::body::statements::Change for $change {
            const TABLE: &'static str = stringify!($table);
            const SET: &'static [&'static str] = &[$(stringify!($set)),+];
            const KEY: &'static [&'static str] = &[$(stringify!($key)),+];
            const FILTER: &'static str = concat!("" $(, " AND ", $filter)?);
            type Set = super::body::statements::list_type!($(super::body::columns::RustOf<$table::$set>),+);
            type Key = super::body::statements::list_type!($(super::body::columns::RustOf<$table::$key>),+);

            fn into_values(self) -> (Self::Set, Self::Key) {
                (super::body::statements::list!($(self.$set),+), super::body::statements::list!($(self.$key),+))
            }
        }

        super::body::tables::declare::from_row! {
            $change { $($set,)+ $($key,)+ } $(from $row keeping { $($kept,)* })?
        }
    )+};
}

/// Builds a change from a whole row, if it is declared so.
macro_rules! from_row {
    ($change:ident { $($column:ident,)+ }) => {};
    ($change:ident { $($column:ident,)+ } from $row:ident keeping { $($kept:ident,)* }) => {
        impl From<$row> for $change {
            fn from(row: $row) -> Self {
                let $row { $($column,)+ $($kept: _,)* } = row;
                Self { $($column),+ }
            }
        }
    };
}

/// Declares lookups of rows by key, with a join, a further condition, an order, and a lock.
macro_rules! lookups {
    ($(
        $(#[$doc:meta])*
        struct $lookup:ident: $row:ty {
            from $table:ident by ($($key:ident),+)
            $(join $join:literal)?
            $(filter $filter:literal)?
            $(order by $order:literal)?
            $(for $update:ident)?
        }
    )+) => {$(
        $(#[$doc])*
        pub(crate) struct $lookup;

        impl super::body::statements::Lookup for $lookup {
            const TABLE: &'static str = stringify!($table);
            const KEY: &'static [&'static str] = &[$(stringify!($key)),+];
            const JOIN: &'static str = concat!("" $(, " ", $join)?);
            const FILTER: &'static str = concat!("" $(, " AND ", $filter)?);
            const ORDER: &'static str = concat!("" $(, " ORDER BY ", $order)?);
            const LOCK: &'static str =
                concat!("" $(, super::body::tables::declare::lock!($update), stringify!($table))?);
            type Key = ($(super::body::columns::RustOf<$table::$key>,)+);
            type Row = $row;
            type Selection = <$row as diesel::Selectable<super::body::backend::Db>>::SelectExpression;
            type Sql = diesel::dsl::SqlTypeOf<Self::Selection>;

            fn selection() -> Self::Selection {
                <$row as diesel::Selectable<super::body::backend::Db>>::construct_selection()
            }

            fn run<Q>(statement: Q, conn: &mut super::body::backend::Conn) -> diesel::QueryResult<Vec<$row>>
            where
                Q: diesel::query_builder::Query<SqlType = Self::Sql>
                    + diesel::query_builder::QueryFragment<super::body::backend::Db>
                    + diesel::query_builder::QueryId
                    + diesel::RunQueryDsl<super::body::backend::Conn>
                    + 'static,
            {
                diesel::RunQueryDsl::load(statement, conn)
            }
        }
    )+};
}

/// Expands to the lock on the rows of a lookup.
macro_rules! lock {
    (update) => {
        " FOR UPDATE OF "
    };
}

pub(crate) use {
    changes, diesel_table, from_row, is_unchecked, lock, lookups, owned, parts, tables, unchecked_account, whole_row,
};
