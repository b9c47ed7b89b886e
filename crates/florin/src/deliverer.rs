//! Delivers events to subscribers, in the background.

use crate::metrics::SubscriptionMetrics;
use chrono::TimeDelta;
use florin_application::{DeliveryMode, DeliveryServices, deliver};
use florin_domain::ids::WebhookId;
use florin_domain::webhook::{Breaker, DELIVERIES_KEPT, Webhook};
use florin_ports::{CellName, StoreError};
use florin_webhook_http::{HttpWebhookSender, YieldingRuntime};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Maximum number of deliveries deleted in one transaction.
const PORTION: u32 = 200;
/// The pause after an error of this process. It doubles with each consecutive error, up to 32 seconds.
const ERROR_PAUSE: Duration = Duration::from_secs(1);
/// Minimum pause between two rounds. The events of this time are queued in one transaction.
const ROUND_PAUSE: Duration = Duration::from_millis(100);
/// Time for which the state of a receiver is kept after its last deliveries.
const FORGET: Duration = Duration::from_secs(60 * 60);
/// Maximum time that attempts in flight have to end when the server stops: the time limit of an attempt, and a second
/// to record its outcome.
const DRAIN_MAX: Duration = HttpWebhookSender::TIME_LIMIT.saturating_add(Duration::from_secs(1));
/// Time that the tasks have to release the claims of attempts that were abandoned.
const RELEASE: Duration = Duration::from_secs(3);

/// Delivers events with one task for each subscription, so that a receiver that hangs delays no other. The tasks have a
/// thread of their own, which yields to requests, as do the threads of their reads.
pub(crate) struct Deliverer {
    services: DeliveryServices,
    tasks: RefCell<BTreeMap<WebhookId, JoinHandle<()>>>,
    receivers: Arc<Mutex<BTreeMap<WebhookId, Receiver>>>,
    mode: Arc<Mutex<DeliveryMode>>,
    metrics: SubscriptionMetrics,
    /// The cell whose events are delivered; `None` without cells.
    cell: Option<CellName>,
    threads: YieldingRuntime,
}

/// The state of the receiver of a subscription in this process.
#[derive(Clone)]
struct Receiver {
    breaker: Breaker,
    /// The number of resumptions of the subscription when the breaker was last reset.
    resumptions: i64,
    /// Number of consecutive errors of this process.
    errors: u32,
    /// When this process tries again.
    next: Instant,
}

impl Receiver {
    fn new(webhook: &Webhook) -> Self {
        Self { breaker: Breaker::default(), resumptions: webhook.resumptions, errors: 0, next: Instant::now() }
    }

    /// Records the end of a task. An error, such as a failure of the store, delays the next task.
    fn ended(&mut self, is_error: bool) {
        self.errors = if is_error { self.errors.saturating_add(1) } else { 0 };
        let pause = ERROR_PAUSE * (1 << self.errors.saturating_sub(1).min(5));
        self.next = Instant::now() + if is_error { pause } else { Duration::ZERO };
    }
}

impl Deliverer {
    /// Creates a deliverer of the events of a cell, and its thread. Nothing is delivered until the first round.
    pub(crate) fn new(
        services: DeliveryServices,
        metrics: SubscriptionMetrics,
        cell: Option<CellName>,
    ) -> io::Result<Self> {
        let threads = YieldingRuntime::start("florin-deliveries")?;
        let mode = Arc::new(Mutex::new(DeliveryMode::Running));
        Ok(Self { services, tasks: RefCell::default(), receivers: Arc::default(), mode, metrics, cell, threads })
    }

    /// Queues the deliveries of new events, and begins to deliver to the subscriptions that have due deliveries.
    pub(crate) async fn round(&self) -> Result<(), StoreError> {
        // Continue after an error: retries may be due. The next round queues the deliveries that this one leaves.
        let fanned_out = self.services.deliveries.fan_out().await.map(drop);
        self.tasks.borrow_mut().retain(|_, task| !task.is_finished());
        for webhook in self.services.deliveries.due(self.services.time.real_now()).await? {
            let mut tasks = self.tasks.borrow_mut();
            if *locked(&self.mode) != DeliveryMode::Running || tasks.contains_key(&webhook.id) {
                continue;
            }
            let id = webhook.id;
            if let Some(task) = self.begin(webhook) {
                tasks.insert(id, task);
            }
        }
        fanned_out
    }

