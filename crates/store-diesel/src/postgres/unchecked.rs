//! The constraints that PostgreSQL does not check when rows are stored, because checking them takes longer than storing
//! the rows (docs/adr/0025-unchecked-tables.md). They are the constraints of the tables that are declared `unchecked`.

use super::Conn;
use super::body::errors::Outcome;
use super::body::tables;
use super::body::tables::table::Table;
use diesel::sql_types::{Bool, Text};
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use florin_domain::ids::AccountId;

/// The tables, and the rows to which a row `t` of each refers.
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

/// Returns the tables that contain a row which violates one of these constraints: a row without one of its parents, or
/// with an unknown name. Searches the rows of all accounts, or of one.
pub(crate) fn violated_tables(conn: &mut Conn, of: Option<&AccountId>) -> Outcome<Vec<&'static str>> {
    let mut violated = Vec::new();
    for (table, parents) in PARENTS {
        // One statement for each condition, so that the planner can join the table with the parents.
        // The rows of one account all refer to that account, which exists.
        let parents = parents.iter().filter(|parent| of.is_none() || **parent != ACCOUNT);
        let without = |parent| format!("NOT EXISTS (SELECT 1 FROM {parent})");
        let mut conditions: Vec<_> = parents.map(without).collect();
        conditions.extend(tables::named(table).and_then(Table::unknown_name_condition));
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::postgres::Store;
    use crate::postgres::testing::Database;
    use diesel::Connection;
    use florin_store_contract::StoreSettings;
    use std::collections::BTreeSet;

    const WITH_FOREIGN_KEYS: &str = "SELECT DISTINCT CAST(conrelid::regclass AS TEXT) AS name FROM pg_constraint \
        WHERE contype = 'f'";

    #[derive(QueryableByName)]
    struct Name {
        #[diesel(sql_type = Text)]
        name: String,
    }

    #[test]
    fn the_unchecked_tables_have_no_foreign_keys_and_known_parents() {
        let declared: BTreeSet<_> = tables::all().filter(|table| table.is_unchecked).map(|table| table.name).collect();
        assert_eq!(PARENTS.iter().map(|(table, _)| *table).collect::<BTreeSet<_>>(), declared);
        let Some(database) = Database::new("the foreign keys") else { return };
        let settings = StoreSettings { readers: Some(1), ..StoreSettings::at(database.url()) };
        let store = Store::open(&settings).unwrap();
        store.migrate().unwrap();
        let mut conn = Conn::establish(&database.url()).unwrap();
        let found: Vec<Name> = sql_query(WITH_FOREIGN_KEYS).load(&mut conn).unwrap();
        let with_foreign_keys: BTreeSet<_> = found.iter().map(|table| table.name.as_str()).collect();
        let of_accounts = tables::all().filter(|table| table.is_reverted() && !table.is_shared());
        let without: BTreeSet<_> =
            of_accounts.map(|table| table.name).filter(|table| !with_foreign_keys.contains(table)).collect();
        assert_eq!(without, declared);
        store.close();
    }
}
