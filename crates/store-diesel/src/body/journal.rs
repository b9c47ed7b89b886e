//! The journal, which is append-only.

use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::names::PoolName;
use super::tables::money::{JournalRow, journal_entries, journal_transactions};
use super::types::{Id, Named};
use diesel::prelude::*;
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::ledger::{JournalTransaction, Pool, Posting};
use florin_domain::money::Minor;
use std::collections::BTreeMap;

/// Returns transactions of an account, by id.
pub(crate) fn load(conn: &mut Conn, account: &AccountId, ids: &[Id]) -> Outcome<Vec<JournalTransaction>> {
    let transactions = journal_transactions::table
        .filter(journal_transactions::account_id.eq(account.as_str()))
        .filter(journal_transactions::id.eq_any(ids))
        .order(journal_transactions::id)
        .select(JournalRow::as_select())
        .load(conn)?;
    let entries = journal_entries::table
        .filter(journal_entries::account_id.eq(account.as_str()))
        .filter(journal_entries::journal_id.eq_any(ids))
        .order((journal_entries::journal_id, journal_entries::line))
        .select((
            journal_entries::journal_id,
            journal_entries::pool,
            journal_entries::budget_id,
            journal_entries::settled_to,
            journal_entries::amount_minor,
        ))
        .load::<(Id, Named<PoolName>, Option<Id>, Option<Id>, i64)>(conn)?;
    let mut postings: BTreeMap<Id, Vec<Posting>> = BTreeMap::new();
    for (journal, pool, budget, settled_to, amount) in entries {
        let name = pool.0.0;
        let pool = Pool::named(name, budget.map(|budget| BudgetId(budget.0)), settled_to.map(|id| id.0));
        let pool = pool.ok_or_else(|| corrupt(format!("`{name}` is not a pool of its owner")))?;
        postings.entry(journal).or_default().push(Posting { pool, amount: Minor(amount) });
    }
    let transaction = |row: JournalRow| {
        let (id, cause) = (JournalId(row.id.0), (row.kind.0, row.cause_id.0));
        let postings = postings.remove(&row.id).unwrap_or_default();
        JournalTransaction::new(id, row.account_id.0, cause, row.currency.0, row.created_at.0, postings)
            .map_err(corrupt)
    };
    transactions.into_iter().map(transaction).collect()
}
