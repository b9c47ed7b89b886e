//! What an export has of every table.

use super::super::backend::Conn;
use super::super::errors::{Outcome, Stop};
use florin_store_contract::ExportError;
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

    /// Whether its rows stand on an account, are kept in a snapshot of a world, and put back.
    const OF_WORLDS: bool;

    /// The rows of an account in the order of keys.
    fn of_account(_conn: &mut Conn, _account: &str) -> Outcome<Vec<Self>> {
        Ok(Vec::new())
    }

    /// Deletes the rows of an account.
    fn clear(_conn: &mut Conn, _account: &str) -> Outcome<()> {
        Ok(())
    }
}

/// A row on its way in: the number of its line, and its JSON.
pub(super) type Waiting = (u64, String);

/// What takes a row on its way out, as JSON.
pub(super) type Take<'a> = &'a mut dyn FnMut(&str) -> Outcome<()>;

/// A table, whatever its rows.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) export: fn(&mut Conn, Take<'_>) -> Outcome<()>,
    pub(super) import: fn(&mut Conn, &[Waiting]) -> Result<(), Stop<ExportError>>,
    pub(super) count: fn(&mut Conn) -> Outcome<i64>,
    pub(super) is_empty: fn(&mut Conn) -> Outcome<bool>,
    /// Gives away the rows of an account, where the table is part of worlds.
    pub(super) of_account: Option<OfAccount>,
    /// Deletes them.
    pub(super) clear: Option<fn(&mut Conn, &str) -> Outcome<()>>,
}

type OfAccount = fn(&mut Conn, &str, Take<'_>) -> Outcome<()>;

impl Table {
    pub(super) const fn of<R: Rows>() -> Self {
        Self {
            name: R::TABLE,
            export: export::<R>,
            import: import::<R>,
            count: R::count,
            is_empty: R::is_empty,
            of_account: if R::OF_WORLDS { Some(of_account::<R>) } else { None },
            clear: if R::OF_WORLDS { Some(R::clear) } else { None },
        }
    }
}

fn export<R: Rows>(conn: &mut Conn, take: Take<'_>) -> Outcome<()> {
    R::each(conn, &mut |row| take(&serde_json::to_string(&row).map_err(super::super::errors::corrupt)?))
}

fn of_account<R: Rows>(conn: &mut Conn, account: &str, take: Take<'_>) -> Outcome<()> {
    for row in R::of_account(conn, account)? {
        take(&serde_json::to_string(&row).map_err(super::super::errors::corrupt)?)?;
    }
    Ok(())
}

fn import<R: Rows>(conn: &mut Conn, rows: &[Waiting]) -> Result<(), Stop<ExportError>> {
    let read = |(line, json): &Waiting| {
        serde_json::from_str(json).map_err(|error| ExportError::Line { line: *line, reason: error.to_string() })
    };
    let rows = rows.iter().map(read).collect::<Result<Vec<R>, ExportError>>()?;
    Ok(R::insert(conn, &rows)?)
}

/// Declares the rows of tables: all columns in the order of the schema, or it does not compile. A table is part of worlds: it has an
/// `account_id`, and its rows are kept in snapshots and put back; one that is not says `apart`.
macro_rules! rows {
    (@world $table:ident) => {
        const OF_WORLDS: bool = true;

        fn of_account(conn: &mut Conn, account: &str) -> Outcome<Vec<Self>> {
            let rows = $table::table.filter($table::account_id.eq(account)).order($table::table.primary_key());
            Ok(rows.load::<Self>(conn)?)
        }

        fn clear(conn: &mut Conn, account: &str) -> Outcome<()> {
            diesel::delete($table::table.filter($table::account_id.eq(account))).execute(conn)?;
            Ok(())
        }
    };
    (@world $table:ident apart) => {
        const OF_WORLDS: bool = false;
    };
    ($($row:ident of $table:ident $($apart:ident)? { $($(#[$how:meta])* $column:ident: $type:ty,)* })*) => {$(
        #[derive(serde::Serialize, serde::Deserialize, diesel::Queryable, diesel::Insertable)]
        #[serde(deny_unknown_fields)]
        #[allow(clippy::struct_field_names, reason = "these are the columns' names")]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        pub(super) struct $row {
            $($(#[$how])* $column: $type,)*
        }

        impl super::rows::Rows for $row {
            const TABLE: &'static str = stringify!($table);

            rows!(@world $table $($apart)?);

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
