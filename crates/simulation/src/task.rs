//! Futures that the simulation polls when it chooses.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// A future, and whether it was woken since it was last polled.
pub(crate) struct Task {
    /// What it does: `work`, `sweep` or `request`.
    pub(crate) name: &'static str,
    future: Pin<Box<dyn Future<Output = ()>>>,
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Task {
    /// A task that is ready to run.
    pub(crate) fn new(name: &'static str, future: impl Future<Output = ()> + 'static) -> Self {
        Self { name, future: Box::pin(future), woken: Arc::new(Woken(AtomicBool::new(true))) }
    }

    /// Whether the future was woken since it was last polled, or was never polled.
    pub(crate) fn is_ready(&self) -> bool {
        self.woken.0.load(Ordering::Relaxed)
    }

    /// Polls the future once. Returns whether it has ended.
    pub(crate) fn poll(&mut self) -> bool {
        self.woken.0.store(false, Ordering::Relaxed);
        let waker = Waker::from(Arc::clone(&self.woken));
        matches!(self.future.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Ready(()))
    }
}
