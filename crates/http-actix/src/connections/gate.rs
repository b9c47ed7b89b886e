//! The state that the stream of a connection shares with its requests.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Waker;

/// The part of a connection that may be read now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowance {
    /// Nothing for now.
    Nothing,
    /// At most this number of bytes of the body that the request in progress waits for.
    Body(usize),
    /// The next request.
    Head,
}

/// Determines what may be read from a connection. It is open if something may be read.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// Number of requests that have begun.
    begun: Cell<u64>,
    /// Whether a request is in progress.
    is_working: Cell<bool>,
    /// Whether the peer does not read the bytes written to it.
    is_blocked: Cell<bool>,
    /// Number of bytes that the request in progress waits for.
    awaited: Cell<usize>,
    /// Wakes the task of the connection when the gate opens. `None`: no data is waiting.
    waiting: RefCell<Option<Waker>>,
}

/// A request in progress. Until this is dropped, only the body of the request is read.
pub(crate) struct RequestInProgress(Rc<Gate>);

impl Gate {
    /// Begins a request.
    pub(crate) fn begin(self: &Rc<Self>) -> RequestInProgress {
        self.is_working.set(true);
        self.begun.set(self.begun.get().wrapping_add(1));
        RequestInProgress(Rc::clone(self))
    }

    /// Sets the number of body bytes that the request in progress waits for.
    pub(super) fn await_body(&self, bytes: usize) {
        self.awaited.set(bytes);
        self.reopen();
    }

    /// Records whether the peer fails to read the bytes written to it.
    pub(super) fn set_blocked(&self, is_blocked: bool) {
        self.is_blocked.set(is_blocked);
        self.reopen();
    }

    /// Returns what may be read now.
    pub(super) fn allowance(&self) -> Allowance {
        match (self.is_blocked.get(), self.is_working.get(), self.awaited.get()) {
            (true, ..) | (false, true, 0) => Allowance::Nothing,
            (false, true, bytes) => Allowance::Body(bytes),
            (false, false, _) => Allowance::Head,
        }
    }

    /// Returns the number of requests that have begun.
    pub(super) fn begun(&self) -> u64 {
        self.begun.get()
    }

    /// Whether the connection is idle: no request is in progress, and no written bytes wait for the peer.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_working.get() && !self.is_blocked.get()
    }

    /// Records that data is waiting. `waker` is woken when the data may be read.
    pub(super) fn wait(&self, waker: &Waker) {
        self.waiting.replace(Some(waker.clone()));
    }

    fn reopen(&self) {
        if self.allowance() != Allowance::Nothing
            && let Some(waker) = self.waiting.take()
        {
            waker.wake();
        }
    }
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        self.0.is_working.set(false);
        self.0.await_body(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_body_of_a_request_in_progress_is_read() {
        let gate = Rc::new(Gate::default());
        assert_eq!(gate.allowance(), Allowance::Head);
        let work = gate.begin();
        assert_eq!(gate.allowance(), Allowance::Nothing);
        gate.await_body(5);
        assert_eq!(gate.allowance(), Allowance::Body(5));
        gate.set_blocked(true);
        assert_eq!(gate.allowance(), Allowance::Nothing);
        drop(work);
        assert_eq!(gate.allowance(), Allowance::Nothing);
        gate.set_blocked(false);
        assert_eq!((gate.is_idle(), gate.allowance(), gate.begun()), (true, Allowance::Head, 1));
    }
}
