//! The contents of events, before they are rendered.

use super::BudgetEvent;
use crate::batch::{Payment, PaymentBatchStatus, PaymentOrder};
use crate::card::{CardState, CardTransaction};
use crate::checkout::{CheckoutSession, MerchantPayment};
use crate::ids::{CardId, CheckoutId, PaymentBatchId};

/// The contents of an event, by the kind of change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventBody {
    /// Money entered or left a budget.
    Budget(Box<BudgetEvent>),
    /// A card message was recorded.
    CardTransaction(Box<CardTransaction>),
    /// A card was created or changed its state.
    CardState(CardStateChange),
    /// A payment batch or one of its orders changed.
    Batch(Box<BatchEvent>),
    /// A payment of a batch changed.
    Payment(Box<Payment>),
    /// A checkout session ended.
    CheckoutSession(Box<CheckoutSession>),
    /// A payment or refund of a checkout session ended.
    MerchantPayment(Box<MerchantPaymentEvent>),
}

/// A payment or refund of a checkout session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantPaymentEvent {
    /// The payment or refund.
    pub payment: MerchantPayment,
    /// The checkout of the session. `None`: a top-up of a budget.
    pub checkout: Option<CheckoutId>,
}

/// The creation of a card, or a change of its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardStateChange {
    /// The card.
    pub card: CardId,
    /// The state before; `None` if the card is new.
    pub previous: Option<CardState>,
    /// The state after the change.
    pub state: CardState,
    /// The reason for the change, if there is one.
    pub reason: Option<String>,
}

/// A payment batch, or one of its orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchEvent {
    /// The id of the batch.
    pub batch: PaymentBatchId,
    /// The name of the batch.
    pub name: String,
    /// The status of the batch after the change.
    pub status: PaymentBatchStatus,
    /// The order. `None`: the event is about the whole batch.
    pub order: Option<PaymentOrder>,
    /// The numbers of succeeded and failed payments. `None`: not all payments are final.
    pub result: Option<BatchResult>,
}

/// The numbers of payments of a batch that succeeded and failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchResult {
    /// Number of payments that reached their recipients.
    pub succeeded: u64,
    /// Number of all other payments: failed, or already returned.
    pub failed: u64,
}
