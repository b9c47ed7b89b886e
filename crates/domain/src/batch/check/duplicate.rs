//! Detection of likely duplicates.

use crate::money::{Currency, Minor};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Finds rows with the same account, amount, currency and reference.
#[derive(Default)]
pub(super) struct Duplicates {
    /// The index of the first row with these values.
    first_rows: HashMap<(String, Currency, Minor, String), u32>,
}

impl Duplicates {
    /// Returns the index of the first row that pays this amount to this account with this reference. If there is none,
    /// remembers this row and returns `None`.
    pub(super) fn earlier(
        &mut self,
        account: String,
        (currency, amount): (Currency, Minor),
        reference: Option<&str>,
        index: u32,
    ) -> Option<u32> {
        match self.first_rows.entry((account, currency, amount, reference.unwrap_or_default().to_owned())) {
            Entry::Occupied(first) => Some(*first.get()),
            Entry::Vacant(place) => {
                place.insert(index);
                None
            }
        }
    }
}
