//! Deliveries of events to subscriptions.

use crate::{ClientClaim, Decide, StoreError, WebhookReach, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{EventId, LeaseId, WebhookId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{AttemptRecord, Delivery, DeliveryDecision, DeliveryStatus, Webhook, WebhookRefusal};
use florin_domain::world::ClockSetting;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A command to claim deliveries of one subscription.
#[derive(Clone, Debug)]
pub struct ClaimDeliveriesCommand {
    /// The subscription.
    pub webhook: WebhookId,
    /// The lease, which no other claim has.
    pub lease: LeaseId,
    /// The real time.
    pub now: DateTime<Utc>,
    /// When the lease ends.
    pub until: DateTime<Utc>,
    /// Maximum number of deliveries.
    pub max: u32,
}

/// Claimed deliveries of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDeliveries {
    /// Whether some were set aside, so that a further claim may find others.
    pub has_more: bool,
    /// The subscription as it is now.
    pub webhook: Webhook,
    /// The deliveries, the longest due first.
    pub deliveries: Vec<ClaimedDelivery>,
}

/// A delivery whose next attempt is counted already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The delivery, with the attempt in progress.
    pub delivery: Delivery,
    /// The lease of this claim.
    pub lease: LeaseId,
    /// The clock of its account.
    pub clock: ClockSetting,
    /// The body: that of the stored event. `None` if the event was deleted.
    pub body: Option<Arc<str>>,
}

/// Identifies the claim of a delivery: one attempt under one lease. Once the lease is replaced, or another attempt is
/// counted, it identifies nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeliveryClaim {
    /// The subscription.
    pub webhook: WebhookId,
    /// The event.
    pub message: EventId,
    /// The lease.
    pub lease: LeaseId,
    /// The number of the attempt.
    pub attempt: u32,
}

impl ClaimedDelivery {
    /// Returns what identifies this claim.
    pub const fn claim(&self) -> DeliveryClaim {
        let Delivery { webhook, message, attempts, .. } = self.delivery;
        DeliveryClaim { webhook, message, lease: self.lease, attempt: attempts }
    }
}

/// What a delivery's rule reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptSituation {
    /// The delivery.
    pub delivery: Delivery,
    /// Its subscription as it is now, locked.
    pub webhook: Webhook,
    /// The clock of its account.
    pub clock: ClockSetting,
}

/// The end of an attempt.
#[derive(Clone)]
pub struct AttemptEnd {
    /// The claim under which it was sent.
    pub claim: DeliveryClaim,
    /// The attempt, for the log.
    pub attempt: AttemptRecord,
    /// The rule.
    pub decide: Decide<AttemptSituation, DeliveryDecision>,
}

/// Selects deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// In this status.
    pub status: Option<DeliveryStatus>,
    /// Of this event.
    pub message: Option<EventId>,
    /// Queued at this time or later, by the account's clock.
    pub from: Option<DateTime<Utc>>,
    /// Queued at this time or earlier, by the account's clock.
    pub to: Option<DateTime<Utc>>,
    /// Maximum number of attempts that are returned with each delivery: the last ones.
    pub attempts: u32,
}

/// A command to send an event again.
pub struct RedeliverCommand {
    /// The subscriptions that the caller reaches.
    pub reach: WebhookReach,
    /// The subscription.
    pub webhook: WebhookId,
    /// The event.
    pub message: EventId,
    /// The real time.
    pub now: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<Webhook, Result<(), WebhookRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<ClientClaim<()>>,
}

/// A command to send all events again that were not delivered.
pub struct RecoverCommand {
    /// The subscriptions that the caller reaches.
    pub reach: WebhookReach,
    /// The subscription.
    pub webhook: WebhookId,
    /// Events that occurred at this time or later.
    pub since: DateTime<Utc>,
    /// The real time.
    pub now: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<Webhook, Result<(), WebhookRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<ClientClaim<u64>>,
}

/// A command to send a test.
pub struct TestWebhookCommand {
    /// The subscriptions that the caller reaches.
    pub reach: WebhookReach,
    /// The delivery.
    pub delivery: Delivery,
    /// Its body.
    pub body: String,
    /// The real time.
    pub now: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<Webhook, Result<(), WebhookRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<ClientClaim<EventId>>,
}

