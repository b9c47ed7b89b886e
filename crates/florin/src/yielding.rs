//! Threads for work outside of requests, which yield to requests.

use async_trait::async_trait;
use florin_domain::card::{DecisionReply, NoDecision};
use florin_domain::webhook::SendError;
use florin_ports::{DecisionAsker, DecisionRequest};
use std::future::Future;
use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinHandle, JoinSet};

/// How much these threads yield to other threads: a thread with this niceness has a tenth of the weight of another one.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// A runtime with one thread for its tasks and further threads for their blocking calls. All yield to other threads.
pub(crate) struct YieldingRuntime {
    /// `None` only while this is dropped.
    runtime: Option<Runtime>,
}

impl YieldingRuntime {
    /// Starts the thread. `name` is the name of all threads of this runtime.
    pub(crate) fn start(name: &str) -> io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).thread_name(name).on_thread_start(yield_to_others);
        Ok(Self { runtime: Some(runtime.enable_all().build()?) })
    }

    /// Runs a task. `None` if the runtime has ended.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> Option<JoinHandle<()>> {
        Some(self.runtime.as_ref()?.spawn(task))
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
    // Linux applies this to the thread, other systems to the whole process. A process may not yield less than before.
    #[cfg(target_os = "linux")]
    {
        let niceness = rustix::process::getpriority_process(None);
        let done = niceness.and_then(|now| rustix::process::setpriority_process(None, now.max(NICENESS)));
        if let Err(error) = done {
            tracing::warn!(%error, "a thread of background work does not yield to requests");
        }
    }
}

/// Sends questions from threads that yield to requests. Many questions can become due at the same moment, when an
/// endpoint has answered as many before.
pub(crate) struct YieldingAsker {
    asker: Arc<dyn DecisionAsker>,
    threads: YieldingRuntime,
}

impl YieldingAsker {
    pub(crate) const fn new(asker: Arc<dyn DecisionAsker>, threads: YieldingRuntime) -> Self {
        Self { asker, threads }
    }
}

#[async_trait]
impl DecisionAsker for YieldingAsker {
    async fn ask(&self, request: DecisionRequest) -> Result<DecisionReply, NoDecision> {
        let ended = Err(NoDecision::Send(SendError::ConnectionFailed));
        let Some(runtime) = &self.threads.runtime else { return ended };
        let asker = Arc::clone(&self.asker);
        // Dropping the set aborts the question, as when a client disconnects.
        let mut question = JoinSet::new();
        question.spawn_on(async move { asker.ask(request).await }, runtime.handle());
        match question.join_next().await {
            Some(Ok(reply)) => reply,
            Some(Err(error)) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => ended,
            },
            None => ended,
        }
    }
}
