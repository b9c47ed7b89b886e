//! Work whose answer is passed separately from the work.
//!
//! Readers and the writer run work without knowing the type of its answer. So their machinery (queues, tasks, time
//! limits) is compiled once, and not for each operation of the store.

use super::backend::Conn;
use super::errors::Outcome;
use diesel::Connection;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Holds the answer of work, once there is one. Clones share it.
pub(crate) struct Answer<T>(Arc<Mutex<Option<T>>>);

impl<T> Answer<T> {
    /// Creates a holder without an answer.
    pub(crate) fn empty() -> Self {
        Self(Arc::new(Mutex::new(None)))
    }

    /// Keeps an answer. It replaces the answer of an earlier attempt.
    pub(crate) fn keep(&self, answer: T) {
        *self.locked() = Some(answer);
    }

    /// Whether there is an answer.
    pub(crate) fn is_kept(&self) -> bool {
        self.locked().is_some()
    }

    /// Takes the answer. `None`: there is none.
    pub(crate) fn take(&self) -> Option<T> {
        self.locked().take()
    }

    fn locked(&self) -> MutexGuard<'_, Option<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Answer<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Work that keeps its answer in an [`Answer`]. It may run more than once.
pub(crate) type Work = Box<dyn Fn(&mut Conn) -> Outcome<()> + Send>;

/// Wraps work so that it keeps its answer in the returned [`Answer`].
pub(crate) fn separate<T, F>(work: F) -> (Work, Answer<T>)
where
    F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
    T: Send + 'static,
{
    let answer = Answer::empty();
    let holder = answer.clone();
    let work = move |conn: &mut Conn| -> Outcome<()> {
        holder.keep(work(conn)?);
        Ok(())
    };
    (Box::new(work), answer)
}

/// Runs the work in a transaction.
pub(crate) fn in_transaction(work: Work) -> Work {
    Box::new(move |conn: &mut Conn| conn.transaction(&work))
}
