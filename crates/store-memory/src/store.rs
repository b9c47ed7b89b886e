//! The store: a lock, and the two ways to make a change under it.

use crate::data::Data;
use florin_ports::{DryRun, StoreError, WriteError, Written};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store in memory: implements every storage port. Clones share their data.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    data: Arc<Mutex<Data>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// What happened so far, in the order in which it was stored. No port reads it: it is for tests.
    pub fn events(&self) -> Vec<florin_domain::event::Event> {
        self.read(|data| data.events.clone())
    }

    /// Reads under the lock.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Data) -> T) -> T {
        work(&self.lock())
    }

    /// Makes a change, all of it or nothing.
    pub(crate) fn change<T>(&self, work: impl FnOnce(&mut Data) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut data = self.lock();
        let mut copy = data.clone();
        let done = work(&mut copy)?;
        *data = copy;
        Ok(done)
    }

    /// Loads, decides, stores. A failure of the store, or a panic of the rule, leaves nothing; every other end is an
    /// answer, and what was written up to it is kept: a refused confirmation counts its attempt.
    pub(crate) fn decide<T, R>(
        &self,
        work: impl FnOnce(&mut Data) -> Result<T, WriteError<R>>,
    ) -> Result<T, WriteError<R>> {
        let mut data = self.lock();
        let mut copy = data.clone();
        // Nothing of a half-made copy is seen again.
        let answer = careful(|| work(&mut copy));
        if !matches!(answer, Err(WriteError::Store(_))) {
            *data = copy;
        }
        answer
    }

    /// Loads and decides, and stores nothing: a dry run.
    pub(crate) fn dry_run<T, R>(
        &self,
        work: impl FnOnce(&Data) -> Result<DryRun<T>, WriteError<R>>,
    ) -> Result<Written<T>, WriteError<R>> {
        let data = self.lock();
        careful(|| work(&data)).map(|dry_run| Written::DryRun(Box::new(dry_run)))
    }

    /// A panic under the lock leaves the data as it was: it is replaced whole, or not at all.
    fn lock(&self) -> MutexGuard<'_, Data> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A rule that panics is a failure of the store.
fn careful<T, R>(work: impl FnOnce() -> Result<T, WriteError<R>>) -> Result<T, WriteError<R>> {
    let panicked = |_| Err(StoreError::Corrupt("a decision panicked".into()).into());
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}
