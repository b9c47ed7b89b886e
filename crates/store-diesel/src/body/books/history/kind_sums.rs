//! Sums of movements by kind.

use super::body::errors::{Outcome, corrupt};
use super::body::types::Named;
use florin_domain::books::{Booking, KindSum, PoolSums};
use florin_domain::ledger::JournalKind;
use florin_domain::money::Total;
use std::collections::BTreeMap;

/// The number of movements of each kind, and their sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KindSums(BTreeMap<usize, (JournalKind, i64, PoolSums)>);

/// The sum of a kind as stored: the kind, the count, and the pools. The pools are texts, because many JSON
/// parsers do not read 128-bit numbers exactly.
type Stored = (Named<JournalKind>, i64, [String; 3]);

impl KindSums {
    /// Adds a movement.
    pub(super) fn add(&mut self, booking: &Booking) {
        self.add_sum(booking.kind, 1, booking.moved);
    }

    fn add_sum(&mut self, kind: JournalKind, more: i64, moved: PoolSums) {
        let index = JournalKind::ALL.iter().position(|known| *known == kind).unwrap_or(usize::MAX);
        let (_, count, sum) = self.0.entry(index).or_insert((kind, 0, PoolSums::default()));
        *count += more;
        *sum = sum.plus(moved);
    }

    /// Returns these sums plus the other sums, kind by kind.
    pub(super) fn plus(mut self, other: &Self) -> Self {
        for (kind, count, moved) in other.0.values() {
            self.add_sum(*kind, *count, *moved);
        }
        self
    }

    /// Returns the sum of all kinds.
    pub(super) fn total(&self) -> PoolSums {
        self.0.values().fold(PoolSums::default(), |sum, (_, _, moved)| sum.plus(*moved))
    }

    /// Returns the number of movements.
    pub(super) fn count(&self) -> i64 {
        self.0.values().map(|(_, count, _)| count).sum()
    }

    /// Returns the sums in the order of [`JournalKind::ALL`].
    pub(super) fn into_list(self) -> Vec<KindSum> {
        self.0.into_values().map(|(kind, count, moved)| KindSum { kind, count, moved }).collect()
    }

    /// Returns the text to store.
    pub(super) fn text(&self) -> Outcome<String> {
        let stored = |(kind, count, moved): &(JournalKind, i64, PoolSums)| -> Stored {
            (Named(*kind), *count, [moved.available, moved.held, moved.reserved].map(|total| total.0.to_string()))
        };
        serde_json::to_string(&self.0.values().map(stored).collect::<Vec<_>>()).map_err(corrupt)
    }

    /// Reads a stored text.
    pub(super) fn read(text: &str) -> Outcome<Self> {
        let total = |text: &String| text.parse().map(Total).map_err(corrupt);
        let mut sums = Self::default();
        for (kind, count, [available, held, reserved]) in serde_json::from_str::<Vec<Stored>>(text).map_err(corrupt)? {
            let moved = PoolSums { available: total(&available)?, held: total(&held)?, reserved: total(&reserved)? };
            sums.add_sum(kind.0, count, moved);
        }
        Ok(sums)
    }
}
