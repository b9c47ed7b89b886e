//! The locks that a group acquires before everything else. One statement locks the rows of one kind, in the same order
//! in all instances, so that the groups of two instances do not deadlock. The body locks the kinds sequentially.
//!
//! A row that does not exist yet can't be locked. A deadlock may result, and the group is retried.

use super::Conn;
use super::body::errors::Outcome;
use super::body::footprint::{Footprint, Key};
use super::body::statements::identified_by_text;
use super::body::tables::money::BalanceRow;
use super::body::tables::service::{RecordRow, RecordsByKey};
use super::body::tables::webhooks::webhooks;
use super::body::types::{Account, Id};
use super::lookups::Select;
use diesel::dsl::SqlTypeOf;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_query;
use diesel::sql_types::{Array, Text, Uuid as UuidSql};
use std::collections::BTreeSet;

/// Operators' changes are rare and may change anything, so instances serialize them.
const OPERATOR: &str = "SELECT pg_advisory_xact_lock(7003214872)";

/// The rows that lead to budgets: cards, messages, batches, and budget keys themselves. The budget that pays never
/// changes, so the locking statement can look it up.
const SOURCES: [(&str, &str); 4] = [
    (
        "SELECT t.account_id, t.budget_id FROM unnest(",
        ") AS k (account_id, id) CROSS JOIN LATERAL (SELECT * FROM cards AS t \
            WHERE t.account_id = k.account_id AND t.id = k.id OFFSET 0) AS t",
    ),
    (
        "SELECT t.account_id, t.budget_id FROM unnest(",
        ") AS k (account_id, id) CROSS JOIN LATERAL (SELECT * FROM card_transactions AS t \
            WHERE t.account_id = k.account_id AND t.token = k.id OFFSET 0) AS t",
    ),
    (
        "SELECT t.account_id, t.budget_id FROM unnest(",
        ") AS k (account_id, id) CROSS JOIN LATERAL (SELECT * FROM payment_orders AS t \
            WHERE t.account_id = k.account_id AND t.batch_id = k.id OFFSET 0) AS t",
    ),
    ("SELECT k.account_id, k.id AS budget_id FROM unnest(", ") AS k (account_id, id)"),
];

const BALANCES: &str = ") AS s) AS b JOIN balances \
    ON balances.account_id = b.account_id AND balances.budget_id = b.budget_id \
    ORDER BY balances.account_id, balances.budget_id, balances.currency FOR UPDATE OF balances) AS balances";

/// Serializes changes of operators until the end of the transaction.
pub(crate) fn lock_operators(conn: &mut Conn) -> Outcome<()> {
    sql_query(OPERATOR).execute(conn)?;
    Ok(())
}

/// Locks the given subscriptions that exist and that no other transaction has locked, and returns their ids.
pub(crate) fn lock_free_webhooks(conn: &mut Conn, ids: BTreeSet<Id>) -> Outcome<BTreeSet<Id>> {
    let rows = webhooks::table.filter(webhooks::id.eq_any(ids.into_iter().collect::<Vec<_>>()));
    let rows = rows.order(webhooks::id).select(webhooks::id).for_update().skip_locked();
    Ok(rows.load::<Id>(conn)?.into_iter().collect())
}

/// Locks and loads all balances of the budgets that a group needs, and loads its idempotency records with them.
///
/// No lock guards records. If another instance stores a record under the same key meanwhile, storing the group fails on
/// that key.
pub(crate) fn lock_balances(conn: &mut Conn, footprint: &Footprint) -> Outcome<(Vec<BalanceRow>, Vec<RecordRow>)> {
    let keys = [&footprint.cards, &footprint.messages, &footprint.funded, &footprint.budgets];
    let sources = SOURCES.into_iter().zip(keys).filter(|(_, keys)| !keys.is_empty());
    let balances = LockBalances(sources.map(|(sql, keys)| Keys::of(sql, keys)).collect());
    let records = Select::<RecordsByKey>::of(footprint.records.iter().cloned());
    if balances.0.is_empty() {
        return Ok((Vec::new(), records.rows(conn)?));
    }
    let all = BalancesAndRecords {
        selection: <BalanceAndRecord as Selectable<Pg>>::construct_selection(),
        balances,
        records,
    };
    let (balances, records): (Vec<_>, Vec<Option<RecordRow>>) =
        all.load::<BalanceAndRecord>(conn)?.into_iter().collect();
    Ok((balances.into_iter().flatten().collect(), records.into_iter().flatten().collect()))
}

/// Keys as two arrays, and the SQL around them.
struct Keys {
    sql: (&'static str, &'static str),
    accounts: Vec<Account>,
    ids: Vec<Id>,
}

impl Keys {
    fn of(sql: (&'static str, &'static str), keys: &BTreeSet<Key>) -> Self {
        let (accounts, ids) = keys.iter().cloned().unzip();
        Self { sql, accounts, ids }
    }
}

/// Locks all balances of the budgets that are named, or that pay for named rows.
struct LockBalances(Vec<Keys>);

impl LockBalances {
    fn walk_table<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let mut before = "(SELECT balances.* FROM (SELECT DISTINCT s.account_id, s.budget_id FROM (";
        for Keys { sql: (before_keys, after_keys), accounts, ids } in &self.0 {
            out.push_sql(before);
            out.push_sql(before_keys);
            out.push_bind_param::<Array<Text>, _>(accounts)?;
            out.push_sql(", ");
            out.push_bind_param::<Array<UuidSql>, _>(ids)?;
            out.push_sql(after_keys);
            before = " UNION ALL ";
        }
        out.push_sql(BALANCES);
        Ok(())
    }
}

type BalanceAndRecord = (Option<BalanceRow>, Option<RecordRow>);

/// Selects balances and records with one statement, and so in one round trip.
struct BalancesAndRecords {
    selection: <BalanceAndRecord as Selectable<Pg>>::SelectExpression,
    balances: LockBalances,
    records: Select<RecordsByKey>,
}

impl QueryFragment<Pg> for BalancesAndRecords {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        self.selection.walk_ast(out.reborrow())?;
        out.push_sql(" FROM ");
        self.balances.walk_table(out.reborrow())?;
        out.push_sql(" FULL JOIN ");
        self.records.walk_table(out.reborrow())?;
        out.push_sql(" ON FALSE");
        Ok(())
    }
}

// Identified by text: each choice of sources has its own form.
identified_by_text! {
    BalancesAndRecords => SqlTypeOf<<BalanceAndRecord as Selectable<Pg>>::SelectExpression>;
}
