//! Background workers of the server.

use crate::deliverer::Deliverer;
use crate::key_expiry::KeyExpiry;
use actix_web::rt::{spawn, task::JoinHandle, time::timeout};
use chrono::TimeDelta;
use florin_application::{CheckoutServices, ProcessingServices, RecordRefusals, Services};
use florin_domain::access::Environment;
use florin_ports::{CellName, CompleteStorage};
use metrics_exporter_prometheus::PrometheusHandle;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Pause between sweeps of due holds. They expire within a minute, even if one sweep fails.
const SWEEP_PAUSE: Duration = Duration::from_secs(15);
/// Pause between sweeps of checkout sessions and refunds. Lists must show what is due within 5 seconds.
const CHECKOUTS_PAUSE: Duration = Duration::from_secs(2);
/// Pause between sweeps of expired worlds.
const WORLDS_PAUSE: Duration = Duration::from_secs(60);
/// Pause between rounds of processing payment batches.
const PROCESS_PAUSE: Duration = Duration::from_millis(250);
/// Maximum pause between searches for events to fan out and for due deliveries. An event of this process ends it.
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

/// Minimum time between two log lines of a worker about the same failure.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// How long records are kept.
#[derive(Clone, Copy)]
pub(crate) struct Retention {
    /// Idempotency records.
    pub(crate) records: TimeDelta,
    /// Events.
    pub(crate) events: TimeDelta,
}

