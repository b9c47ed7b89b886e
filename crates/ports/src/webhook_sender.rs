//! Sending webhooks.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::EventId;
use florin_domain::webhook::{AttemptOutcome, WebhookSecrets, WebhookUrl};
use std::sync::Arc;

/// One attempt to deliver an event.
#[derive(Clone, Debug)]
pub struct WebhookRequest {
    /// The receiver.
    pub url: WebhookUrl,
    /// The event, which is the same in every attempt.
    pub message: EventId,
    /// The body: the bytes of the event.
    pub body: Arc<str>,
    /// What signs the body.
    pub secrets: Arc<WebhookSecrets>,
    /// The real time.
    pub at: DateTime<Utc>,
}

/// Sends webhooks.
///
/// Promises: a request is one POST to an address that receivers may have, and nothing else is ever sent. Redirects are
/// not followed. The outcome arrives within a bounded time, whatever the receiver does, and its body is at most 1 kB.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends a request once.
    async fn send(&self, request: WebhookRequest) -> AttemptOutcome;
}
