//! Locks that come before everything else: rows of one kind are locked by one statement, in one order for all instances, so
//! that groups of two instances wait for each other in turn and never in a ring. The body asks for one kind after the other.
//!
//! What is not there yet can't be locked: then a deadlock may happen, and is tried again.

use super::Conn;
use super::body::balances::BalanceRow;
use super::body::errors::Outcome;
use super::body::group::{Key, Needs};
use super::body::types::{Account, Id};
use diesel::dsl::SqlTypeOf;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_query;
use diesel::sql_types::{Array, Text, Uuid as UuidSql};
use std::collections::BTreeSet;

/// Operators' changes are seldom and may touch anything: instances make them one after the other.
const OPERATOR: &str = "SELECT pg_advisory_xact_lock(7003214872)";

/// Which budgets are touched follows from what is never changed, so it can be looked up in the statement that locks them.
const BUDGETS: [&str; 4] = [
    " FROM (SELECT t.account_id, t.budget_id FROM unnest(",
    ") AS k (account_id, id) JOIN cards AS t ON t.account_id = k.account_id AND t.id = k.id \
        UNION SELECT t.account_id, t.budget_id FROM unnest(",
    ") AS k (account_id, id) JOIN card_transactions AS t ON t.account_id = k.account_id AND t.token = k.id \
        UNION SELECT t.account_id, t.budget_id FROM unnest(",
    ") AS k (account_id, id) JOIN payment_orders AS t ON t.account_id = k.account_id AND t.batch_id = k.id \
        UNION SELECT k.account_id, k.id FROM unnest(",
];

const BALANCES: &str = ") AS k (account_id, id)) AS b JOIN balances \
    ON balances.account_id = b.account_id AND balances.budget_id = b.budget_id \
    ORDER BY balances.account_id, balances.budget_id, balances.currency FOR UPDATE OF balances";

/// Lets operators' changes come one after the other.
pub(crate) fn lock_operators(conn: &mut Conn) -> Outcome<()> {
    sql_query(OPERATOR).execute(conn)?;
    Ok(())
}

/// Locks and loads all balances of the budgets that are needed.
pub(crate) fn lock_balances(conn: &mut Conn, needs: &Needs) -> Outcome<Vec<BalanceRow>> {
    let sources = [&needs.cards, &needs.messages, &needs.funded, &needs.budgets];
    if sources.iter().all(|keys| keys.is_empty()) {
        return Ok(Vec::new());
    }
    let selection = <BalanceRow as Selectable<Pg>>::construct_selection();
    Ok(LockBalances { selection, sources: sources.map(Keys::from) }.load(conn)?)
}

/// Keys as two arrays.
struct Keys {
    accounts: Vec<Account>,
    ids: Vec<Id>,
}

impl From<&BTreeSet<Key>> for Keys {
    fn from(keys: &BTreeSet<Key>) -> Self {
        let (accounts, ids) = keys.iter().cloned().unzip();
        Self { accounts, ids }
    }
}

/// Locks all balances of budgets that are named, or pay for what is named.
struct LockBalances {
    selection: <BalanceRow as Selectable<Pg>>::SelectExpression,
    sources: [Keys; 4],
}

impl QueryFragment<Pg> for LockBalances {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        self.selection.walk_ast(out.reborrow())?;
        for (sql, Keys { accounts, ids }) in BUDGETS.iter().zip(&self.sources) {
            out.push_sql(sql);
            out.push_bind_param::<Array<Text>, _>(accounts)?;
            out.push_sql(", ");
            out.push_bind_param::<Array<UuidSql>, _>(ids)?;
        }
        out.push_sql(BALANCES);
        Ok(())
    }
}

impl QueryId for LockBalances {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for LockBalances {
    type SqlType = SqlTypeOf<<BalanceRow as Selectable<Pg>>::SelectExpression>;
}

impl RunQueryDsl<Conn> for LockBalances {}
