//! Threads for requests to servers of clients, which yield to requests of the API.

use std::future::Future;
use std::io;
use std::panic::resume_unwind;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinHandle, JoinSet};

/// The niceness of these threads, with which they yield to others. When such a thread competes with a thread of
/// niceness 0, Linux gives it about a tenth of the processor time of the other.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// A runtime with one thread for its tasks and further threads for their blocking calls. All yield to other threads.
pub struct YieldingRuntime {
    /// `None` only while this is dropped.
    runtime: Option<Runtime>,
}

impl YieldingRuntime {
    /// Starts the thread. `name` is the name of all threads of this runtime.
    pub fn start(name: &str) -> io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).thread_name(name).on_thread_start(yield_to_others);
        Ok(Self { runtime: Some(runtime.enable_all().build()?) })
    }

    /// Starts a task. `None` if the runtime has ended.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> Option<JoinHandle<()>> {
        Some(self.runtime.as_ref()?.spawn(task))
    }

    /// Runs a task, and returns its result. `None` if the runtime ends before the task. Dropping the future ends the
    /// task, and a panic of the task continues in the caller.
    pub async fn run<T: Send + 'static>(&self, task: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let mut running = JoinSet::new();
        running.spawn_on(task, self.runtime.as_ref()?.handle());
        match running.join_next().await? {
            Ok(result) => Some(result),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => None,
            },
        }
    }
}

impl Drop for YieldingRuntime {
    fn drop(&mut self) {
        // Dropping a runtime would block.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Lets this thread yield to others.
fn yield_to_others() {
    // Linux applies this to the thread, other systems to the whole process. Only a
    // privileged process may lower its niceness, so a higher one is kept.
    #[cfg(target_os = "linux")]
    {
        let niceness = rustix::process::getpriority_process(None);
        let done = niceness.and_then(|now| rustix::process::setpriority_process(None, now.max(NICENESS)));
        if let Err(error) = done {
            tracing::warn!(%error, "a thread that sends requests to clients does not yield to requests of the API");
        }
    }
}
