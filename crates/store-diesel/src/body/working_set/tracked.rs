//! Values that the commands of a group read and change.

use std::collections::{BTreeMap, BTreeSet};

/// Loaded values by key, and the keys of changed values.
pub(crate) struct Tracked<K, V> {
    values: BTreeMap<K, V>,
    changed: BTreeSet<K>,
}

impl<K: Ord + Clone, V> Tracked<K, V> {
    /// Returns the value, as the earlier commands of the group have left it.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    /// Adds a value that is already stored, or that other code stores.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.values.insert(key, value);
    }

    /// Stages a value. If a value is staged several times, the last one is stored.
    pub(crate) fn change(&mut self, key: K, value: V) {
        self.changed.insert(key.clone());
        self.values.insert(key, value);
    }

    /// Returns the changed values, in the order of their keys.
    pub(crate) fn into_changes(self) -> impl Iterator<Item = (K, V)> {
        let Self { mut values, changed } = self;
        changed.into_iter().filter_map(move |key| values.remove_entry(&key))
    }
}

impl<K: Ord, V> Default for Tracked<K, V> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), changed: BTreeSet::new() }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Tracked<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(values: I) -> Self {
        Self { values: values.into_iter().collect(), changed: BTreeSet::new() }
    }
}
