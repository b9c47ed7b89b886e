//! Stored forms of deliveries and of clients' idempotency records.

use chrono::{DateTime, Utc};
use florin_domain::ids::LeaseId;
use florin_domain::webhook::{AttemptRecord, Delivery};
use florin_ports::{DeliveryClaim, RecordedRequest, StoredResponse};

/// Idempotency record of a client. It has no response if the response contained a secret.
#[derive(Clone, Debug)]
pub(crate) struct ClientRecord {
    pub(crate) request: RecordedRequest,
    pub(crate) response: Option<StoredResponse>,
    pub(crate) at: DateTime<Utc>,
}

/// A delivery, with its lease and its log.
#[derive(Clone, Debug)]
pub(crate) struct StoredDelivery {
    pub(crate) delivery: Delivery,
    /// The body, if this is a test: the event of a test is not stored.
    pub(crate) test_body: Option<String>,
    /// When the delivery was queued, in real time.
    pub(crate) queued_at: DateTime<Utc>,
    /// The lease of the last claim, and when it ends.
    pub(crate) lease: Option<(LeaseId, DateTime<Utc>)>,
    pub(crate) attempts: Vec<AttemptRecord>,
}

impl StoredDelivery {
    /// Creates a delivery that waits for its first attempt.
    pub(crate) const fn new(delivery: Delivery, test_body: Option<String>, queued_at: DateTime<Utc>) -> Self {
        Self { delivery, test_body, queued_at, lease: None, attempts: Vec::new() }
    }

    /// Returns whether the delivery waits and has no current lease.
    pub(crate) fn is_free(&self, now: DateTime<Utc>) -> bool {
        self.delivery.status.is_waiting() && self.lease.is_none_or(|(_, until)| until <= now)
    }

    /// Returns whether a claim of the delivery is the current one.
    pub(crate) fn is_held_by(&self, claim: &DeliveryClaim) -> bool {
        self.lease.is_some_and(|(held, _)| held == claim.lease) && self.delivery.attempts == claim.attempt
    }

    /// Begins a new retry schedule, with an attempt that is due immediately.
    pub(crate) fn restart(&mut self) {
        self.lease = None;
        self.delivery.restart();
    }
}
