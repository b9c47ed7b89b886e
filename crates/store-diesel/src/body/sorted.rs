//! Creates maps and sets by inserting their elements one by one.
//!
//! `collect` would sort the elements first. The code of that sort is large, and is compiled for each type of elements.

use std::collections::{BTreeMap, BTreeSet};

/// Creates a map. Of several values with one key, the last one is kept.
pub(crate) fn map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in pairs {
        map.insert(key, value);
    }
    map
}

/// Creates a set.
pub(crate) fn set<T: Ord>(elements: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    for element in elements {
        set.insert(element);
    }
    set
}
