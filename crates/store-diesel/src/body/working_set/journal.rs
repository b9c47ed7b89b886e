//! New transactions of the journal.

use super::body::backend::Changes;
use super::body::errors::Outcome;
use super::body::names::PoolName;
use super::body::tables::money::{JournalEntryRow, JournalRow};
use super::body::types::{Account, Currency, Id, Named, Time};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::JournalTransaction;
use florin_domain::money;
use std::collections::{BTreeMap, BTreeSet};

/// New transactions of the journal.
#[derive(Default)]
pub(crate) struct Journal {
    transactions: Vec<JournalRow>,
    entries: Vec<JournalEntryRow>,
    /// The number of transactions that change each balance.
    movements: BTreeMap<BalanceKey, i64>,
}

/// Identifies a balance.
pub(super) type BalanceKey = (AccountId, BudgetId, money::Currency);

impl Journal {
    /// Stages a transaction with its entries.
    pub(crate) fn add(&mut self, journal: &JournalTransaction) {
        let budgets: BTreeSet<_> = journal.postings().iter().filter_map(|posting| posting.pool.budget()).collect();
        for budget in budgets {
            *self.movements.entry((journal.account.clone(), budget, journal.currency)).or_default() += 1;
        }
        self.transactions.push(JournalRow {
            account_id: Account(journal.account.clone()),
            id: Id(journal.id.0),
            kind: Named(journal.kind),
            cause_id: Id(journal.cause),
            currency: Currency(journal.currency),
            created_at: Time(journal.at),
            position: None,
        });
        self.entries.extend((0_i64..).zip(journal.postings()).map(|(line, posting)| JournalEntryRow {
            account_id: Account(journal.account.clone()),
            journal_id: Id(journal.id.0),
            line,
            pool: Named(PoolName::of(posting.pool)),
            budget_id: posting.pool.budget().map(|budget| Id(budget.0)),
            settled_to: posting.pool.settled_to().map(Id),
            amount_minor: posting.amount.0,
        }));
    }

    /// Returns the number of staged transactions that change each balance.
    pub(super) const fn movements(&self) -> &BTreeMap<BalanceKey, i64> {
        &self.movements
    }

    /// Whether a credit or top-up is staged.
    pub(crate) fn moves(&self) -> bool {
        self.transactions.iter().any(|row| row.kind.0.is_activity())
    }

    /// Stores the staged changes. Credits and top-ups get this position.
    pub(crate) fn store(mut self, changes: &mut Changes<'_>, position: i64) -> Outcome<()> {
        for row in self.transactions.iter_mut().filter(|row| row.kind.0.is_activity()) {
            row.position = Some(position);
        }
        changes.insert(self.transactions)?;
        changes.insert(self.entries)
    }
}
