//! Deliveries of events to webhook subscriptions.

use crate::{ClientClaim, Decide, StoreError, WebhookReach, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{EventId, LeaseId, WebhookId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{
    AttemptRecord, Delivery, DeliveryDecision, DeliveryStatus, RedeliverSituation, Webhook, WebhookRefusal,
};
use florin_domain::world::ClockSetting;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A command to claim due deliveries of one subscription.
#[derive(Clone, Debug)]
pub struct ClaimDeliveriesCommand {
    /// The subscription.
    pub webhook: WebhookId,
    /// The id of the lease: new for this claim.
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
    /// Whether the claim set aside deliveries that must wait for earlier ones of their object. If it did, another claim
    /// may find further deliveries.
    pub has_more: bool,
    /// The current state of the subscription.
    pub webhook: Webhook,
    /// The deliveries, the longest due first.
    pub deliveries: Vec<ClaimedDelivery>,
}

/// A claimed delivery. Its next attempt is already counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The delivery, including the attempt in progress.
    pub delivery: Delivery,
    /// The lease of this claim.
    pub lease: LeaseId,
    /// The clock of the delivery's account.
    pub clock: ClockSetting,
    /// The body of the stored event or of the test. `None`: the event was deleted.
    pub body: Option<Arc<str>>,
}

/// Identifies a claim of a delivery: one attempt under one lease. The claim ends when another lease replaces it or
/// another attempt is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeliveryClaim {
    /// The subscription.
    pub webhook: WebhookId,
    /// The event, or the test.
    pub event: EventId,
    /// The lease.
    pub lease: LeaseId,
    /// The number of the attempt.
    pub attempt: u32,
}

impl ClaimedDelivery {
    /// Returns the identification of this claim.
    pub const fn claim(&self) -> DeliveryClaim {
        let Delivery { webhook, event, attempts, .. } = self.delivery;
        DeliveryClaim { webhook, event, lease: self.lease, attempt: attempts }
    }
}

/// The situation of the rule that decides the end of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptSituation {
    /// The claimed delivery.
    pub delivery: Delivery,
    /// The current state of its subscription, locked.
    pub webhook: Webhook,
    /// The clock of the delivery's account.
    pub clock: ClockSetting,
}

/// An ended attempt, to be recorded.
#[derive(Clone)]
pub struct AttemptEnd {
    /// The claim under which the attempt was sent.
    pub claim: DeliveryClaim,
    /// The attempt, for the log.
    pub attempt: AttemptRecord,
    /// The rule.
    pub decide: Decide<AttemptSituation, DeliveryDecision>,
}

/// Selects deliveries of a subscription. A `None` field selects everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Selects deliveries with this status.
    pub status: Option<DeliveryStatus>,
    /// Selects the delivery of this event.
    pub event: Option<EventId>,
    /// Selects deliveries that were queued at this time or later, by the account's clock.
    pub from: Option<DateTime<Utc>>,
    /// Selects deliveries that were queued at this time or earlier, by the account's clock.
    pub to: Option<DateTime<Utc>>,
    /// Maximum number of attempts to return with each delivery. The last ones are returned.
    pub attempts: u32,
}

/// A command to send one event again.
pub struct RedeliverCommand {
    /// The subscriptions that the caller reaches.
    pub reach: WebhookReach,
    /// The subscription.
    pub webhook: WebhookId,
    /// The event.
    pub event: EventId,
    /// The real time.
    pub now: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<RedeliverSituation, Result<(), WebhookRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<ClientClaim<()>>,
}

/// A command to send again all events that were not delivered.
pub struct RecoverCommand {
    /// The subscriptions that the caller reaches.
    pub reach: WebhookReach,
    /// The subscription.
    pub webhook: WebhookId,
    /// Only events that occurred at this time or later are sent.
    pub since: DateTime<Utc>,
    /// The real time.
    pub now: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<Webhook, Result<(), WebhookRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<ClientClaim<u64>>,
}

/// A command to send a test to a subscription.
pub struct TestWebhookCommand {
    /// The subscriptions that the caller reaches.
    pub reach: WebhookReach,
    /// The delivery of the test.
    pub delivery: Delivery,
    /// The body of the test.
    pub body: String,
    /// The real time.
    pub now: DateTime<Utc>,
    /// The rule.
    pub decide: Decide<Webhook, Result<(), WebhookRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<ClientClaim<EventId>>,
}

/// A delivery in the log of its subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDelivery {
    /// The delivery.
    pub delivery: Delivery,
    /// Its last attempts with a recorded end, at most as many as the filter asks for, the oldest first.
    pub attempts: Vec<AttemptRecord>,
}

/// How many deliveries wait, and since when, excluding those of disabled subscriptions and of disabled clients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryBacklog {
    /// The numbers of waiting deliveries of each subscription that has any.
    pub waiting: BTreeMap<WebhookId, WaitingDeliveries>,
    /// When the oldest waiting delivery was queued, in real time. `None`: no delivery waits.
    pub oldest: Option<DateTime<Utc>>,
}

