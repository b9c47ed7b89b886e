//! Calls to several cells.

use crate::Cells;
use crate::cells::{Cell, Store};
use florin_ports::StoreError;
use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::sync::Arc;

impl Cells {
    /// Asks all cells at the same time. Returns all answers, in the order of the cells, or the first failure, after all
    /// have answered. A cell that could not be opened is a failure, too.
    pub(crate) async fn ask_all<T, F>(&self, ask: impl Fn(Store) -> F) -> Result<Vec<T>, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let calls: Vec<_> = self.open_cells().map(|cell| ask(Arc::clone(&cell.store))).collect();
        let answers = join_all(calls).await.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
        match self.unopened() {
            Some(failure) => Err(failure),
            None => Ok(answers),
        }
    }

    /// Asks all cells for work at the same time, and returns what they found, in the order of the cells. A failure is
    /// logged. It is returned only if no cell found anything, so that a broken cell does not stop the others.
    pub(crate) async fn gather<T, F>(&self, ask: impl Fn(Store) -> F) -> Result<Vec<T>, StoreError>
    where
        F: Future<Output = Result<Vec<T>, StoreError>>,
    {
        let calls: Vec<_> = self.open_cells().map(|cell| ask(Arc::clone(&cell.store))).collect();
        let (mut found, mut failure) = (Vec::new(), self.unopened());
        for (cell, answer) in self.open_cells().zip(join_all(calls).await) {
            match answer {
                Ok(mut more) => found.append(&mut more),
                Err(error) => failure = Some(log_failure(cell, error)),
            }
        }
        done_or_failure(found, failure, Vec::is_empty)
    }

    /// Lets the cells do at most `max` units of work in total, sequentially, and returns the number of units. Handles
    /// failures like [`Self::gather`].
    pub(crate) async fn work_at_most<F>(&self, max: u32, work: impl Fn(Store, u32) -> F) -> Result<u64, StoreError>
    where
        F: Future<Output = Result<u64, StoreError>>,
    {
        let (mut done, mut failure) = (0_u64, self.unopened());
        for cell in self.open_cells() {
            let left = u64::from(max).saturating_sub(done);
            if left == 0 {
                break;
            }
            match work(Arc::clone(&cell.store), u32::try_from(left).unwrap_or(u32::MAX)).await {
                Ok(count) => done = done.saturating_add(count),
                Err(error) => failure = Some(log_failure(cell, error)),
            }
        }
        done_or_failure(done, failure, |done| *done == 0)
    }

    /// Asks all cells at the same time, and returns the first object that one of them has. Returns a failure only if no
    /// other cell has the object. If no cell has it, also fails while a client is being moved: the object may be on its
    /// way to another cell. A move can also end between the answers of its two cells and the read of the moves. So the
    /// cells are asked twice.
    pub(crate) async fn find_in_any<T, F>(&self, ask: impl Fn(Store) -> F) -> Result<Option<T>, StoreError>
    where
        F: Future<Output = Result<Option<T>, StoreError>>,
    {
        for _ in 0..self.rounds() {
            if let Some(found) = self.find_in_any_once(&ask).await? {
                return Ok(Some(found));
            }
            self.fail_during_moves().await?;
        }
        Ok(None)
    }

    async fn find_in_any_once<T, F>(&self, ask: impl Fn(Store) -> F) -> Result<Option<T>, StoreError>
    where
        F: Future<Output = Result<Option<T>, StoreError>>,
    {
        let mut asked: FuturesUnordered<_> = self.open_cells().map(|cell| ask(Arc::clone(&cell.store))).collect();
        let mut failure = self.unopened();
        while let Some(answer) = asked.next().await {
            match answer {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => {}
                Err(error) => failure = Some(error),
            }
        }
        done_or_failure(None, failure, Option::is_none)
    }

    /// Returns how many times all cells are asked before an object counts as absent.
    pub(crate) fn rounds(&self) -> u32 {
        if self.others().is_empty() { 1 } else { 2 }
    }
}

/// Logs the failure of a cell.
pub(crate) fn log_failure(cell: &Cell, error: StoreError) -> StoreError {
    tracing::warn!(cell = %cell.name, %error, "a cell failed; the work of the other cells continues");
    error
}

/// Returns what was done, or the failure of a cell if nothing was done.
pub(crate) fn done_or_failure<T>(
    done: T,
    failure: Option<StoreError>,
    is_nothing: impl Fn(&T) -> bool,
) -> Result<T, StoreError> {
    match failure {
        Some(error) if is_nothing(&done) => Err(error),
        _ => Ok(done),
    }
}

#[cfg(test)]
#[path = "gather_tests.rs"]
mod tests;
