//! New transactions of the journal.

use super::balances::BalanceKey;
use super::body::backend::Changes;
use super::body::errors::Outcome;
use super::body::tables::money::LegRow;
use super::hash_chains::HashChains;
use florin_domain::ids::AccountId;
use florin_domain::ledger::{JournalLine, JournalTransaction, Pool};
use std::collections::{BTreeMap, BTreeSet};

/// New transactions of the journal.
#[derive(Default)]
pub(crate) struct Journal {
    /// The lines in the order in which they were decided, each with its account.
    lines: Vec<(AccountId, JournalLine)>,
    /// The number of transactions that change each balance.
    movements: BTreeMap<BalanceKey, i64>,
}

impl Journal {
    /// Stages a transaction with its legs.
    pub(crate) fn add(&mut self, journal: &JournalTransaction) {
        let pools = journal.legs().iter().flat_map(|leg| [leg.from(), leg.to()]);
        for budget in pools.filter_map(Pool::budget).collect::<BTreeSet<_>>() {
            *self.movements.entry((journal.account.clone(), budget, journal.currency)).or_default() += 1;
        }
        self.lines.extend(journal.lines().map(|line| (journal.account.clone(), line)));
    }

    /// Returns the number of staged transactions that change each balance.
    pub(super) const fn movements(&self) -> &BTreeMap<BalanceKey, i64> {
        &self.movements
    }

    /// Whether a staged transaction is a row of activity itself: a credit or top-up.
    pub(crate) fn changes_activity(&self) -> bool {
        self.lines.iter().any(|(_, line)| line.kind.is_activity())
    }

    /// Stores the staged changes, each leg as the next link of its hash chains. Credits and top-ups get this position.
    pub(super) fn store(self, changes: &mut Changes<'_>, position: i64, chains: &mut HashChains<'_>) -> Outcome<()> {
        let row = |(account, line): (AccountId, JournalLine)| {
            let links = chains.append(&account, &line)?;
            Ok(LegRow::of(account, &line, links, position))
        };
        changes.insert(self.lines.into_iter().map(row).collect::<Outcome<_>>()?)
    }
}
