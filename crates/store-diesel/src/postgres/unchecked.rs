//! The constraints that PostgreSQL does not check when rows are stored, because checking them takes longer than storing
//! the rows (docs/adr/0025-unchecked-tables.md). They are those of the tables that are declared `unchecked`.

use super::Conn;
use super::body::errors::Outcome;
use super::body::tables;
use diesel::sql_types::{Bool, Text};
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use florin_domain::ids::AccountId;

/// The rows that a row `t` of each table refers to.
const PARENTS: [(&str, &[&str]); 5] = [
    ("journal_legs", &[ACCOUNT]),
    ("card_transactions", &["cards AS p WHERE p.account_id = t.account_id AND p.id = t.card_id"]),
    (
        "card_chains",
        &[
            "card_transactions AS p WHERE p.account_id = t.account_id AND p.token = t.id",
            "balances AS p WHERE p.account_id = t.account_id AND p.budget_id = t.budget_id AND p.currency = t.currency",
        ],
    ),
    ("outbox_events", &[ACCOUNT]),
    ("idempotency_records", &[ACCOUNT]),
];
const ACCOUNT: &str = "accounts AS p WHERE p.id = t.account_id";

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    found: bool,
}

/// Returns the tables that contain a row which violates such a constraint: a row without one of its parents, or with an
/// unknown name. Searches the rows of all accounts, or of one.
pub(crate) fn violated_tables(conn: &mut Conn, of: Option<&AccountId>) -> Outcome<Vec<&'static str>> {
    let mut violated = Vec::new();
    for (table, parents) in PARENTS {
        // One statement for each condition, so that the planner can join the table with the parents.
        let without = |parent| format!("NOT EXISTS (SELECT 1 FROM {parent})");
        let mut conditions: Vec<_> = parents.iter().map(without).collect();
        conditions.extend(tables::named(table).and_then(|table| table.has_unknown_name()));
        for condition in conditions {
            if exists(conn, table, &condition, of)? {
                violated.push(table);
                break;
            }
        }
    }
    Ok(violated)
}

/// Whether a row `t` of the table meets the condition.
fn exists(conn: &mut Conn, table: &str, condition: &str, of: Option<&AccountId>) -> Outcome<bool> {
    let statement = match of {
        Some(_) => {
            format!("SELECT EXISTS (SELECT 1 FROM {table} AS t WHERE t.account_id = $1 AND ({condition})) AS found")
        }
        None => format!("SELECT EXISTS (SELECT 1 FROM {table} AS t WHERE {condition}) AS found"),
    };
    let found: Found = match of {
        Some(account) => sql_query(statement).bind::<Text, _>(account.as_str()).get_result(conn)?,
        None => sql_query(statement).get_result(conn)?,
    };
    Ok(found.found)
}
