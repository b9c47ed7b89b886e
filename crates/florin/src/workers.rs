//! Background workers of the server.

use actix_web::rt::{spawn, task::JoinHandle, time::timeout};
use chrono::TimeDelta;
use florin_application::{ProcessingServices, Services};
use florin_domain::access::Environment;
use metrics_exporter_prometheus::PrometheusHandle;
use std::time::Duration;
use tokio::sync::watch;

/// Pause between sweeps of due holds. They expire within a minute, even if one sweep fails.
const SWEEP_PAUSE: Duration = Duration::from_secs(15);
/// Pause between sweeps of expired worlds.
const WORLDS_PAUSE: Duration = Duration::from_secs(60);
/// Pause between rounds of processing payment batches.
const PROCESS_PAUSE: Duration = Duration::from_millis(250);
/// Pause between deletions of old idempotency records.
const FORGET_PAUSE: Duration = Duration::from_secs(600);
/// Pause between rounds of metrics maintenance.
const METRICS_PAUSE: Duration = Duration::from_secs(10);

/// The background workers. Failures are logged, and the next round tries again.
pub(crate) struct Workers {
    /// Dropping it stops the workers.
    running: watch::Sender<()>,
    tasks: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts the workers.
    pub(crate) fn start(
        services: &Services,
        processing: Option<ProcessingServices>,
        kept: TimeDelta,
        metrics: Option<PrometheusHandle>,
    ) -> Self {
        let mut workers = Self { running: watch::Sender::new(()), tasks: Vec::new() };
        if services.environment == Environment::Sandbox {
            workers.add(SWEEP_PAUSE, services.clone(), |services| async move { sweep(&services).await });
            workers.add(WORLDS_PAUSE, services.clone(), |services| async move { sweep_worlds(&services).await });
        }
        if let Some(processing) = processing {
            workers.add(PROCESS_PAUSE, processing, |processing| async move { process(&processing).await });
        }
        workers.add(FORGET_PAUSE, services.clone(), move |services| async move { forget(&services, kept).await });
        if let Some(handle) = metrics {
            workers.add(METRICS_PAUSE, handle, |handle| async move {
                handle.run_upkeep();
                Next::AfterPause
            });
        }
        workers
    }

    /// Stops the workers after their current round.
    pub(crate) async fn stop(self) {
        drop(self.running);
        for task in self.tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, "a background worker failed");
            }
        }
    }

    fn add<T, F>(&mut self, pause: Duration, with: T, work: impl Fn(T) -> F + 'static)
    where
        T: Clone + 'static,
        F: Future<Output = Next> + 'static,
    {
        let mut running = self.running.subscribe();
        self.tasks.push(spawn(async move {
            let mut next = Next::AfterPause;
            // Only a stop ends the pause early.
            while timeout(next.wait(pause), running.changed()).await.is_err() {
                next = work(with.clone()).await;
            }
        }));
    }
}

/// When a worker runs its next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Immediately: there may be more to do.
    AtOnce,
    /// After the pause.
    AfterPause,
}

impl Next {
    fn wait(self, pause: Duration) -> Duration {
        match self {
            Self::AtOnce => Duration::ZERO,
            Self::AfterPause => pause,
        }
    }
}

async fn sweep(services: &Services) -> Next {
    match florin_application::expire_holds(services).await {
        Ok(0) => {}
        Ok(expired) => tracing::info!(expired, "expired holds"),
        Err(error) => tracing::error!(%error, "could not expire due holds"),
    }
    Next::AfterPause
}

async fn sweep_worlds(services: &Services) -> Next {
    match florin_application::sweep_worlds(services).await {
        Ok(0) => {}
        Ok(swept) => tracing::info!(swept, "deleted expired worlds"),
        Err(error) => tracing::error!(%error, "could not delete expired worlds"),
    }
    Next::AfterPause
}

/// Runs one round of processing. Rounds are bounded, so that a shutdown does not wait long.
async fn process(processing: &ProcessingServices) -> Next {
    match florin_application::process_batches(processing).await {
        Ok(0) => {}
        Ok(payments) => {
            tracing::info!(payments, "processed payments");
            return Next::AtOnce;
        }
        Err(error) => tracing::error!(%error, "could not claim payment batches"),
    }
    Next::AfterPause
}

async fn forget(services: &Services, kept: TimeDelta) -> Next {
    match florin_application::forget_answers(services, kept).await {
        Ok(0) => {}
        Ok(forgotten) => tracing::info!(forgotten, "deleted old idempotency records"),
        Err(error) => tracing::error!(%error, "could not delete old idempotency records"),
    }
    Next::AfterPause
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    /// The pause is longer than any test, so only rounds without a pause are seen after the first one.
    #[tokio::test(start_paused = true)]
    async fn a_worker_with_more_to_do_does_not_pause() {
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async {
                let rounds = Rc::new(Cell::new(0));
                let mut workers = Workers { running: watch::Sender::new(()), tasks: Vec::new() };
                let pause = Duration::from_secs(60);
                workers.add(pause, Rc::clone(&rounds), |rounds| async move {
                    rounds.set(rounds.get() + 1);
                    if rounds.get() < 3 { Next::AtOnce } else { Next::AfterPause }
                });
                tokio::time::sleep(pause + Duration::from_secs(1)).await;
                assert_eq!(rounds.get(), 3);
                tokio::time::sleep(pause).await;
                assert_eq!(rounds.get(), 4);
                workers.stop().await;
            })
            .await;
    }

    #[test]
    fn a_worker_works_until_it_is_stopped() {
        actix_web::rt::System::new().block_on(async {
            let rounds = Rc::new(Cell::new(0));
            let mut workers = Workers { running: watch::Sender::new(()), tasks: Vec::new() };
            workers.add(Duration::from_millis(1), Rc::clone(&rounds), |rounds| async move {
                rounds.set(rounds.get() + 1);
                Next::AfterPause
            });
            while rounds.get() < 3 {
                actix_web::rt::time::sleep(Duration::from_millis(1)).await;
            }
            workers.stop().await;
            assert!(rounds.get() >= 3);
            assert_eq!(Rc::strong_count(&rounds), 1);
        });
    }
}
