//! The constraints of the tables that are declared `unchecked`. SQLite checks them when Florin stores rows. Other
//! programs, such as the `sqlite3` shell, check foreign keys only if `PRAGMA foreign_keys` is on.

use super::Conn;
use super::body::errors::Outcome;
use super::body::tables;
use diesel::sql_types::Bool;
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use florin_domain::ids::AccountId;

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    found: bool,
}

/// Returns the tables that contain a row without one of its parents. Searches nothing for one account: SQLite has
/// checked its rows, unless another program stored them.
pub(crate) fn violated_tables(conn: &mut Conn, of: Option<&AccountId>) -> Outcome<Vec<&'static str>> {
    let mut violated = Vec::new();
    if of.is_none() {
        for table in tables::all().filter(|table| table.is_unchecked) {
            let exists = format!("SELECT EXISTS (SELECT 1 FROM pragma_foreign_key_check('{}')) AS found", table.name);
            if sql_query(exists).get_result::<Found>(conn)?.found {
                violated.push(table.name);
            }
        }
    }
    Ok(violated)
}
