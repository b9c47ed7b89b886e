//! The contents of events.

use super::BoxMovement;
use crate::batch::{Payment, PaymentBatchStatus, PaymentOrder};
use crate::card::{CardState, CardTransaction};
use crate::checkout::{CheckoutSession, MerchantPayment};
use crate::ids::{CardId, CheckoutId, PaymentBatchId};

/// The contents of an event, by the kind of its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventBody {
    /// Money of a budget.
    Box(Box<BoxMovement>),
    /// A card message.
    CardTransaction(Box<CardTransaction>),
    /// The state of a card.
    CardState(CardStateChange),
    /// A payment batch, or one of its orders.
    Batch(Box<BatchEvent>),
    /// A payment of a batch.
    Payment(Box<Payment>),
    /// A checkout session.
    CheckoutSession(Box<CheckoutSession>),
    /// A payment or refund of a checkout session.
    MerchantPayment(Box<MerchantPaymentEvent>),
}

/// A payment or refund of a checkout session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantPaymentEvent {
    /// The payment or refund.
    pub payment: MerchantPayment,
    /// The checkout of its session. `None`: a top-up of a budget.
    pub checkout: Option<CheckoutId>,
}

/// A change of the state of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardStateChange {
    /// The card.
    pub card: CardId,
    /// The state before; `None` if the card is new.
    pub previous: Option<CardState>,
    /// The state now.
    pub state: CardState,
    /// Why it changed.
    pub reason: Option<String>,
}

/// A payment batch, or one of its orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchEvent {
    /// The batch.
    pub batch: PaymentBatchId,
    /// Its name.
    pub name: String,
    /// Its status now.
    pub status: PaymentBatchStatus,
    /// The order, if the event is about one.
    pub order: Option<PaymentOrder>,
    /// What became of the payments, if all of them are final.
    pub result: Option<BatchResult>,
}

/// How many payments of a batch succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchResult {
    /// Payments that reached their recipients.
    pub succeeded: u64,
    /// The others: failed, or already returned.
    pub failed: u64,
}
