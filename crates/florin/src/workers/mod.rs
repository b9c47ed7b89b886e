//! Background workers of the server.

#[cfg(test)]
mod backlog_tests;
mod schedule;
#[cfg(test)]
mod tests;
mod work;

pub(crate) use work::record_the_rest;

use crate::deliverer::Deliverer;
use crate::key_expiry::KeyExpiry;
use actix_web::rt::{spawn, task::JoinHandle, time::timeout};
use chrono::TimeDelta;
use florin_application::{CheckoutServices, ProcessingServices, RecordRefusals, Services};
use florin_domain::access::Environment;
use florin_ports::{CellName, CompleteStorage};
use metrics_exporter_prometheus::PrometheusHandle;
use schedule::{Logged, Next, Round, counted, ended};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use work::{
    delete_events, delete_records, process, record_refusals, record_uses, settle, sweep, sweep_imports, sweep_worlds,
};

/// Pause between sweeps of due holds. They expire within a minute, even if one sweep fails.
const SWEEP_PAUSE: Duration = Duration::from_secs(15);
/// Pause between sweeps of checkout sessions and refunds. Lists must show a due step at most 5 seconds later.
const CHECKOUTS_PAUSE: Duration = Duration::from_secs(2);
/// Pause between sweeps of expired worlds, and between those of expired imported snapshots.
const WORLDS_PAUSE: Duration = Duration::from_secs(60);
/// Pause between rounds of processing payment batches.
const PROCESS_PAUSE: Duration = Duration::from_millis(250);
/// Maximum pause between searches for events to fan out and for due deliveries. A new event of this process ends the
/// pause.
const DELIVERIES_PAUSE: Duration = Duration::from_millis(200);
/// Pause between counts of deliveries that wait.
const BACKLOG_PAUSE: Duration = Duration::from_secs(15);
/// Pause between deletions of old idempotency records and deliveries.
const RECORDS_PAUSE: Duration = Duration::from_secs(600);
/// Pause between renewals of the statistics of the store's planner. It is short, because an empty table may grow
/// quickly.
const STATISTICS_PAUSE: Duration = Duration::from_secs(5);
/// Pause between deletions of old events. It is short, so that each round deletes few events.
const EVENTS_PAUSE: Duration = Duration::from_secs(60);
/// Pause between records of the use of keys.
const USES_PAUSE: Duration = Duration::from_secs(60);
/// Pause between checks for keys that expire soon.
const EXPIRY_PAUSE: Duration = Duration::from_secs(3600);
/// Pause between summaries of refused authentications.
const REFUSALS_PAUSE: Duration = Duration::from_secs(60);
/// Pause between rounds of metrics maintenance.
const METRICS_PAUSE: Duration = Duration::from_secs(10);

/// Times for which records are kept.
#[derive(Clone, Copy)]
pub(crate) struct Retention {
    /// Idempotency records.
    pub(crate) records: TimeDelta,
    /// Events.
    pub(crate) events: TimeDelta,
}

/// The services of the workers of one cell. They work on its store alone, so that a busy cell delays no other.
pub(crate) struct CellServices {
    /// The name of the cell; `None` without cells.
    pub(crate) cell: Option<CellName>,
    /// The services on its store.
    pub(crate) services: Services,
    /// Processes its payment batches.
    pub(crate) processing: Option<ProcessingServices>,
    /// Settles its checkouts.
    pub(crate) checkouts: CheckoutServices,
    /// Delivers its events.
    pub(crate) deliverer: Rc<Deliverer>,
}

/// The background workers. Failures are logged, and the next round tries again.
pub(crate) struct Workers {
    /// Dropping it stops the workers.
    running: watch::Sender<()>,
    tasks: Vec<JoinHandle<()>>,
    /// The cell of the workers that are added next, for the log.
    cell: Option<CellName>,
}

impl Workers {
    /// Starts the workers: those of each cell, and those that work on all cells with `services` and `store`.
    pub(crate) fn start(
        (services, store): (&Services, &Arc<dyn CompleteStorage>),
        cells: Vec<CellServices>,
        retention: Retention,
        metrics: Option<&PrometheusHandle>,
    ) -> Self {
        let mut workers = Self::none();
        for cell in cells {
            workers.cell.clone_from(&cell.cell);
            workers.add_work(&cell, retention);
            workers.add_deliveries(&cell.deliverer, metrics.is_some());
        }
        workers.cell = None;
        workers.add_common(services, store);
        if let Some(handle) = metrics {
            workers.add(METRICS_PAUSE, handle.clone(), |handle| async move {
                handle.run_upkeep();
                Ok(Next::AfterPause)
            });
        }
        workers
    }

    fn none() -> Self {
        Self { running: watch::Sender::new(()), tasks: Vec::new(), cell: None }
    }