/// What the workers of one cell use. They work on its store alone, so that a busy cell delays no other.
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

    /// Adds what concerns the store of one cell.
    fn add_work(&mut self, cell: &CellServices, retention: Retention) {
        let CellServices { services, processing, checkouts, .. } = cell;
        if services.environment == Environment::Sandbox {
            self.add(SWEEP_PAUSE, services.clone(), |services| async move { sweep(&services).await });
        }
        if let Some(processing) = processing {
            self.add(PROCESS_PAUSE, processing.clone(), |processing| async move { process(&processing).await });
        }
        self.add(CHECKOUTS_PAUSE, checkouts.clone(), |checkouts| async move { settle(&checkouts).await });
        self.add(RECORDS_PAUSE, services.clone(), move |services| async move {
            delete_records(&services, retention.records).await
        });
        self.add(STATISTICS_PAUSE, services.clone(), |services| async move {
            let renewed = services.upkeep.renew_statistics().await.map(|()| Next::AfterPause);
            renewed.map_err(|error| format!("could not renew the statistics of the store's planner: {error}"))
        });
        self.add(EVENTS_PAUSE, services.clone(), move |services| async move {
            delete_events(&services, retention.events).await
        });
    }

    /// Adds the deliveries of one cell.
    fn add_deliveries(&mut self, deliverer: &Rc<Deliverer>, is_measured: bool) {
        let wake = |deliverer: Rc<Deliverer>| async move { deliverer.new_events().await };
        self.add_woken((Next::AfterPause, DELIVERIES_PAUSE), Rc::clone(deliverer), wake, |deliverer| async move {
            let begun = deliverer.round().await.map(|()| Next::AfterPause);
            begun.map_err(|error| format!("could not queue deliveries or find those that are due: {error}"))
        });
        self.add(RECORDS_PAUSE, Rc::clone(deliverer), |deliverer| async move {
            match deliverer.prune().await {
                Ok(0) => {}
                Ok(deleted) => tracing::info!(deleted, "deleted old deliveries"),
                Err(error) => return Err(format!("could not delete old deliveries: {error}")),
            }
            Ok(Next::AfterPause)
        });
        if is_measured {
            self.add_from(Next::AtOnce, BACKLOG_PAUSE, Rc::clone(deliverer), |deliverer| async move {
                let measured = deliverer.measure().await.map(|()| Next::AfterPause);
                measured.map_err(|error| format!("could not count deliveries: {error}"))
            });
        }
    }

    /// Adds what concerns all cells together. Deleting a world changes its cell and the directory.
    fn add_common(&mut self, services: &Services, store: &Arc<dyn CompleteStorage>) {
        if services.environment == Environment::Sandbox {
            self.add(WORLDS_PAUSE, services.clone(), |services| async move { sweep_worlds(&services).await });
        }
        let both = || (services.clone(), Arc::clone(store));
        self.add(REFUSALS_PAUSE, both(), |(services, store)| async move {
            record_refusals(&services, store.as_ref(), RecordRefusals::AsAllowed).await
        });
        self.add(USES_PAUSE, both(), |(services, store)| async move { record_uses(&services, store.as_ref()).await });
        let expiry = (services.clone(), Rc::new(KeyExpiry::new(store.clone())));
        self.add_from(Next::AtOnce, EXPIRY_PAUSE, expiry, |(services, expiry)| async move {
            match expiry.check(services.time.real_now()).await {
                Ok(()) => Ok(Next::AfterPause),
                Err(error) => Err(format!("could not check which keys expire soon: {error}")),
            }
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

    fn add<T, F>(&mut self, pause: Duration, with: T, work: impl Fn(T) -> F + 'static)
    where
        T: Clone + 'static,
        F: Future<Output = Round> + 'static,
    {
        self.add_from(Next::AfterPause, pause, with, work);
    }

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
                    // It fails when the workers are stopped.
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

/// The failure that a worker logged last, and when.
#[derive(Default)]
struct Logged(Option<(String, Instant)>);

impl Logged {
    /// Whether a failure must be logged: immediately if it is new, then at most once a minute.
    fn is_due(&mut self, failure: &str, now: Instant) -> bool {
        let is_known = self
            .0
            .as_ref()
            .is_some_and(|(logged, at)| logged == failure && now.saturating_duration_since(*at) < LOG_PAUSE);
        if !is_known {
            self.0 = Some((failure.to_owned(), now));
        }
        !is_known
    }
}

/// The result of a round: when the next one runs, or the failure to log.
type Round = Result<Next, String>;

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

async fn sweep(services: &Services) -> Round {
    match florin_application::expire_holds(services).await {
        Ok(0) => {}
        Ok(expired) => tracing::info!(expired, "expired holds"),
        Err(error) => return Err(format!("could not expire due holds: {error}")),
    }
    Ok(Next::AfterPause)
}

async fn settle(checkouts: &CheckoutServices) -> Round {
    match florin_application::settle_checkouts(checkouts).await {
        Ok(0) => {}
        Ok(settled) => tracing::info!(settled, "applied what was due on checkout sessions and refunds"),
        Err(error) => return Err(format!("could not apply what is due on checkout sessions and refunds: {error}")),
    }
    Ok(Next::AfterPause)
}

async fn sweep_worlds(services: &Services) -> Round {
    let worlds = async {
        match florin_application::sweep_worlds(services).await {
            Ok(0) => {}
            Ok(swept) => tracing::info!(swept, "deleted expired worlds"),
            Err(error) => return Err(format!("could not delete expired worlds: {error}")),
        }
        Ok(())
    };
    let imports = async {
        match florin_application::sweep_imported_snapshots(services).await {
            Ok(0) => {}
            Ok(swept) => tracing::info!(swept, "deleted expired imported snapshots"),
            Err(error) => return Err(format!("could not delete expired imported snapshots: {error}")),
        }
        Ok(())
    };
    both(worlds, imports).await
}

/// Does one kind of work and then another, even if the first one fails.
async fn both(
    first: impl Future<Output = Result<(), String>>,
    second: impl Future<Output = Result<(), String>>,
) -> Round {
    match (first.await, second.await) {
        (Ok(()), Ok(())) => Ok(Next::AfterPause),
        (Err(failure), Ok(())) | (Ok(()), Err(failure)) => Err(failure),
        (Err(first), Err(second)) => Err(format!("{first}; {second}")),
    }
}

/// Runs one round of processing. Rounds are bounded, so that a shutdown does not wait long.
async fn process(processing: &ProcessingServices) -> Round {
    match florin_application::process_batches(processing).await {
        Ok(0) => Ok(Next::AfterPause),
        Ok(payments) => {
            tracing::info!(payments, "processed payments");
            Ok(Next::AtOnce)
        }
        Err(error) => Err(format!("could not claim payment batches: {error}")),
    }
}

/// Records refused authentications in the audit log.
async fn record_refusals(services: &Services, log: &dyn CompleteStorage, when: RecordRefusals) -> Round {
    match florin_application::record_refusals(&services.refusals, log, (services.time.real_now(), when)).await {
        Ok(_) => Ok(Next::AfterPause),
        Err(error) => Err(format!("could not record refused authentications: {error}")),
    }
}

/// Records what a server that stops has not recorded yet: refused authentications, and the use of keys.
pub(crate) async fn record_the_rest(services: &Services, store: &dyn CompleteStorage) {
    let refusals = record_refusals(services, store, RecordRefusals::AtStop).await;
    for failure in [refusals, record_uses(services, store).await].into_iter().filter_map(Result::err) {
        tracing::error!("{failure}");
    }
}

/// Records when keys were last used.
async fn record_uses(services: &Services, store: &dyn CompleteStorage) -> Round {
    match florin_application::record_key_uses(&services.key_uses, store).await {
        Ok(_) => Ok(Next::AfterPause),
        Err(error) => Err(format!("could not record the use of keys: {error}")),
    }
}

async fn delete_records(services: &Services, retention: TimeDelta) -> Round {
    match florin_application::delete_idempotency_records(services, retention).await {
        Ok(0) => {}
        Ok(deleted) => tracing::info!(deleted, "deleted old idempotency records"),
        Err(error) => return Err(format!("could not delete old idempotency records: {error}")),
    }
    Ok(Next::AfterPause)
}

async fn delete_events(services: &Services, retention: TimeDelta) -> Round {
    match florin_application::delete_events(services, retention).await {
        Ok(0) => {}
        Ok(deleted) => tracing::info!(deleted, "deleted old events"),
        Err(error) => return Err(format!("could not delete old events: {error}")),
    }
    Ok(Next::AfterPause)
}

#[cfg(test)]
mod backlog_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;
    use tokio::sync::Notify;

    #[test]
    fn a_failure_that_stays_is_logged_once_a_minute() {
        let (mut logged, now) = (Logged::default(), Instant::now());
        let mut is_due = |failure, seconds| logged.is_due(failure, now + Duration::from_secs(seconds));
        assert_eq!(
            [is_due("gone", 0), is_due("gone", 59), is_due("gone", 61), is_due("full", 62)],
            [true, false, true, true]
        );
    }

    #[tokio::test]
    async fn a_failure_does_not_stop_other_work_of_the_round() {
        for (first, second, failure) in [
            (Ok(()), Ok(()), None),
            (Err("one"), Ok(()), Some("one")),
            (Ok(()), Err("two"), Some("two")),
            (Err("one"), Err("two"), Some("one; two")),
        ] {
            let done = Cell::new(0);
            let work = async |outcome: Result<(), &str>| {
                done.set(done.get() + 1);
                outcome.map_err(str::to_owned)
            };
            let round = both(work(first), work(second)).await;
            assert_eq!((round.err().as_deref(), done.get()), (failure, 2));
        }
    }

    /// Time is simulated. After the first pause, three rounds follow each other without a pause. The next one runs
    /// after another pause.
    #[tokio::test(start_paused = true)]
    async fn a_worker_with_more_to_do_does_not_pause() {
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async {
                let rounds = Rc::new(Cell::new(0));
                let mut workers = Workers::none();
                let pause = Duration::from_secs(60);
                workers.add(pause, Rc::clone(&rounds), |rounds| async move {
                    rounds.set(rounds.get() + 1);
                    Ok(if rounds.get() < 3 { Next::AtOnce } else { Next::AfterPause })
                });
                tokio::time::sleep(pause + Duration::from_secs(1)).await;
                assert_eq!(rounds.get(), 3);
                tokio::time::sleep(pause).await;
                assert_eq!(rounds.get(), 4);
                workers.stop().await;
            })
            .await;
    }

    /// Time is simulated. The first round does not wait for the pause.
    #[tokio::test(start_paused = true)]
    async fn a_pause_ends_when_the_worker_is_woken() {
        let local = tokio::task::LocalSet::new();
        local
            .run_until(async {
                let shared = Rc::new((Cell::new(0), Notify::new()));
                let mut workers = Workers::none();
                let pause = Duration::from_secs(60);
                let wake = |shared: Rc<(Cell<u32>, Notify)>| async move { shared.1.notified().await };
                workers.add_woken((Next::AfterPause, pause), Rc::clone(&shared), wake, |shared| async move {
                    shared.0.set(shared.0.get() + 1);
                    Ok(Next::AfterPause)
                });
                tokio::time::sleep(pause / 2).await;
                assert_eq!(shared.0.get(), 0);
                shared.1.notify_one();
                tokio::time::sleep(Duration::from_secs(1)).await;
                assert_eq!(shared.0.get(), 1);
                tokio::time::sleep(pause).await;
                assert_eq!(shared.0.get(), 2);
                workers.stop().await;
            })
            .await;
    }

    #[test]
    fn a_worker_works_until_it_is_stopped() {
        actix_web::rt::System::new().block_on(async {
            let rounds = Rc::new(Cell::new(0));
            let mut workers = Workers::none();
            workers.add(Duration::from_millis(1), Rc::clone(&rounds), |rounds| async move {
                rounds.set(rounds.get() + 1);
                Ok(Next::AfterPause)
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
