//! The journal, which is append-only.

use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::names::LedgerAccountName;
use super::tables::money::{JournalRow, journal_entries, journal_transactions};
use super::types::{Id, Named};
use diesel::prelude::*;
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::ledger::{JournalTransaction, LedgerAccount, Posting};
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
            journal_entries::amount_minor,
        ))
        .load::<(Id, Named<LedgerAccountName>, Option<Id>, i64)>(conn)?;
    let mut postings: BTreeMap<Id, Vec<Posting>> = BTreeMap::new();
    for (journal, pool, budget, amount) in entries {
        let account = LedgerAccount::named(pool.0.0, budget.map(|budget| BudgetId(budget.0)));
        let account =
            account.ok_or_else(|| corrupt(format!("`{}` is not a ledger account of its budget", pool.0.0)))?;
        postings.entry(journal).or_default().push(Posting { account, amount: Minor(amount) });
    }
    let transaction = |row: JournalRow| {
        let (id, cause) = (JournalId(row.id.0), (row.kind.0, row.cause_id.0));
        let postings = postings.remove(&row.id).unwrap_or_default();
        JournalTransaction::new(id, row.account_id.0, cause, row.currency.0, row.created_at.0, postings)
            .map_err(corrupt)
    };
    transactions.into_iter().map(transaction).collect()
}