    /// Adds the workers on the store of one cell, except its deliveries.
    fn add_work(&mut self, cell: &CellServices, retention: Retention) {
        let CellServices { services, processing, checkouts, .. } = cell;
        if services.environment == Environment::Sandbox {
            self.add(SWEEP_PAUSE, services.clone(), sweep);
        }
        if let Some(processing) = processing {
            self.add(PROCESS_PAUSE, processing.clone(), process);
        }
        self.add(CHECKOUTS_PAUSE, checkouts.clone(), settle);
        self.add(RECORDS_PAUSE, services.clone(), move |services| delete_records(services, retention.records));
        self.add(STATISTICS_PAUSE, services.clone(), |services| async move {
            ended(services.upkeep.renew_statistics().await, "renew the statistics of the store's planner")
        });
        self.add(EVENTS_PAUSE, services.clone(), move |services| delete_events(services, retention.events));
    }

    /// Adds the workers that deliver the events of one cell.
    fn add_deliveries(&mut self, deliverer: &Rc<Deliverer>, is_measured: bool) {
        let wake = |deliverer: Rc<Deliverer>| async move { deliverer.new_events().await };
        self.add_woken((Next::AfterPause, DELIVERIES_PAUSE), Rc::clone(deliverer), wake, |deliverer| async move {
            ended(deliverer.round().await, "queue deliveries or find those that are due")
        });
        self.add(RECORDS_PAUSE, Rc::clone(deliverer), |deliverer| async move {
            counted(deliverer.prune().await, "delete old deliveries", |deleted| {
                tracing::info!(deleted, "deleted old deliveries");
            })
        });
        if is_measured {
            self.add_from(Next::AtOnce, BACKLOG_PAUSE, Rc::clone(deliverer), |deliverer| async move {
                ended(deliverer.measure().await, "count deliveries")
            });
        }
    }

    /// Adds the workers on all cells together. Deleting a world changes its cell and the directory.
    fn add_common(&mut self, services: &Services, store: &Arc<dyn CompleteStorage>) {
        if services.environment == Environment::Sandbox {
            self.add(WORLDS_PAUSE, services.clone(), sweep_worlds);
            self.add(WORLDS_PAUSE, services.clone(), sweep_imports);
        }
        let with = || (services.clone(), Arc::clone(store));
        self.add(REFUSALS_PAUSE, with(), |(services, store)| async move {
            record_refusals(&services, store.as_ref(), RecordRefusals::AsAllowed).await
        });
        self.add(USES_PAUSE, with(), |(services, store)| async move { record_uses(&services, store.as_ref()).await });
        let expiry = (services.clone(), Rc::new(KeyExpiry::new(store.clone())));
        self.add_from(Next::AtOnce, EXPIRY_PAUSE, expiry, |(services, expiry)| async move {
            ended(expiry.check(services.time.real_now()).await, "check which keys expire soon")
        });
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

    /// Adds a worker whose first round runs after a pause.
    fn add<T, F>(&mut self, pause: Duration, with: T, work: impl Fn(T) -> F + 'static)
    where
        T: Clone + 'static,
        F: Future<Output = Round> + 'static,
    {
        self.add_from(Next::AfterPause, pause, with, work);
    }

    /// Adds a worker whose first round runs at the given time.
    fn add_from<T, F>(&mut self, first: Next, pause: Duration, with: T, work: impl Fn(T) -> F + 'static)
    where
        T: Clone + 'static,
        F: Future<Output = Round> + 'static,
    {
        self.add_woken((first, pause), with, |_| std::future::pending(), work);
    }

    /// Adds a worker whose pause also ends when the future of `wake` ends.
    fn add_woken<T, W, F>(
        &mut self,
        (first, pause): (Next, Duration),
        with: T,
        wake: impl Fn(T) -> W + 'static,
        work: impl Fn(T) -> F + 'static,
    ) where
        T: Clone + 'static,
        W: Future<Output = ()> + 'static,
        F: Future<Output = Round> + 'static,
    {
        let mut running = self.running.subscribe();
        let cell = self.cell.clone();
        self.tasks.push(spawn(async move {
            let (mut next, mut logged) = (first, Logged::default());
            loop {
                tokio::select! {
                    biased;
                    // `changed` fails when the workers are stopped.
                    _ = running.changed() => return,
                    _ = timeout(next.wait(pause), wake(with.clone())) => {}
                }
                next = match work(with.clone()).await {
                    Ok(next) => {
                        logged = Logged::default();
                        next
                    }
                    Err(failure) => {
                        if logged.is_due(&failure, Instant::now()) {
                            tracing::error!(cell = cell.as_ref().map(display), "{failure}");
                        }
                        Next::AfterPause
                    }
                };
            }
        }));
    }
}
