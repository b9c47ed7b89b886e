//! The constraints of the tables that are declared `unchecked`. SQLite checks them when rows are stored. But another
//! program, such as its shell, does not check foreign keys unless it is told to.

use super::Conn;
use super::body::errors::Outcome;
use diesel::sql_types::Bool;
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use florin_domain::ids::AccountId;

const TABLES: [&str; 5] = ["journal_legs", "card_transactions", "card_chains", "outbox_events", "idempotency_records"];

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    found: bool,
}

/// Returns the tables that contain a row without one of its parents. Searches nothing if only the rows of one account
/// matter: the caller has just stored them.
pub(crate) fn violated_tables(conn: &mut Conn, of: Option<&AccountId>) -> Outcome<Vec<&'static str>> {
    let mut violated = Vec::new();
    if of.is_none() {
        for table in TABLES {
            let exists = format!("SELECT EXISTS (SELECT 1 FROM pragma_foreign_key_check('{table}')) AS found");
            if sql_query(exists).get_result::<Found>(conn)?.found {
                violated.push(table);
            }
        }
    }
    Ok(violated)
}
