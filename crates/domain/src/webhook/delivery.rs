//! A delivery: one event for one subscription, until it is delivered or given up.

use super::{DisabledReason, Failing, Jitter, RetrySchedule};
use crate::ids::{AccountId, EventId, WebhookId};
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// How long deliveries are kept after they were queued, and how far back a recovery reaches.
pub const DELIVERIES_KEPT: TimeDelta = TimeDelta::days(30);

/// The HTTP status that says that a receiver is gone for good.
const GONE: u16 = 410;
/// Maximum number of attempts in a row that crashes or stops interrupted. An event that crashes every sender ends here.
const INTERRUPTIONS_MAX: u32 = 100;

/// The status of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryStatus {
    /// Not attempted yet, or its attempt is in progress.
    Pending,
    /// The last attempt failed, and another one is scheduled.
    Failed,
    /// The receiver accepted it.
    Delivered,
    /// Every attempt failed.
    Exhausted,
    /// Its event was undone by a restore or is no longer stored, or the delivery was imported.
    Cancelled,
}

impl DeliveryStatus {
    /// All statuses.
    pub const ALL: [Self; 5] = [Self::Pending, Self::Failed, Self::Delivered, Self::Exhausted, Self::Cancelled];

    /// The status as stored and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Failed => "failed",
            Self::Delivered => "delivered",
            Self::Exhausted => "exhausted",
            Self::Cancelled => "cancelled",
        }
    }

    /// Parses a status.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether an attempt will follow.
    pub const fn is_waiting(self) -> bool {
        matches!(self, Self::Pending | Self::Failed)
    }
}

/// The reason that no response arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendError {
    /// No response within the time limit.
    Timeout,
    /// The name of the host has no address.
    DnsFailed,
    /// No connection, or it was lost.
    ConnectionFailed,
    /// No trusted TLS connection.
    TlsFailed,
    /// The response is not HTTP.
    InvalidResponse,
    /// The host has an address that receivers may not have.
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

    /// The reason as stored and sent.
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
    /// The start of the response's body.
    pub body: Option<String>,
    /// The receiver's `Retry-After`.
    pub retry_after: Option<TimeDelta>,
    /// How long the attempt took.
    pub took: TimeDelta,
}

impl AttemptOutcome {
    /// Whether the receiver accepted the delivery.
    pub fn is_success(&self) -> bool {
        matches!(self.response, Ok(200..=299))
    }
}

/// An attempt in the log of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptRecord {
    /// Its number: 1, 2, 3, … An attempt that was interrupted by a crash has a number, but no record.
    pub number: u32,
    /// When it was sent, by the account's clock.
    pub at: DateTime<Utc>,
    /// Its outcome.
    pub outcome: AttemptOutcome,
}

/// An event for a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The subscription.
    pub webhook: WebhookId,
    /// The event.
    pub message: EventId,
    /// The account of the event.
    pub account: AccountId,
    /// The object of the event.
    pub object: Uuid,
    /// The number of the event among those of its object.
    pub sequence: i64,
    /// Whether it is a test: it has one attempt, and never disables its subscription.
    pub is_test: bool,
    /// Its status.
    pub status: DeliveryStatus,
    /// Number of attempts, the one in progress included. They are counted before they are sent.
    pub attempts: u32,
    /// Number of attempts that ended since its schedule began: a redelivery begins a new one.
    pub scheduled: u32,
    /// Number of attempts since one ended. If none is in progress, they were interrupted.
    pub unrecorded: u32,
    /// When the event was queued, by the account's clock.
    pub created_at: DateTime<Utc>,
    /// When the next attempt is due, by the account's clock. `None`: at once, whatever the clock shows.
    pub due_at: Option<DateTime<Utc>>,
}

/// An event, as its deliveries name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveredEvent {
    /// Its id.
    pub message: EventId,
    /// Its account.
    pub account: AccountId,
    /// Its object.
    pub object: Uuid,
    /// Its number among the events of its object.
    pub sequence: i64,
    /// When it is queued, by the account's clock.
    pub at: DateTime<Utc>,
}

/// What follows from an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryDecision {
    /// The new status.
    pub status: DeliveryStatus,
    /// When the next attempt is due, by the account's clock.
    pub due_at: Option<DateTime<Utc>>,
    /// The reason to disable the subscription.
    pub disable: Option<DisabledReason>,
    /// The first failure since the last success of the subscription.
    pub failing: Option<Failing>,
}

impl Delivery {
    /// A delivery of an event to a subscription, which is due at once.
    pub fn new(webhook: WebhookId, event: DeliveredEvent) -> Self {
        let DeliveredEvent { message, account, object, sequence, at } = event;
        Self {
            webhook,
            message,
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

    /// Begins a new schedule, which is due at once.
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

    /// Whether too many attempts were interrupted. Interruptions do not use up the schedule.
    pub const fn is_interrupted_too_often(&self) -> bool {
        self.unrecorded > INTERRUPTIONS_MAX
    }

    /// Decides what follows from an attempt that ended at `now` by the account's clock. A failure of a receiver that the
    /// subscription no longer names says nothing about the subscription.
    pub fn decide(
        &self,
        outcome: &AttemptOutcome,
        (failing, is_current_receiver): (Option<&Failing>, bool),
        (now, real_now): (DateTime<Utc>, DateTime<Utc>),
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
        let due_at = schedule.delay(attempts, jitter, outcome.retry_after).map(|delay| now + delay);
        let status = if due_at.is_some() { DeliveryStatus::Failed } else { DeliveryStatus::Exhausted };
        if !is_current_receiver {
            return DeliveryDecision { status, due_at, disable: None, failing: failing.cloned() };
        }
        let first = || Failing { account: self.account.clone(), since: now, real_since: real_now };
        let failing = failing.cloned().unwrap_or_else(first);
        let disable = if outcome.response == Ok(GONE) {
            Some(DisabledReason::Gone)
        } else {
            failing.is_too_long(&self.account, now, real_now).then_some(DisabledReason::Failing)
        };
        DeliveryDecision { status, due_at, disable, failing: Some(failing) }
    }
}
