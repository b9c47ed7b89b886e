//! How events are written, and the signal that some were committed.

use florin_ports::EventRecording;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// The renderer and the environment for writing events, and the signal that new events were committed.
#[derive(Clone)]
pub(crate) struct Recording {
    pub(crate) with: EventRecording,
    pub(crate) new_events: Arc<NewEvents>,
}

/// The signal that this process has committed events that subscriptions receive.
#[derive(Default)]
pub(crate) struct NewEvents {
    /// Whether a transaction has written such events since the last signal.
    written: AtomicBool,
    committed: Notify,
}

impl NewEvents {
    /// A transaction calls this after it drew the positions of such events. If another transaction commits first, the
    /// signal comes early, but the tail waits for this transaction.
    pub(crate) fn written(&self) {
        self.written.store(true, Ordering::Relaxed);
    }

    /// Sends the signal after a commit, if such events were written. After a rollback, the next commit sends it early.
    pub(crate) fn committed(&self) {
        if self.written.swap(false, Ordering::Relaxed) {
            self.committed.notify_one();
        }
    }

    /// Waits for the signal. Ends immediately if it was sent since the last wait.
    pub(crate) async fn wait(&self) {
        self.committed.notified().await;
    }
}
