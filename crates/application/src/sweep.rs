//! A sweep applies everything that is due, in portions.

use florin_ports::{StoreError, WriteError};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Maximum number of objects per query, in addition to the stuck objects.
pub(crate) const PORTION: u32 = 200;

/// The progress of a sweep. If the due change of an object can't be applied, the store returns the object again, ahead
/// of the others. It is skipped until the next sweep, so that it does not delay them.
pub(crate) struct Sweep<K> {
    written: usize,
    stuck: BTreeSet<K>,
}

impl<K: Ord + Clone + Debug> Sweep<K> {
    /// Begins a sweep.
    pub(crate) const fn new() -> Self {
        Self { written: 0, stuck: BTreeSet::new() }
    }

    /// The number of objects to read: a full portion in addition to the stuck objects.
    pub(crate) fn portion(&self) -> u32 {
        PORTION.saturating_add(u32::try_from(self.stuck.len()).unwrap_or(u32::MAX))
    }

    /// Removes the objects that failed in this sweep.
    pub(crate) fn without_stuck<T>(&self, mut due: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
        due.retain(|due| !self.stuck.contains(&key(due)));
        due
    }

    /// Records whether the due change of an object was applied. Returns an error, which ends the sweep, if the store is
    /// unavailable or overloaded, the client is being moved, or the outcome is unknown. Other errors are logged, and
    /// the object is skipped.
    pub(crate) fn record<R: Debug>(&mut self, key: K, result: Result<bool, WriteError<R>>) -> Result<(), StoreError> {
        match result {
            Ok(true) => self.written += 1,
            Ok(false) => {
                self.stuck.insert(key);
            }
            Err(WriteError::Store(
                error @ (StoreError::Unavailable(_)
                | StoreError::Moving(_)
                | StoreError::OutcomeUnknown(_)
                | StoreError::Overloaded),
            )) => return Err(error),
            Err(error) => {
                tracing::error!(object = ?key, ?error, "cannot apply what is due; skipping it until the next sweep");
                self.stuck.insert(key);
            }
        }
        Ok(())
    }

    /// The number of objects whose due changes were applied.
    pub(crate) const fn written(&self) -> usize {
        self.written
    }
}
