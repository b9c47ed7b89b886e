//! Events for subscribers (contract 6).

use crate::ids::{AccountId, EventId, OrderId, PaymentBatchId, PaymentId};
use chrono::{DateTime, Utc};

/// An event, written in the transaction of its cause and delivered at least once, under the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id, the same in every delivery.
    pub id: EventId,
    /// The account.
    pub account: AccountId,
    /// Its kind.
    pub kind: EventKind,
    /// The objects it is about.
    pub subject: EventSubject,
    /// When it happened.
    pub at: DateTime<Utc>,
}

/// The objects of an event, by id. Subscribers read their current state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSubject {
    /// The payment batch.
    pub batch: PaymentBatchId,
    /// The order, if the event is about one.
    pub order: Option<OrderId>,
    /// The payment, if the event is about one.
    pub payment: Option<PaymentId>,
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A payment batch was created.
    PaymentBatchCreated,
    /// An order of a confirmed payment batch: one event per order.
    PaymentBatchOrderCreated,
    /// Processing of a payment batch has started.
    PaymentBatchProcessing,
    /// Every payment of a batch is final, whether or not any succeeded.
    PaymentBatchCompleted,
    /// A payment batch was cancelled.
    PaymentBatchCancelled,
    /// A payment is being sent to the bank.
    PaymentCreated,
    /// The recipient's bank returned a payment.
    PaymentReturned,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::PaymentBatchCreated,
        Self::PaymentBatchOrderCreated,
        Self::PaymentBatchProcessing,
        Self::PaymentBatchCompleted,
        Self::PaymentBatchCancelled,
        Self::PaymentCreated,
        Self::PaymentReturned,
    ];

    /// The name sent to subscribers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PaymentBatchCreated => "PaymentBatchCreated",
            Self::PaymentBatchOrderCreated => "PaymentBatchOrderCreated",
            Self::PaymentBatchProcessing => "PaymentBatchProcessing",
            Self::PaymentBatchCompleted => "PaymentBatchCompleted",
            Self::PaymentBatchCancelled => "PaymentBatchCancelled",
            Self::PaymentCreated => "PaymentCreated",
            Self::PaymentReturned => "PaymentReturned",
        }
    }
}