impl DeliveryBacklog {
    /// Returns the number of waiting deliveries.
    pub fn total(&self) -> u64 {
        self.waiting.values().map(|of| of.waiting).sum()
    }
}

/// The numbers of waiting deliveries of one subscription.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingDeliveries {
    /// Number of waiting deliveries.
    pub waiting: u64,
    /// Number of waiting deliveries whose last attempt failed.
    pub failed: u64,
}

/// Stores deliveries. [`Self::fan_out`] queues one delivery for each subscription that matched an event and was enabled
/// when the event was committed. A store may also queue it earlier, even in the transaction of the event.
///
/// The time at which a delivery is queued makes no difference: whether an event that was committed before a change of a
/// subscription is queued depends on the subscription before the change. The log, the backlog, redeliveries,
/// recoveries, the restore of a world and the deletion of events include all events whose commits were acknowledged
/// before the call. If very many events are not queued yet, the log and the backlog need not wait for all of them.
/// A redelivery, a recovery, a restore and a change with a deadline may then fail with [`StoreError::Overloaded`], and
/// a retry continues the work.
///
/// Promises: a delivery is claimed by at most one lease at a time, and its attempt is counted with the claim. A claim
/// whose lease was replaced, or whose attempt is not the last one, changes nothing. Deliveries are paused while their
/// subscription or its client is disabled, and are never claimed after their subscription was deleted. Of an ordered
/// subscription, only the first waiting delivery of each object is claimed. A first attempt is due immediately,
/// whatever any clock shows; a retry is due by the clock of its account. A restore moves later retries to the restored
/// time. Each transaction is bounded, however many deliveries wait.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Deliveries: Send + Sync {
    /// Queues the deliveries of all events whose commits were acknowledged before the call. `false`: some are not
    /// queued yet, because concurrent writes did not end in time, or because there are many events; call it again.
    async fn fan_out(&self) -> Result<bool, StoreError>;

    /// Waits until there are events to fan out. Ends immediately if this store has committed events that subscriptions
    /// receive since the last call ended. May end early, and does not notice the events of other processes.
    async fn new_events(&self);

    /// Returns the enabled subscriptions that may have deliveries to claim at this real time.
    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<Webhook>, StoreError>;

    /// Claims due deliveries of a subscription, longest due first. First attempts and retries alternate. Takes fewer
    /// than the maximum if many claims are made concurrently. `None`: the subscription or its client is disabled, there
    /// is no such subscription, or something else is changing it.
    async fn claim(&self, command: ClaimDeliveriesCommand) -> Result<Option<ClaimedDeliveries>, StoreError>;

    /// Records the ended attempts whose claims are still current, and returns their number. Disables subscriptions if a
    /// rule decides so.
    async fn record(&self, ends: Vec<AttemptEnd>, now: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Releases claims whose attempts have no known outcome. The attempts remain counted, and the deliveries can be
    /// claimed again immediately.
    async fn release(&self, claims: Vec<DeliveryClaim>) -> Result<(), StoreError>;

    /// Ends claimed deliveries that are not sent, because their events were deleted or too many attempts were
    /// interrupted.
    async fn end(&self, claims: Vec<DeliveryClaim>, status: DeliveryStatus) -> Result<(), StoreError>;

    /// Lists deliveries of a subscription, last queued first.
    async fn log(
        &self,
        webhook: WebhookId,
        filter: DeliveryFilter,
        page: PageRequest,
    ) -> Result<Page<LoggedDelivery>, StoreError>;

    /// Sends an event again immediately, with a new retry schedule. [`crate::Events::redeliveries`] returns it, too.
    /// `Absent`: no such subscription, or it has no delivery of this event.
    async fn redeliver(&self, command: RedeliverCommand) -> Result<Written<()>, WriteError<WebhookRefusal>>;

    /// Sends again every matching stored event that is neither delivered nor waiting, and returns their number. This
    /// includes events from before the subscription. [`crate::Events::redeliveries`] returns them, too. The work is
    /// done in portions: if it is interrupted, a retry does the rest. `Absent`: no such subscription.
    async fn recover(&self, command: RecoverCommand) -> Result<Written<u64>, WriteError<WebhookRefusal>>;

    /// Queues the delivery of a test. `Absent`: no such subscription.
    async fn test(&self, command: TestWebhookCommand) -> Result<Written<EventId>, WriteError<WebhookRefusal>>;

    /// Deletes deliveries that were queued before a real time and no longer wait, and deliveries of deleted
    /// subscriptions. Deletes at most `max` in total and returns their number. Also deletes the records of
    /// subscriptions that were deleted before that time.
    async fn delete_deliveries(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;

    /// Returns the numbers of waiting deliveries of the enabled subscriptions of enabled clients, and when the oldest
    /// delivery was queued.
    async fn backlog(&self) -> Result<DeliveryBacklog, StoreError>;

    /// Returns the numbers of waiting deliveries of each subscription that has any, or of one subscription only. Paused
    /// deliveries count, too. The call is for operators: its duration is not bounded.
    async fn backlogs(&self, webhook: Option<WebhookId>) -> Result<BTreeMap<WebhookId, WaitingDeliveries>, StoreError>;
}
