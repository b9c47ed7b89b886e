//! Events and their objects.

use super::{EventBody, EventKind};
use crate::ids::{AccountId, BudgetId, CardId, CheckoutId, CheckoutSessionId, PaymentBatchId, TransactionToken};
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// An event before it is stored: a change of money or state, with its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The account.
    pub account: AccountId,
    /// Its kind.
    pub kind: EventKind,
    /// When the change occurred, by the clock of the account.
    pub at: DateTime<Utc>,
    /// Its contents.
    pub body: EventBody,
}

/// The object of an event. The events of one object are numbered from 1 without gaps, across all kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventObject {
    /// A budget with its money.
    Budget(BudgetId),
    /// A chain of card messages, identified by the token of its first message.
    Chain(TransactionToken),
    /// A card with its state.
    Card(CardId),
    /// A payment batch, with its orders and payments.
    Batch(PaymentBatchId),
    /// A checkout session, with its payments and refunds.
    CheckoutSession(CheckoutSessionId),
}

impl EventObject {
    /// Returns the id, as bodies and filters show it.
    pub const fn id(self) -> Uuid {
        match self {
            Self::Budget(id) => id.0,
            Self::Chain(id) => id.0,
            Self::Card(id) => id.0,
            Self::Batch(id) => id.0,
            Self::CheckoutSession(id) => id.0,
        }
    }
}

impl Event {
    /// Returns the object that the event is about.
    pub const fn object(&self) -> EventObject {
        match &self.body {
            EventBody::Budget(movement) => EventObject::Budget(movement.budget),
            EventBody::CardTransaction(message) => EventObject::Chain(message.chain),
            EventBody::CardState(change) => EventObject::Card(change.card),
            EventBody::Batch(event) => EventObject::Batch(event.batch),
            EventBody::Payment(payment) => EventObject::Batch(payment.batch),
            EventBody::CheckoutSession(session) => EventObject::CheckoutSession(session.id),
            EventBody::MerchantPayment(event) => EventObject::CheckoutSession(event.payment.session),
        }
    }

    /// Returns the checkout of the event's session, by which subscriptions select events. `None`: the event is not
    /// about a session of a checkout.
    pub const fn checkout(&self) -> Option<CheckoutId> {
        match &self.body {
            EventBody::CheckoutSession(session) => session.purpose.checkout(),
            EventBody::MerchantPayment(event) => event.checkout,
            EventBody::Budget(_)
            | EventBody::CardTransaction(_)
            | EventBody::CardState(_)
            | EventBody::Batch(_)
            | EventBody::Payment(_) => None,
        }
    }

    /// Returns whether the event counts as the next one of its object, which has had `before` events. A batch becomes
    /// validated once: later uploads that validate it again do not count.
    pub const fn counts_after(&self, before: u64) -> bool {
        before == 0 || !matches!(self.kind, EventKind::PaymentBatchCreated)
    }
}
