//! The store: a lock, and the ways to read and change data under it.

use crate::data::Data;
use florin_ports::{DryRun, StoreError, WriteError, Written};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// In-memory store that implements every storage port. Clones share their data.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    data: Arc<Mutex<Data>>,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads under the lock.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Data) -> T) -> T {
        work(&self.lock())
    }

    /// Makes a change completely or not at all.
    pub(crate) fn change<T>(&self, work: impl FnOnce(&mut Data) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut data = self.lock();
        let mut copy = data.clone();
        let done = work(&mut copy)?;
        *data = copy;
        Ok(done)
    }

    /// Loads, decides and stores. A failure of the store or a panic of the rule stores nothing. With any other result,
    /// the changes are stored, even with a refusal: a refused confirmation counts its attempt.
    pub(crate) fn decide<T, R>(
        &self,
        work: impl FnOnce(&mut Data) -> Result<T, WriteError<R>>,
    ) -> Result<T, WriteError<R>> {
        let mut data = self.lock();
        let mut copy = data.clone();
        // After a failure or a panic, the partially changed copy is discarded.
        let answer = catch_panic(|| work(&mut copy));
        if !matches!(answer, Err(WriteError::Store(_))) {
            *data = copy;
        }
        answer
    }

    /// Loads and decides without storing anything: a dry run.
    pub(crate) fn dry_run<T, R>(
        &self,
        work: impl FnOnce(&Data) -> Result<DryRun<T>, WriteError<R>>,
    ) -> Result<Written<T>, WriteError<R>> {
        let data = self.lock();
        catch_panic(|| work(&data)).map(|dry_run| Written::DryRun(Box::new(dry_run)))
    }

    /// Locks the data. A panic under the lock leaves the data unchanged, because the data is replaced whole or not at
    /// all.
    fn lock(&self) -> MutexGuard<'_, Data> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports a panic of a rule as a failure of the store.
fn catch_panic<T, R>(work: impl FnOnce() -> Result<T, WriteError<R>>) -> Result<T, WriteError<R>> {
    let panicked = |_| Err(StoreError::Corrupt("a decision panicked".into()).into());
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}
