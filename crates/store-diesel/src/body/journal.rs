//! The journal: written, never changed.

use super::backend::Changes;
use super::errors::Outcome;
use super::schema::{journal_entries, journal_transactions};
use super::sets::{Stored, rows};
use super::types::{Account, Currency, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::ledger::{JournalKind, JournalTransaction};

rows! {
    #[derive(Insertable)]
    #[diesel(table_name = journal_transactions)]
    struct TransactionRow in journal_transactions {
        account_id: Account,
        id: Id,
        kind: Named<JournalKind>,
        cause_id: Id,
        currency: Currency,
        created_at: Time,
    }

    #[derive(Insertable)]
    #[diesel(table_name = journal_entries, treat_none_as_default_value = false)]
    struct EntryRow in journal_entries {
        account_id: Account,
        journal_id: Id,
        line: i64,
        pool: &'static str,
        budget_id: Option<Id>,
        amount_minor: i64,
    }
}

/// New transactions of the journal.
#[derive(Default)]
pub(crate) struct Journal {
    transactions: Vec<TransactionRow>,
    entries: Vec<EntryRow>,
}

impl Journal {
    /// Notes a transaction with its entries.
    pub(crate) fn add(&mut self, journal: &JournalTransaction) {
        self.transactions.push(TransactionRow {
            account_id: Account(journal.account.clone()),
            id: Id(journal.id.0),
            kind: Named(journal.kind),
            cause_id: Id(journal.cause),
            currency: Currency(journal.currency),
            created_at: Time(journal.at),
        });
        self.entries.extend((0_i64..).zip(journal.postings()).map(|(line, posting)| EntryRow {
            account_id: Account(journal.account.clone()),
            journal_id: Id(journal.id.0),
            line,
            pool: posting.account.kind(),
            budget_id: posting.account.budget().map(|budget| Id(budget.0)),
            amount_minor: posting.amount.0,
        }));
    }

    /// Stores what was noted.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        TransactionRow::note(self.transactions, changes)?;
        EntryRow::note(self.entries, changes)
    }
}
