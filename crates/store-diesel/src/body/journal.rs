//! The journal, which is append-only.

use super::backend::{Changes, Conn};
use super::errors::{Outcome, corrupt};
use super::names::LedgerAccountName;
use super::tables::money::{JournalEntryRow, JournalRow, journal_entries, journal_transactions};
use super::types::{Account, Currency, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::ledger::{JournalTransaction, LedgerAccount, Posting};
use florin_domain::money::Minor;
use std::collections::BTreeMap;

/// New transactions of the journal.
#[derive(Default)]
pub(crate) struct Journal {
    transactions: Vec<JournalRow>,
    entries: Vec<JournalEntryRow>,
}

impl Journal {
    /// Stages a transaction with its entries.
    pub(crate) fn add(&mut self, journal: &JournalTransaction) {
        self.transactions.push(JournalRow {
            account_id: Account(journal.account.clone()),
            id: Id(journal.id.0),
            kind: Named(journal.kind),
            cause_id: Id(journal.cause),
            currency: Currency(journal.currency),
            created_at: Time(journal.at),
        });
        self.entries.extend((0_i64..).zip(journal.postings()).map(|(line, posting)| JournalEntryRow {
            account_id: Account(journal.account.clone()),
            journal_id: Id(journal.id.0),
            line,
            pool: Named(LedgerAccountName::of(posting.account)),
            budget_id: posting.account.budget().map(|budget| Id(budget.0)),
            amount_minor: posting.amount.0,
        }));
    }

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        changes.insert(self.transactions)?;
        changes.insert(self.entries)
    }
}

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
