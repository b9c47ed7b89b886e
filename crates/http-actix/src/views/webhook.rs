//! Webhooks (subscriptions to events) and their deliveries, in responses.

use super::Time;
use chrono::{DateTime, Utc};
use florin_domain::event::EventType;
use florin_domain::ids::EventId;
use florin_domain::webhook::{AttemptRecord, CheckoutIds, DisabledReason, SendError, SigningSecret, Webhook};
use florin_ports::LoggedDelivery;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A subscription of a client to the events of one type.
#[derive(Serialize, ToSchema)]
#[schema(as = Webhook)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookView {
    /// The id of the subscription.
    id: Uuid,
    /// Whether events are delivered.
    enabled: bool,
    /// The account whose events are delivered; null for all accounts of the client.
    #[schema(min_length = 1, max_length = 36)]
    account_id: Option<String>,
    /// The URL of the receiver.
    #[schema(max_length = 512)]
    url: String,
    /// The id of the API client.
    product_id: Uuid,
    /// The id of the event type.
    webhook_event_type_id: Uuid,
    /// The name of the event type.
    webhook_event_type_name: String,
    /// The filter of the events that are delivered, for Merchant types; null if all events of the type are delivered.
    /// Florin extension.
    filters: Option<FiltersView>,
    /// Whether an event with failed attempts holds back later events of the same object until it is delivered or
    /// exhausted. Florin extension.
    ordered: bool,
    /// Why Florin disabled the subscription. `gone`: the receiver responded with 410. `failing`: every attempt failed
    /// for five days. Null if it is enabled, or if the client or an operator disabled it. Florin extension.
    #[schema(pattern = "^(gone|failing)$")]
    disabled_reason: Option<&'static str>,
    /// When Florin, the client or an operator disabled the subscription; null while it is enabled. Florin extension.
    #[schema(value_type = Option<String>, format = DateTime)]
    disabled_at: Option<Time>,
    /// When the subscription was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the subscription last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
}

/// The filters of a subscription. Only events that match every filter are delivered.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookFilters)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FiltersView {
    /// The filter for the checkout of the event.
    checkout_id: FilterView,
}

/// A filter that matches any of the listed ids.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookFilter)]
pub(crate) struct FilterView {
    /// The ids that match.
    #[schema(min_items = 1, max_items = 100)]
    r#in: Vec<Uuid>,
}

impl From<&CheckoutIds> for FiltersView {
    fn from(filter: &CheckoutIds) -> Self {
        Self { checkout_id: FilterView { r#in: filter.ids().iter().map(|id| id.0).collect() } }
    }
}

impl From<&Webhook> for WebhookView {
    fn from(webhook: &Webhook) -> Self {
        Self {
            id: webhook.id.0,
            enabled: webhook.state.is_enabled(),
            account_id: webhook.account.as_ref().map(ToString::to_string),
            url: webhook.url.as_str().to_owned(),
            product_id: webhook.client.0,
            webhook_event_type_id: EventType::named(&webhook.type_name).map_or(webhook.kind.id(), |known| known.id),
            webhook_event_type_name: webhook.type_name.clone(),
            filters: webhook.filter.as_ref().map(FiltersView::from),
            ordered: webhook.ordered,
            disabled_reason: webhook.state.disabled_reason().map(DisabledReason::as_str),
            disabled_at: webhook.state.disabled_at().map(Time),
            created_at: Time(webhook.created_at),
            updated_at: Time(webhook.updated_at),
        }
    }
}

/// A new subscription with its signing secret.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedWebhook)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatedWebhookView {
    #[serde(flatten)]
    webhook: WebhookView,
    /// The secret that signs deliveries, in the format of the Standard Webhooks libraries. It is returned only once.
    /// Florin extension.
    signing_secret: String,
}

impl CreatedWebhookView {
    pub(crate) fn new(webhook: &Webhook, secret: &SigningSecret) -> Self {
        Self { webhook: webhook.into(), signing_secret: secret.to_text() }
    }
}

/// A new signing secret.
#[derive(Serialize, ToSchema)]
#[schema(as = RotatedSecret)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RotatedSecretView {
    /// The new secret, with which deliveries are signed from now on. It is returned only once.
    signing_secret: String,
    /// The end of the overlap, in real time. Until then, deliveries are signed with both secrets. Null if there is no
    /// overlap.
    #[schema(value_type = Option<String>, format = DateTime)]
    previous_secret_expires_at: Option<Time>,
}

