//! A delivery: one event for one subscription, until it is accepted or given up.

use super::{DisabledReason, FirstFailure, Jitter, RetrySchedule};
use crate::ids::{AccountId, EventId, WebhookId};
use crate::world::AccountTime;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// The time for which deliveries are kept after they were queued, and also how far back a recovery can start.
pub const DELIVERIES_KEPT: TimeDelta = TimeDelta::days(30);

/// The HTTP status of a receiver that is permanently gone.
const GONE: u16 = 410;
/// Maximum number of consecutive interrupted attempts. It ends the delivery of an event that crashes every sender.
const MAX_INTERRUPTIONS: u32 = 100;

/// The status of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryStatus {
    /// The delivery waits for its first attempt, or this attempt is in progress.
    Pending,
    /// The last attempt failed, and another one is scheduled.
    Failed,
    /// The receiver accepted the delivery.
    Delivered,
    /// Every attempt failed, or too many attempts were interrupted.
    Exhausted,
    /// A restore undid the event, the event is no longer stored, or the delivery was imported.
    Cancelled,
}

impl DeliveryStatus {
    /// All statuses.
    pub const ALL: [Self; 5] = [Self::Pending, Self::Failed, Self::Delivered, Self::Exhausted, Self::Cancelled];

    /// Returns the name that is stored and shown in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Failed => "failed",
            Self::Delivered => "delivered",
            Self::Exhausted => "exhausted",
            Self::Cancelled => "cancelled",
        }
    }

    /// Parses the name of a status.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Returns whether another attempt will follow.
    pub const fn is_waiting(self) -> bool {
        matches!(self, Self::Pending | Self::Failed)
    }
}

/// The reason that there is no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendError {
    /// There was no response within the time limit.
    Timeout,
    /// The host name has no address.
    DnsFailed,
    /// There was no connection, or the connection was lost.
    ConnectionFailed,
    /// There was no trusted TLS connection.
    TlsFailed,
    /// The response is not HTTP.
    InvalidResponse,
    /// The host has an address that receivers must not have.
    TargetNotAllowed,
}

impl SendError {
    /// All reasons.
    pub const ALL: [Self; 6] = [
        Self::Timeout,
        Self::DnsFailed,
        Self::ConnectionFailed,
        Self::TlsFailed,
        Self::InvalidResponse,
        Self::TargetNotAllowed,
    ];

    /// Returns the name that is stored and shown in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::DnsFailed => "dns_failed",
            Self::ConnectionFailed => "connection_failed",
            Self::TlsFailed => "tls_failed",
            Self::InvalidResponse => "invalid_response",
            Self::TargetNotAllowed => "target_not_allowed",
        }
    }
}

/// The outcome of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptOutcome {
    /// The status of the response, or the reason that there is none.
    pub response: Result<u16, SendError>,
    /// The beginning of the response body.
    pub body: Option<String>,
    /// The delay in the receiver's `Retry-After`, if it sent one.
    pub retry_after: Option<TimeDelta>,
    /// The duration of the attempt.
    pub took: TimeDelta,
}

impl AttemptOutcome {
    /// Returns whether the receiver accepted the delivery.
    pub fn is_success(&self) -> bool {
        matches!(self.response, Ok(200..=299))
    }
}

/// An attempt in the log of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptRecord {
    /// Its number: 1, 2, 3, … An attempt that a crash interrupted has a number but no record.
    pub number: u32,
    /// When it was sent, by the account's clock.
    pub at: DateTime<Utc>,
    /// Its outcome.
    pub outcome: AttemptOutcome,
}

/// A delivery: one event for one subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The subscription.
    pub webhook: WebhookId,
    /// The event.
    pub event: EventId,
    /// The account of the event.
    pub account: AccountId,
    /// The object of the event.
    pub object: Uuid,
    /// The number of the event among the events of its object.
    pub sequence: i64,
    /// Whether it is a test. A test has one attempt, and never disables its subscription.
    pub is_test: bool,
    /// Its status.
    pub status: DeliveryStatus,
    /// Number of attempts, including the one in progress. An attempt is counted before it is sent.
    pub attempts: u32,
    /// Number of ended attempts in the current schedule. A redelivery begins a new schedule.
    pub scheduled: u32,
    /// Number of attempts that began since the last attempt ended. Except for an attempt in progress, all were
    /// interrupted.
    pub unrecorded: u32,
    /// When the event was queued, by the account's clock.
    pub created_at: DateTime<Utc>,
    /// When the next attempt is due, by the account's clock. `None`: immediately, whatever the clock shows.
    pub due_at: Option<DateTime<Utc>>,
}