/// What waits to be delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryBacklog {
    /// Number of deliveries that wait, those of disabled subscriptions excluded.
    pub waiting: u64,
    /// When the oldest of them was queued, in real time.
    pub oldest: Option<DateTime<Utc>>,
}

/// What waits for one subscription.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingDeliveries {
    /// Number of deliveries that wait.
    pub waiting: u64,
    /// Number of those whose last attempt failed.
    pub failed: u64,
}

/// Stores deliveries. An event's transaction queues one for each enabled subscription that matches the event.
///
/// Promises: a delivery is claimed by at most one lease at a time, and its attempt is counted with the claim. A claim
/// whose lease was replaced, or whose attempt is not the last one, changes nothing. Deliveries rest while their
/// subscription or its client is disabled; they are never claimed after their subscription was deleted. Of an ordered
/// subscription, only the first waiting delivery of each object is claimed. A first attempt is due at once, whatever any
/// clock shows; a retry is due by the clock of its account. A restore moves later retries to the restored time. Each
/// transaction is bounded, however many deliveries wait.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Deliveries: Send + Sync {
    /// Returns the enabled subscriptions that may have deliveries to claim.
    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<Webhook>, StoreError>;

    /// Claims due deliveries of a subscription, the longest due first; first attempts and retries take turns. `None`: it
    /// or its client is disabled, or it does not exist.
    async fn claim(&self, command: ClaimDeliveriesCommand) -> Result<Option<ClaimedDeliveries>, StoreError>;

    /// Records ended attempts, those whose claim is still current, and returns their number. Disables subscriptions as
    /// their rules say.
    async fn record(&self, ends: Vec<AttemptEnd>, now: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Gives back claims whose attempts have no known outcome. The attempts stay counted, and others follow at once.
    async fn release(&self, claims: Vec<DeliveryClaim>) -> Result<(), StoreError>;

    /// Ends deliveries that are not sent: their events do not exist any more, or too many attempts were interrupted.
    async fn end(&self, claims: Vec<DeliveryClaim>, status: DeliveryStatus) -> Result<(), StoreError>;

    /// Lists deliveries of a subscription with their last attempts, the last queued first.
    async fn log(
        &self,
        webhook: WebhookId,
        filter: DeliveryFilter,
        page: PageRequest,
    ) -> Result<Page<(Delivery, Vec<AttemptRecord>)>, StoreError>;

    /// Sends an event again: at once, with a new schedule. [`crate::Events::redeliveries`] shows it, too. `Absent`: no such
    /// subscription, or it never had this event.
    async fn redeliver(&self, command: RedeliverCommand) -> Result<Written<()>, WriteError<WebhookRefusal>>;

    /// Sends every matching stored event again that is neither delivered nor waiting, those from before the subscription
    /// included, and returns their number. [`crate::Events::redeliveries`] shows them, too. It does so in portions: if it is
    /// interrupted, a repetition does the rest.
    /// `Absent`: no such subscription.
    async fn recover(&self, command: RecoverCommand) -> Result<Written<u64>, WriteError<WebhookRefusal>>;

    /// Queues a test. `Absent`: no such subscription.
    async fn test(&self, command: TestWebhookCommand) -> Result<Written<EventId>, WriteError<WebhookRefusal>>;

    /// Deletes deliveries that were queued before a time and do not wait, and deliveries of deleted subscriptions, at most
    /// `max` of both, and returns their number. Forgets subscriptions that were deleted before that time.
    async fn delete_deliveries(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;

    /// Returns what waits.
    async fn backlog(&self) -> Result<DeliveryBacklog, StoreError>;

    /// Returns what waits for each subscription that has waiting deliveries, or for one subscription only. It is for
    /// operators: deliveries that rest count, too, and it may take any time.
    async fn backlogs(&self, webhook: Option<WebhookId>) -> Result<BTreeMap<WebhookId, WaitingDeliveries>, StoreError>;
}
