//! The time of a decision and the source of its ids, passed in so that rules are pure.

use crate::event::{Event, EventKind, EventSubject};
use crate::ids::{AccountId, EventId, OrderId, PaymentBatchId, PaymentId};
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The time of a decision, and the source of its ids. With equal times and ids, a rule decides the same.
#[derive(Clone, Copy)]
pub struct Stamp<'a> {
    /// The time of the decision.
    pub now: DateTime<Utc>,
    /// Returns a new id.
    pub ids: &'a dyn Fn() -> Uuid,
}

impl Stamp<'_> {
    /// Draws a new id. The order in which a rule draws its ids is part of its result: seeded worlds repeat it.
    pub(crate) fn id(&self) -> Uuid {
        (self.ids)()
    }

    /// An event of a batch, optionally of one of its orders or payments.
    pub(crate) fn event(
        &self,
        kind: EventKind,
        (account, batch): (&AccountId, PaymentBatchId),
        order: Option<OrderId>,
        payment: Option<PaymentId>,
    ) -> Event {
        let subject = EventSubject { batch, order, payment };
        Event { id: EventId(self.id()), account: account.clone(), kind, subject, at: self.now }
    }
}
