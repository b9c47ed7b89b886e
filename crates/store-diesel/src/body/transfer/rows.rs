//! What an export has of every table.

use super::super::backend::Conn;
use super::super::errors::Outcome;
use crate::transfer::TransferError;
use florin_ports::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The rows of a table.
pub(super) trait Rows: Serialize + DeserializeOwned {
    const TABLE: &'static str;

    /// Gives away every row in the order of keys, one at a time.
    fn each(conn: &mut Conn, take: &mut dyn FnMut(Self) -> Outcome<()>) -> Outcome<()>;

    fn insert(conn: &mut Conn, rows: &[Self]) -> Outcome<()>;

    fn count(conn: &mut Conn) -> Outcome<i64>;

    fn is_empty(conn: &mut Conn) -> Outcome<bool>;
}

/// A row on its way in: the number of its line, and its JSON.
pub(super) type Waiting = (u64, String);

/// What takes a row on its way out, as JSON.
pub(super) type Take<'a> = &'a mut dyn FnMut(&str) -> Outcome<()>;

/// A table, whatever its rows.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) export: fn(&mut Conn, Take<'_>) -> Outcome<()>,
    pub(super) import: fn(&mut Conn, &[Waiting]) -> Result<(), TransferError>,
    pub(super) count: fn(&mut Conn) -> Outcome<i64>,
    pub(super) is_empty: fn(&mut Conn) -> Outcome<bool>,
}

impl Table {
    pub(super) const fn of<R: Rows>() -> Self {
        Self { name: R::TABLE, export: export::<R>, import: import::<R>, count: R::count, is_empty: R::is_empty }
    }
}

fn export<R: Rows>(conn: &mut Conn, take: Take<'_>) -> Outcome<()> {
    R::each(conn, &mut |row| take(&serde_json::to_string(&row).map_err(super::super::errors::corrupt)?))
}

fn import<R: Rows>(conn: &mut Conn, rows: &[Waiting]) -> Result<(), TransferError> {
    let read = |(line, json): &Waiting| {
        serde_json::from_str(json).map_err(|error| TransferError::Line { line: *line, reason: error.to_string() })
    };
    let rows = rows.iter().map(read).collect::<Result<Vec<R>, _>>()?;
    Ok(R::insert(conn, &rows).map_err(StoreError::from)?)
}

/// Declares the rows of tables: all columns in the order of the schema, or it does not compile.
macro_rules! rows {
    ($($row:ident of $table:ident { $($(#[$how:meta])* $column:ident: $type:ty,)* })*) => {$(
        #[derive(serde::Serialize, serde::Deserialize, diesel::Queryable, diesel::Insertable)]
        #[serde(deny_unknown_fields)]
        #[allow(clippy::struct_field_names, reason = "these are the columns' names")]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        pub(super) struct $row {
            $($(#[$how])* $column: $type,)*
        }

        impl super::rows::Rows for $row {
            const TABLE: &'static str = stringify!($table);

            fn each(conn: &mut Conn, take: &mut dyn FnMut(Self) -> Outcome<()>) -> Outcome<()> {
                let query = $table::table.order($table::table.primary_key());
                for row in query.load_iter::<Self, RowByRow>(conn)? {
                    take(row?)?;
                }
                Ok(())
            }

            fn insert(conn: &mut Conn, rows: &[Self]) -> Outcome<()> {
                diesel::insert_into($table::table).values(rows).execute(conn)?;
                Ok(())
            }

            fn count(conn: &mut Conn) -> Outcome<i64> {
                Ok($table::table.count().get_result(conn)?)
            }

            fn is_empty(conn: &mut Conn) -> Outcome<bool> {
                let rows = diesel::query_builder::AsQuery::as_query($table::table);
                let any: bool = diesel::select(diesel::dsl::exists(rows)).get_result(conn)?;
                Ok(!any)
            }
        }
    )*};
}

pub(super) use rows;
