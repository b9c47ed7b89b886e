//! New transactions of the journal.

use super::body::backend::Changes;
use super::body::errors::Outcome;
use super::body::names::PoolName;
use super::body::tables::money::LegRow;
use super::body::types::{Account, Currency, Id, Named, Time};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::{JournalTransaction, Pool};
use florin_domain::money;
use std::collections::{BTreeMap, BTreeSet};

/// New transactions of the journal.
#[derive(Default)]
pub(crate) struct Journal {
    legs: Vec<LegRow>,
    /// The number of transactions that change each balance.
    movements: BTreeMap<BalanceKey, i64>,
}

/// Identifies a balance.
pub(super) type BalanceKey = (AccountId, BudgetId, money::Currency);

impl Journal {
    /// Stages a transaction with its legs.
    pub(crate) fn add(&mut self, journal: &JournalTransaction) {
        let pools = journal.legs().iter().flat_map(|leg| [leg.from(), leg.to()]);
        for budget in pools.filter_map(Pool::budget).collect::<BTreeSet<_>>() {
            *self.movements.entry((journal.account.clone(), budget, journal.currency)).or_default() += 1;
        }
        let budget = |pool: Pool| pool.budget().map(|budget| Id(budget.0));
        self.legs.extend((0_i64..).zip(journal.legs()).map(|(line, leg)| LegRow {
            account_id: Account(journal.account.clone()),
            journal_id: Id(journal.id.0),
            line,
            amount_minor: leg.amount().0,
            created_at: Time(journal.at),
            position: None,
            kind: Named(journal.kind),
            cause_id: Id(journal.cause),
            currency: Currency(journal.currency),
            from_pool: Named(PoolName::of(leg.from())),
            from_budget_id: budget(leg.from()),
            to_pool: Named(PoolName::of(leg.to())),
            to_budget_id: budget(leg.to()),
            settled_to: leg.from().settled_to().or(leg.to().settled_to()).map(Id),
            number: journal.number.filter(|_| line == 0),
        }));
    }

    /// Returns the number of staged transactions that change each balance.
    pub(super) const fn movements(&self) -> &BTreeMap<BalanceKey, i64> {
        &self.movements
    }

    /// Whether a credit or top-up is staged.
    pub(crate) fn moves(&self) -> bool {
        self.legs.iter().any(|row| row.kind.0.is_activity())
    }

    /// Stores the staged changes. Credits and top-ups get this position.
    pub(crate) fn store(mut self, changes: &mut Changes<'_>, position: i64) -> Outcome<()> {
        for row in self.legs.iter_mut().filter(|row| row.line == 0 && row.kind.0.is_activity()) {
            row.position = Some(position);
        }
        changes.insert(self.legs)
    }
}
