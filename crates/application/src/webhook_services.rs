//! The ports used by the use cases of webhooks, connected by the binary.

use crate::AccountClocks;
use chrono::TimeDelta;
use florin_domain::access::Environment;
use florin_domain::webhook::{AttemptOutcome, RetrySchedule};
use florin_ports::{Accounts, Deliveries, KeySource, SecretCipher, WebhookSender, Webhooks};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// The ports for managing subscriptions.
#[derive(Clone)]
pub struct WebhookServices {
    /// Sandbox or production.
    pub environment: Environment,
    /// Real time and ids.
    pub time: AccountClocks,
    /// Finds accounts.
    pub accounts: Arc<dyn Accounts>,
    /// Stores subscriptions.
    pub webhooks: Arc<dyn Webhooks>,
    /// Stores deliveries.
    pub deliveries: Arc<dyn Deliveries>,
    /// Encrypts the secrets of subscriptions.
    pub cipher: Arc<dyn SecretCipher>,
    /// The source of new signing secrets.
    pub keys: Arc<dyn KeySource>,
}

/// The ports for delivering events.
#[derive(Clone)]
pub struct DeliveryServices {
    /// Real time and ids.
    pub time: AccountClocks,
    /// Stores deliveries.
    pub deliveries: Arc<dyn Deliveries>,
    /// Decrypts the secrets of subscriptions.
    pub cipher: Arc<dyn SecretCipher>,
    /// Sends the requests of deliveries.
    pub sender: Arc<dyn WebhookSender>,
    /// The delays between attempts.
    pub schedule: RetrySchedule,
    /// Waits for a given time.
    pub sleep: Sleep,
    /// Runs each request as a separate task.
    pub spawn: SpawnSending,
    /// Called with the outcome of each attempt: `delivered`, `refused` (the response has no success status), or the
    /// name of an error.
    pub observe: Arc<dyn Fn(&'static str) + Send + Sync>,
    /// The duration of a claim. It must be longer than an attempt (at most 17 s) and the recording of its outcome.
    pub lease: TimeDelta,
}

/// Runs a request as a separate task, so that it proceeds while its caller waits for something else. Returns `None` if
/// the task failed. Dropping the returned future ends the task.
pub type SpawnSending =
    Arc<dyn Fn(BoxFuture<'static, AttemptOutcome>) -> BoxFuture<'static, Option<AttemptOutcome>> + Send + Sync>;

/// Waits for the given time.
pub type Sleep = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;
