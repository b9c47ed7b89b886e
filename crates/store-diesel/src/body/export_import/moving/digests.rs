//! Digests of the rows of each table.

use super::body::tables;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The number and the digest of the rows of a table.
#[derive(Default)]
struct Sum {
    rows: u64,
    digest: Sha256,
}

/// For each table, the number and the digest of its rows, in the order in which they were added. Comparisons leave out
/// tables whose rows accounts can share.
#[derive(Default)]
pub(super) struct Digests(BTreeMap<&'static str, Sum>);

impl Digests {
    /// Adds a row.
    pub(super) fn add(&mut self, table: &'static str, row: &str) {
        let sum = self.0.entry(table).or_default();
        sum.rows += 1;
        sum.digest.update(row.as_bytes());
        sum.digest.update(b"\n");
    }

    /// Returns the first table whose number of rows differs from its number in `rows`.
    pub(super) fn first_with_other_count(&self, rows: &BTreeMap<String, u64>) -> Option<&'static str> {
        let compared = tables::all().filter(|table| !table.is_shared()).map(|table| table.name);
        let mut compared = compared.map(|name| (name, self.0.get(name).map_or(0, |sum| sum.rows)));
        let other = compared.find(|(name, found)| rows.get(*name).copied().unwrap_or_default() != *found);
        other.map(|(name, _)| name)
    }

    /// Returns the first table whose rows differ.
    pub(super) fn first_difference(mut self, mut others: Self) -> Option<&'static str> {
        let compared = tables::all().filter(|table| !table.is_shared());
        compared.map(|table| table.name).find(|name| {
            let [one, other] = [&mut self, &mut others].map(|sums| sums.0.remove(name).unwrap_or_default());
            one.rows != other.rows || one.digest.finalize() != other.digest.finalize()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[(&'static str, &str)]) -> Digests {
        let mut digests = Digests::default();
        for (table, row) in rows {
            digests.add(table, row);
        }
        digests
    }

    #[test]
    fn every_difference_is_found() {
        let rows = [("clients", "a"), ("budgets", "b"), ("budgets", "c")];
        assert_eq!(of(&rows).first_difference(of(&rows)), None);
        assert_eq!(of(&rows).first_difference(of(&rows[..2])), Some("budgets"));
        assert_eq!(of(&rows[1..]).first_difference(of(&rows)), Some("clients"));
        assert_eq!(of(&rows).first_difference(of(&[rows[0], rows[2], rows[1]])), Some("budgets"));
        let numbers = |budgets| BTreeMap::from([("clients".to_owned(), 1), ("budgets".to_owned(), budgets)]);
        assert_eq!(of(&rows).first_with_other_count(&numbers(2)), None);
        assert_eq!(of(&rows).first_with_other_count(&numbers(3)), Some("budgets"));
    }
}
