//! What happened, for those who want to be told (contract 6).

use crate::ids::{AccountId, EventId, OrderId, PaymentBatchId, PaymentId};
use chrono::{DateTime, Utc};

/// An event, written in the transaction of its cause. The delivery tells it at least once, under the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id, which is the same in every delivery.
    pub id: EventId,
    /// The account that it happened on.
    pub account: AccountId,
    /// What happened.
    pub kind: EventKind,
    /// To what.
    pub subject: EventSubject,
    /// When.
    pub at: DateTime<Utc>,
}

/// What an event is about. Only ids: who is told reads the rest as it is then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSubject {
    /// The payment batch.
    pub batch: PaymentBatchId,
    /// The order of it, where it is about one.
    pub order: Option<OrderId>,
    /// The payment of it, where it is about one.
    pub payment: Option<PaymentId>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A payment batch was made.
    PaymentBatchCreated,
    /// A confirmed payment batch pays from this budget in this currency: one event an order.
    PaymentBatchOrderCreated,
    /// Processing has picked a payment batch up.
    PaymentBatchProcessing,
    /// Every payment of a batch is final, whether or not any succeeded.
    PaymentBatchCompleted,
    /// A payment batch was cancelled.
    PaymentBatchCancelled,
    /// A payment is on its way to the bank.
    PaymentCreated,
    /// A payment was sent back by the recipient's bank.
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

    /// The name that subscribers see.
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
