//! Sweeps of due work in portions, until nothing is left but what can't be done.

use florin_ports::{StoreError, WriteError};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Maximum number of objects per query.
pub(crate) const PORTION: u32 = 200;

/// A sweep. An object that can't be settled is still due, so the store returns it first again: it is skipped until the next
/// sweep, and does not delay the others.
pub(crate) struct Sweep<K> {
    written: usize,
    stuck: BTreeSet<K>,
}

impl<K: Ord + Clone + Debug> Sweep<K> {
    /// Begins a sweep.
    pub(crate) const fn new() -> Self {
        Self { written: 0, stuck: BTreeSet::new() }
    }

    /// The number of objects to ask for.
    pub(crate) fn portion(&self) -> u32 {
        PORTION.saturating_add(u32::try_from(self.stuck.len()).unwrap_or(u32::MAX))
    }

    /// Keeps the objects that have not failed in this sweep.
    pub(crate) fn without_stuck<T>(&self, mut due: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
        due.retain(|due| !self.stuck.contains(&key(due)));
        due
    }

    /// Records the result of an object: whether it was settled. An error means that the store is unavailable or overloaded, which ends the sweep.
    pub(crate) fn record<R: Debug>(&mut self, key: K, result: Result<bool, WriteError<R>>) -> Result<(), StoreError> {
        match result {
            Ok(true) => self.written += 1,
            Ok(false) => {
                self.stuck.insert(key);
            }
            Err(WriteError::Store(
                error @ (StoreError::Unavailable(_) | StoreError::OutcomeUnknown(_) | StoreError::Overloaded),
            )) => return Err(error),
            Err(error) => {
                tracing::error!(object = ?key, ?error, "cannot settle what is due; skipping it until the next sweep");
                self.stuck.insert(key);
            }
        }
        Ok(())
    }

    /// The number of objects that were settled.
    pub(crate) const fn written(&self) -> usize {
        self.written
    }
}