/// The data of an event that its deliveries contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveredEvent {
    /// The id of the event.
    pub id: EventId,
    /// The account of the event.
    pub account: AccountId,
    /// The object of the event.
    pub object: Uuid,
    /// The number of the event among the events of its object.
    pub sequence: i64,
    /// When the event is queued, by the account's clock.
    pub at: DateTime<Utc>,
}

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryDecision {
    /// The new status.
    pub status: DeliveryStatus,
    /// When the next attempt is due, by the account's clock. `None`: no attempt follows.
    pub due_at: Option<DateTime<Utc>>,
    /// The reason to disable the subscription. `None`: it is not disabled.
    pub disable: Option<DisabledReason>,
    /// The first failure since the last success of the subscription. `None`: there is none.
    pub failing: Option<FirstFailure>,
}

impl Delivery {
    /// Creates a delivery of an event to a subscription. It is due immediately.
    pub fn new(webhook: WebhookId, event: DeliveredEvent) -> Self {
        let DeliveredEvent { id, account, object, sequence, at } = event;
        Self {
            webhook,
            event: id,
            account,
            object,
            sequence,
            is_test: false,
            status: DeliveryStatus::Pending,
            attempts: 0,
            scheduled: 0,
            unrecorded: 0,
            created_at: at,
            due_at: None,
        }
    }

    /// Begins a new schedule. Its first attempt is due immediately.
    pub fn restart(&mut self) {
        self.status = DeliveryStatus::Pending;
        (self.scheduled, self.unrecorded, self.due_at) = (0, 0, None);
    }

    /// Counts an attempt that begins.
    pub const fn begin_attempt(&mut self) {
        self.attempts += 1;
        self.unrecorded += 1;
    }

    /// Records the end of the attempt in progress.
    pub const fn end_attempt(&mut self, decision: &DeliveryDecision) {
        (self.status, self.due_at) = (decision.status, decision.due_at);
        (self.scheduled, self.unrecorded) = (self.scheduled + 1, 0);
    }

    /// Returns whether too many consecutive attempts were interrupted. Interrupted attempts do not use up the schedule.
    pub const fn is_interrupted_too_often(&self) -> bool {
        self.unrecorded > MAX_INTERRUPTIONS
    }

    /// Decides the result of an attempt that ended at this time of the account. If the attempt went to a previous
    /// receiver of the subscription, its failure does not affect the subscription.
    ///
    /// ```
    /// use chrono::TimeDelta;
    /// use florin_domain::ids::EventId;
    /// use florin_domain::test_support::{a_webhook, account, noon};
    /// use florin_domain::webhook::{AttemptOutcome, DeliveredEvent, Delivery, DeliveryStatus, Jitter, RetrySchedule};
    /// use florin_domain::world::AccountTime;
    /// use uuid::Uuid;
    ///
    /// let (id, object) = (EventId(Uuid::from_u128(1)), Uuid::from_u128(2));
    /// let event = DeliveredEvent { id, account: account(), object, sequence: 1, at: noon() };
    /// let delivery = Delivery::new(a_webhook().id, event);
    /// let outcome =
    ///     AttemptOutcome { response: Ok(500), body: None, retry_after: None, took: TimeDelta::seconds(1) };
    /// let (now, plan) = (AccountTime { shown: noon(), real: noon() }, (RetrySchedule::Standard, Jitter::NONE));
    /// let decision = delivery.decide(&outcome, (None, true), now, plan);
    /// assert_eq!(decision.status, DeliveryStatus::Failed);
    /// assert_eq!(decision.due_at, Some(noon() + TimeDelta::seconds(5)));
    /// ```
    pub fn decide(
        &self,
        outcome: &AttemptOutcome,
        (failing, is_current_receiver): (Option<&FirstFailure>, bool),
        now: AccountTime,
        (schedule, jitter): (RetrySchedule, Jitter),
    ) -> DeliveryDecision {
        let ended = |status, failing| DeliveryDecision { status, due_at: None, disable: None, failing };
        if outcome.is_success() {
            let failing = failing.filter(|_| self.is_test).cloned();
            return ended(DeliveryStatus::Delivered, failing);
        }
        if self.is_test {
            return ended(DeliveryStatus::Exhausted, failing.cloned());
        }
        let attempts = self.scheduled.saturating_add(1);
        let due_at = schedule.delay(attempts, jitter, outcome.retry_after).map(|delay| now.shown + delay);
        let status = if due_at.is_some() { DeliveryStatus::Failed } else { DeliveryStatus::Exhausted };
        if !is_current_receiver {
            return DeliveryDecision { status, due_at, disable: None, failing: failing.cloned() };
        }
        let first = || FirstFailure { account: self.account.clone(), since: now.shown, real_since: now.real };
        let failing = failing.cloned().unwrap_or_else(first);
        let disable = if outcome.response == Ok(GONE) {
            Some(DisabledReason::Gone)
        } else {
            failing.is_too_long(&self.account, now).then_some(DisabledReason::Failing)
        };
        DeliveryDecision { status, due_at, disable, failing: Some(failing) }
    }
}
