//! Sending events to receivers of webhooks.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{ClientId, EventId};
use florin_domain::webhook::{AttemptOutcome, WebhookSecrets, WebhookUrl};
use std::sync::Arc;

/// One attempt to deliver an event.
#[derive(Clone, Debug)]
pub struct WebhookRequest {
    /// The client that owns the subscription. `None`: the request belongs to no subscription.
    pub client: Option<ClientId>,
    /// The URL of the receiver.
    pub url: WebhookUrl,
    /// The id of the event, which is the same in every attempt.
    pub id: EventId,
    /// The body of the event.
    pub body: Arc<str>,
    /// The secrets that sign the body.
    pub secrets: Arc<WebhookSecrets>,
    /// The real time.
    pub at: DateTime<Utc>,
}

/// Sends events to receivers of webhooks.
///
/// Promises: a request is one POST, and is only sent to an address that receivers may have. Requests of one client do
/// not delay those of others, even if the name servers of its receivers are slow. Redirects are not followed. The
/// outcome arrives within a bounded time, whatever the receiver does. It contains at most 1 kB of the receiver's
/// response body.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends a request once, and returns the outcome.
    async fn send(&self, request: WebhookRequest) -> AttemptOutcome;
}
