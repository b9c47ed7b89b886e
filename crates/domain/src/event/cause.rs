//! Creation of events from movements, cards, batches, payments and sessions.

use super::{BatchEvent, BatchResult, BudgetEvent, CardStateChange, Event, EventBody, EventKind, MerchantPaymentEvent};
use crate::batch::{Payment, PaymentBatch, PaymentBatchStatus, PaymentOrder};
use crate::card::{CardRecord, CardTransaction, CardTransition};
use crate::checkout::{CheckoutSession, MerchantPayment};
use crate::ids::AccountId;
use chrono::{DateTime, Utc};

impl BudgetEvent {
    /// Returns the event of money that entered a budget.
    pub(crate) fn credited(self, account: AccountId, at: DateTime<Utc>) -> Event {
        Event { account, kind: EventKind::BoxCredited, at, body: EventBody::Budget(Box::new(self)) }
    }

    /// Returns the event of money that left a budget.
    pub(crate) fn debited(self, account: AccountId, at: DateTime<Utc>) -> Event {
        Event { account, kind: EventKind::BoxDebited, at, body: EventBody::Budget(Box::new(self)) }
    }
}

impl CardTransaction {
    /// Returns the event of this message.
    pub fn event(&self) -> Event {
        let body = EventBody::CardTransaction(Box::new(self.clone()));
        Event { account: self.account.clone(), kind: EventKind::CardTransaction, at: self.created_at, body }
    }
}

impl CardTransition {
    /// Returns the event of this transition.
    pub fn event(&self) -> Event {
        let (previous, state, reason) = (Some(self.from), self.to, self.reason.clone());
        let body = EventBody::CardState(CardStateChange { card: self.card, previous, state, reason });
        Event { account: self.account.clone(), kind: EventKind::CardStateUpdated, at: self.created_at, body }
    }
}

impl CardRecord {
    /// Returns the event of the creation of this card. `None`: an early version of Florin created the card without
    /// recording the time.
    pub fn creation_event(&self) -> Option<Event> {
        let (card, reason) = (&self.card, self.state_reason.clone());
        let body = EventBody::CardState(CardStateChange { card: card.id, previous: None, state: card.state, reason });
        Some(Event { account: card.account.clone(), kind: EventKind::CardStateUpdated, at: self.created_at?, body })
    }
}

impl PaymentBatch {
    /// Returns an event about this batch, dated by the last change of the batch.
    pub(crate) fn event(&self, kind: EventKind, order: Option<PaymentOrder>, result: Option<BatchResult>) -> Event {
        let (name, status) = (self.name.clone(), self.status());
        let body = EventBody::Batch(Box::new(BatchEvent { batch: self.id, name, status, order, result }));
        Event { account: self.account.clone(), kind, at: self.updated_at, body }
    }

    /// Returns the event of a batch that can be confirmed. `None`: the batch is not validated.
    pub(crate) fn validation_event(&self) -> Option<Event> {
        let is_validated = self.status() == PaymentBatchStatus::Validated;
        is_validated.then(|| self.event(EventKind::PaymentBatchCreated, None, None))
    }

    /// Returns one event for each order of this batch.
    pub(crate) fn order_events(&self, kind: EventKind) -> impl Iterator<Item = Event> {
        self.orders.iter().map(move |order| self.event(kind, Some(order.clone()), None))
    }
}

impl Payment {
    /// Returns an event about this payment.
    pub(crate) fn event(&self, kind: EventKind, at: DateTime<Utc>) -> Event {
        Event { account: self.account.clone(), kind, at, body: EventBody::Payment(Box::new(self.clone())) }
    }
}

impl CheckoutSession {
    /// Returns an event about this session. `None`: a top-up of a budget, whose credit is an event of the budget.
    pub(crate) fn event(&self, kind: EventKind, at: DateTime<Utc>) -> Option<Event> {
        self.purpose.checkout()?;
        let body = EventBody::CheckoutSession(Box::new(self.clone()));
        Some(Event { account: self.account.clone(), kind, at, body })
    }

    /// Returns an event about a payment or refund of this session, which can be a top-up of a budget.
    pub(crate) fn payment_event(&self, payment: &MerchantPayment, kind: EventKind, at: DateTime<Utc>) -> Event {
        let event = MerchantPaymentEvent { payment: payment.clone(), checkout: self.purpose.checkout() };
        Event { account: self.account.clone(), kind, at, body: EventBody::MerchantPayment(Box::new(event)) }
    }
}