    /// Waits until this process has committed events to deliver, but at least for [`ROUND_PAUSE`].
    pub(crate) async fn new_events(&self) {
        sleep(ROUND_PAUSE).await;
        self.services.deliveries.new_events().await;
    }

    fn begin(&self, webhook: Webhook) -> Option<JoinHandle<()>> {
        let mut known = locked(&self.receivers);
        let receiver = known.entry(webhook.id).or_insert_with(|| Receiver::new(&webhook));
        if receiver.resumptions != webhook.resumptions {
            *receiver = Receiver::new(&webhook);
        }
        if Instant::now() < receiver.next {
            return None;
        }
        let mut receiver = receiver.clone();
        let (services, mode, receivers) = (self.services.clone(), Arc::clone(&self.mode), Arc::clone(&self.receivers));
        self.threads.spawn(async move {
            let id = webhook.id;
            let done = deliver(&services, webhook, &mut receiver.breaker, || *locked(&mode)).await;
            if let Err(error) = &done {
                tracing::error!(webhook = %id, %error, "could not deliver events; they will be tried again");
            }
            receiver.ended(done.is_err());
            locked(&receivers).insert(id, receiver);
        })
    }

    /// Stops delivering. Attempts in flight have `limit` to end, at most [`DRAIN_MAX`]. Attempts that take longer are
    /// abandoned, and retried after the next start.
    pub(crate) async fn stop(&self, limit: Duration) {
        *locked(&self.mode) = DeliveryMode::Draining;
        tracing::info!("starting no more deliveries; waiting for those in flight");
        let mut left: Vec<_> = std::mem::take(&mut *self.tasks.borrow_mut()).into_values().collect();
        if ended_within(&mut left, limit.min(DRAIN_MAX)).await {
            return;
        }
        tracing::info!("abandoning deliveries to receivers that did not answer; they will be retried");
        *locked(&self.mode) = DeliveryMode::Stopped;
        if !ended_within(&mut left, RELEASE).await {
            left.iter().for_each(JoinHandle::abort);
        }
    }

    /// Deletes old deliveries, and returns their number.
    pub(crate) async fn prune(&self) -> Result<u64, StoreError> {
        // Forget receivers without recent deliveries. Receivers of deleted subscriptions are among them.
        locked(&self.receivers).retain(|_, receiver| receiver.next.elapsed() < FORGET);
        let before = self.services.time.real_now() - DELIVERIES_KEPT;
        let mut deleted = 0;
        loop {
            let portion = self.services.deliveries.delete_deliveries(before, PORTION).await?;
            deleted += portion;
            if portion == 0 {
                return Ok(deleted);
            }
        }
    }

    /// Publishes the number of waiting deliveries, in total and per subscription, and the age of the oldest one, as
    /// metrics. With several cells, each total has the label of its cell.
    pub(crate) async fn measure(&self) -> Result<(), StoreError> {
        let backlog = self.services.deliveries.backlog().await?;
        let age = backlog.oldest.map_or(TimeDelta::zero(), |oldest| self.services.time.real_now() - oldest);
        let labels: Vec<_> = self.cell.iter().map(|cell| ("cell", cell.to_string())).collect();
        metrics::gauge!("florin_webhook_deliveries_waiting", &labels).set(gauge_value(backlog.total()));
        metrics::gauge!("florin_webhook_oldest_waiting_seconds", &labels)
            .set(gauge_value(age.num_seconds().max(0).unsigned_abs()));
        self.metrics.set(self.cell.clone(), backlog.waiting);
        Ok(())
    }
}

/// Locks a mutex. Ignores poisoning: a panic leaves none of these values half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until all tasks have ended, but not longer than `limit`. Returns whether they have ended.
async fn ended_within(tasks: &mut Vec<JoinHandle<()>>, limit: Duration) -> bool {
    let ended = async {
        while let Some(task) = tasks.last_mut() {
            // A task that panicked was logged.
            let _ = task.await;
            tasks.pop();
        }
    };
    timeout(limit, ended).await.is_ok()
}

/// Converts a number to the value of a gauge.
#[expect(clippy::cast_precision_loss, reason = "a gauge is rounded beyond 2^53")]
fn gauge_value(number: u64) -> f64 {
    number as f64
}
