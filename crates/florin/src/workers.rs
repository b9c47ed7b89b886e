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
            workers.add(METRICS_PAUSE, handle, |handle| async move { handle.run_upkeep() });
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
        F: Future<Output = ()> + 'static,
    {
        let mut running = self.running.subscribe();
        self.tasks.push(spawn(async move {
            // Only a stop ends the pause early.
            while timeout(pause, running.changed()).await.is_err() {
                work(with.clone()).await;
            }
        }));
    }
}

async fn sweep(services: &Services) {
    match florin_application::expire_holds(services).await {
        Ok(0) => {}
        Ok(expired) => tracing::info!(expired, "expired holds"),
        Err(error) => tracing::error!(%error, "could not expire due holds"),
    }
}

async fn sweep_worlds(services: &Services) {
    match florin_application::sweep_worlds(services).await {
        Ok(0) => {}
        Ok(swept) => tracing::info!(swept, "deleted expired worlds"),
        Err(error) => tracing::error!(%error, "could not delete expired worlds"),
    }
}

/// Runs one round of processing. Rounds are bounded, so that a shutdown does not wait long.
async fn process(processing: &ProcessingServices) {
    match florin_application::process_batches(processing).await {
        Ok(0) => {}
        Ok(payments) => tracing::info!(payments, "processed payments"),
        Err(error) => tracing::error!(%error, "could not claim payment batches"),
    }
}

async fn forget(services: &Services, kept: TimeDelta) {
    match florin_application::forget_answers(services, kept).await {
        Ok(0) => {}
        Ok(forgotten) => tracing::info!(forgotten, "deleted old idempotency records"),
        Err(error) => tracing::error!(%error, "could not delete old idempotency records"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[test]
    fn a_worker_works_until_it_is_stopped() {
        actix_web::rt::System::new().block_on(async {
            let rounds = Rc::new(Cell::new(0));
            let mut workers = Workers { running: watch::Sender::new(()), tasks: Vec::new() };
            workers.add(Duration::from_millis(1), Rc::clone(&rounds), |rounds| async move {
                rounds.set(rounds.get() + 1);
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
