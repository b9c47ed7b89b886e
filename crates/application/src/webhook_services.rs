//! The ports used by the use cases of webhooks, connected by the app.

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
    /// The environment.
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
    /// Sends webhooks.
    pub sender: Arc<dyn WebhookSender>,
    /// The delays between attempts.
    pub schedule: RetrySchedule,
    /// Waits.
    pub sleep: Sleep,
    /// Runs a request as a task of its own.
    pub spawn: SpawnSending,
    /// Called with the outcome of each attempt: `delivered`, `refused` (a status that is no success), or an error.
    pub observe: Arc<dyn Fn(&'static str) + Send + Sync>,
    /// How long a claim lasts. Longer than an attempt, which takes at most 17 s, and the record of its outcome.
    pub lease: TimeDelta,
}

/// Runs a request as a task of its own, so that it goes on whatever its caller waits for. `None`: the task failed. When
/// the returned future is dropped, the task ends.
pub type SpawnSending =
    Arc<dyn Fn(BoxFuture<'static, AttemptOutcome>) -> BoxFuture<'static, Option<AttemptOutcome>> + Send + Sync>;

/// Waits for a time.
pub type Sleep = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;