impl RotatedSecretView {
    /// Builds the view of a new secret. `until` is the end of the overlap.
    pub(crate) fn new(secret: &SigningSecret, until: Option<DateTime<Utc>>) -> Self {
        Self { signing_secret: secret.to_text(), previous_secret_expires_at: until.map(Time) }
    }
}

/// A delivery: one event for one subscription.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeliveryView {
    /// The id of the event, which is also in the header `webhook-id`.
    message_id: Uuid,
    /// The id of the account.
    #[schema(min_length = 1, max_length = 36)]
    account_id: String,
    /// The id of the object that the event is about.
    object_id: Uuid,
    /// The number of the event among the events of its object; 0 for a test.
    #[schema(minimum = 0)]
    sequence: i64,
    /// Whether the event is a test that a client requested.
    test: bool,
    /// `pending`: it waits for its first attempt. `failed`: the last attempt failed, and it waits for the next one.
    /// `delivered`: the receiver accepted the event. `exhausted`: all attempts failed. `cancelled`: the event was
    /// undone by a restore or is no longer stored, or the delivery was imported.
    #[schema(pattern = "^(pending|failed|delivered|exhausted|cancelled)$")]
    status: &'static str,
    /// Number of attempts, including interrupted ones and the one in progress.
    #[schema(minimum = 0)]
    attempt_count: u32,
    /// The latest completed attempts: at most 20, or 1,000 with the filter `messageId`.
    attempts: Vec<AttemptView>,
    /// When the delivery was queued, by the account's clock.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the next attempt is due, by the account's clock. Null if no attempt will follow, and while the subscription
    /// is disabled.
    #[schema(value_type = Option<String>, format = DateTime)]
    next_attempt_at: Option<Time>,
}

impl DeliveryView {
    /// Builds the view of a delivery. `is_enabled`: its subscription is enabled.
    pub(crate) fn new(LoggedDelivery { delivery, attempts }: &LoggedDelivery, is_enabled: bool) -> Self {
        Self {
            message_id: delivery.event.0,
            account_id: delivery.account.to_string(),
            object_id: delivery.object,
            sequence: delivery.sequence,
            test: delivery.is_test,
            status: delivery.status.as_str(),
            attempt_count: delivery.attempts,
            attempts: attempts.iter().map(AttemptView::from).collect(),
            created_at: Time(delivery.created_at),
            next_attempt_at: (is_enabled && delivery.status.is_waiting())
                .then_some(Time(delivery.due_at.unwrap_or(delivery.created_at))),
        }
    }
}

/// An attempt to deliver an event.
#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryAttempt)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttemptView {
    /// The number of the attempt: 1, 2, 3, … The number of an interrupted attempt is missing.
    #[schema(minimum = 1)]
    number: u32,
    /// When the request was sent, by the account's clock.
    #[schema(value_type = String, format = DateTime)]
    at: Time,
    /// The time until the headers of the response were received or the attempt failed, in milliseconds.
    #[schema(minimum = 0)]
    duration_ms: i64,
    /// The status of the response; null if there was none.
    response_status: Option<u16>,
    /// The start of the response's body, at most 1 kB; null if there was no response.
    response_body: Option<String>,
    /// Why there was no response; null if there was one.
    #[schema(pattern = "^(timeout|dns_failed|connection_failed|tls_failed|invalid_response|target_not_allowed)$")]
    error: Option<&'static str>,
}

impl From<&AttemptRecord> for AttemptView {
    fn from(attempt: &AttemptRecord) -> Self {
        let outcome = &attempt.outcome;
        Self {
            number: attempt.number,
            at: Time(attempt.at),
            duration_ms: outcome.took.num_milliseconds(),
            response_status: outcome.response.ok(),
            response_body: outcome.body.clone(),
            error: outcome.response.err().map(SendError::as_str),
        }
    }
}

/// An event that was queued for delivery.
#[derive(Serialize, ToSchema)]
#[schema(as = QueuedMessage)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueuedEventView {
    /// The id of the event.
    message_id: Uuid,
}

impl From<&EventId> for QueuedEventView {
    fn from(event: &EventId) -> Self {
        Self { message_id: event.0 }
    }
}

/// The number of events that were queued for delivery.
#[derive(Serialize, ToSchema)]
#[schema(as = QueuedMessages)]
pub(crate) struct QueuedCountView {
    /// The number of events.
    #[schema(minimum = 0)]
    count: u64,
}

impl From<u64> for QueuedCountView {
    fn from(count: u64) -> Self {
        Self { count }
    }
}
