//! Values as the commands of a group read and change them.

use std::collections::{BTreeMap, BTreeSet};

/// Values by key that were loaded, and which of them were changed.
pub(crate) struct Tracked<K, V> {
    values: BTreeMap<K, V>,
    changed: BTreeSet<K>,
}

impl<K: Ord + Clone, V> Tracked<K, V> {
    /// The value, as the commands so far have left it.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    /// Adds a value that is stored already, or is going to be stored by other means.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.values.insert(key, value);
    }

    /// Changes a value. Of several changes of one value the last is stored.
    pub(crate) fn change(&mut self, key: K, value: V) {
        self.changed.insert(key.clone());
        self.values.insert(key, value);
    }

    /// The changed values, in the order of their keys.
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
