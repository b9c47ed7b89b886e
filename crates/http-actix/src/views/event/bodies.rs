//! The bodies of events.

use crate::views::{Amount, PaymentView, Time, TransactionView};
use florin_domain::batch::{Payment, PaymentOrder};
use florin_domain::card::CardTransaction;
use florin_domain::event::{BatchEvent, BatchResult, CardStateChange, Event};
use florin_domain::ids::EventId;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The values of the members that all event bodies have.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub(super) event: &'a Event,
    pub(super) id: EventId,
    pub(super) sequence: u64,
}

/// Declares event bodies. Each declaration has the members that only its body has, the envelope, and how the body is
/// built.
macro_rules! bodies {
    ($(
        $(#[$doc:meta])*
        struct $body:ident as $schema:ident in $envelope:ident as $envelope_schema:ident ($names:literal) {
            $($(#[$member_doc:meta])* $member:ident: $type:ty,)*
        }
        from |$common:ident, $source:ident: $source_type:ty| { $($init:tt)* }
    )+) => {$(
        $(#[$doc])*
        #[derive(Serialize, ToSchema)]
        #[schema(as = $envelope_schema)]
        pub(crate) struct $envelope<'a> {
            body: $body<'a>,
        }

        $(#[$doc])*
        #[derive(Serialize, ToSchema)]
        #[schema(as = $schema)]
        #[serde(rename_all = "camelCase")]
        struct $body<'a> {
            /// The id of the account.
            account_id: &'a str,
            /// The id of the object whose events `sequence` counts.
            #[schema(value_type = String, format = Uuid)]
            object_id: Uuid,
            /// When the event happened, by the clock of the account.
            #[schema(value_type = String, format = DateTime)]
            occurred_at: Time,
            /// The number of the event among those of its object, from 1; 0 for a test event.
            #[schema(minimum = 0)]
            sequence: u64,
            $($(#[$member_doc])* $member: $type,)*
            /// Whether this is a test event that a client requested; absent in real events.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            test: Option<bool>,
            /// The id of the event, which is the same in every delivery.
            #[schema(value_type = String, format = Uuid)]
            message_id: Uuid,
            /// The type of the event.
            #[schema(pattern = $names)]
            webhook_event_type_name: &'static str,
        }

        impl<'a> $envelope<'a> {
            pub(super) fn new($common: Common<'a>, $source: $source_type) -> Self {
                Self {
                    body: $body {
                        account_id: $common.event.account.as_str(),
                        object_id: $common.event.object().id(),
                        occurred_at: Time($common.event.at),
                        sequence: $common.sequence,
                        test: None,
                        message_id: $common.id.0,
                        webhook_event_type_name: $common.event.kind.as_str(),
                        $($init)*
                    },
                }
            }
        }
    )+};
}

pub(super) use bodies;

bodies! {
    /// A card message was approved or declined, or a hold expired.
    struct CardTransactionBody as CardTransactionBody in CardTransacted as CardTransactionEvent ("^CardTransaction$") {
        /// The id of the card.
        #[schema(value_type = String, format = Uuid)]
        card_id: Uuid,
        /// The id of the budget that the card spends from.
        #[schema(value_type = String, format = Uuid)]
        budget_id: Uuid,
        /// The record of the message, as in the response of the API.
        transaction: TransactionView<'a>,
    }
    from |common, message: &'a CardTransaction| {
        card_id: message.card.0,
        budget_id: message.budget.0,
        transaction: TransactionView::from(message),
    }

    /// A card was created, or its state changed.
    struct CardStateBody as CardStateUpdatedBody in CardStateUpdated as CardStateUpdatedEvent ("^CardStateUpdated$") {
        /// The id of the card.
        #[schema(value_type = String, format = Uuid)]
        card_id: Uuid,
        /// The previous state; null if the card is new.
        #[schema(required)]
        previous_state: Option<&'static str>,
        /// The new state.
        state: &'static str,
        /// The reason for the change; null if none was given.
        #[schema(required)]
        reason: Option<&'a str>,
    }
    from |common, change: &'a CardStateChange| {
        card_id: change.card.0,
        previous_state: change.previous.map(florin_domain::card::CardState::as_str),
        state: change.state.as_str(),
        reason: change.reason.as_deref(),
    }

    /// A payment batch was validated, started or cancelled.
    struct BatchBody as PaymentBatchBody in BatchChanged as PaymentBatchEvent
        ("^(PaymentBatchCreated|PaymentBatchProcessing|PaymentBatchCancelled)$")
    {
        /// The id of the batch.
        #[schema(value_type = String, format = Uuid)]
        payment_batch_id: Uuid,
        /// The name of the batch.
        name: &'a str,
        /// The status of the batch.
        status: &'static str,
    }
    from |common, batch: &'a BatchEvent| {
        payment_batch_id: batch.batch.0,
        name: &batch.name,
        status: batch.status.as_str(),
    }

    /// A payment batch with this order was confirmed, or cancelled after that.
    struct BatchOrderBody as PaymentBatchOrderBody in BatchOrderChanged as PaymentBatchOrderEvent
        ("^(PaymentBatchOrderCreated|PaymentBatchOrderCancelled)$")
    {
        /// The id of the batch.
        #[schema(value_type = String, format = Uuid)]
        payment_batch_id: Uuid,
        /// The name of the batch.
        name: &'a str,
        /// The status of the batch.
        status: &'static str,
        /// The order.
        order: EventOrderView,
    }
    from |common, source: (&'a BatchEvent, &'a PaymentOrder)| {
        payment_batch_id: source.0.batch.0,
        name: &source.0.name,
        status: source.0.status.as_str(),
        order: EventOrderView::from(source.1),
    }

    /// Every payment of a batch is final, whether or not any succeeded.
    struct BatchCompletedBody as PaymentBatchCompletedBody in BatchCompleted as PaymentBatchCompletedEvent
        ("^PaymentBatchCompleted$")
    {
        /// The id of the batch.
        #[schema(value_type = String, format = Uuid)]
        payment_batch_id: Uuid,
        /// The name of the batch.
        name: &'a str,
        /// The status of the batch: `completed`, or `failed` if no payment succeeded.
        status: &'static str,
        /// The numbers of payments that succeeded and failed.
        summary: SummaryView,
    }
    from |common, source: (&'a BatchEvent, BatchResult)| {
        payment_batch_id: source.0.batch.0,
        name: &source.0.name,
        status: source.0.status.as_str(),
        summary: SummaryView { succeeded: source.1.succeeded, failed: source.1.failed },
    }

    /// A payment of a batch was started, to be sent to the bank.
    struct PaymentCreatedBody as PaymentCreatedBody in PaymentCreated as PaymentCreatedEvent ("^PaymentCreated$") {
        /// The id of the batch.
        #[schema(value_type = String, format = Uuid)]
        payment_batch_id: Uuid,
        /// The payment, as in responses of the API.
        payment: PaymentView,
    }
    from |common, payment: &'a Payment| {
        payment_batch_id: payment.batch.0,
        payment: PaymentView::from(payment.clone()),
    }

    /// The recipient's bank returned a payment.
    struct PaymentReturnedBody as PaymentReturnedBody in PaymentReturned as PaymentReturnedEvent ("^PaymentReturned$") {
        /// The id of the batch.
        #[schema(value_type = String, format = Uuid)]
        payment_batch_id: Uuid,
        /// The payment, as in responses of the API.
        payment: PaymentView,
        /// Why the payment was returned.
        #[schema(required)]
        reason: Option<&'static str>,
    }
    from |common, payment: &'a Payment| {
        payment_batch_id: payment.batch.0,
        payment: PaymentView::from(payment.clone()),
        reason: payment.state.failure().map(florin_domain::batch::FailureReason::as_str),
    }
}

/// An order of a payment batch.
#[derive(Serialize, ToSchema)]
#[schema(as = EventOrder)]
#[serde(rename_all = "camelCase")]
struct EventOrderView {
    /// The id of the order.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The budget that funds the order.
    #[schema(value_type = String, format = Uuid)]
    funding_budget_id: Uuid,
    /// The sum of the amounts of the order's payments.
    #[schema(value_type = String)]
    amount: Amount,
    /// The number of payments of the order.
    #[schema(minimum = 1)]
    number_of_payments: u64,
}

impl From<&PaymentOrder> for EventOrderView {
    fn from(order: &PaymentOrder) -> Self {
        Self {
            id: order.id.0,
            currency_code: order.currency.code(),
            funding_budget_id: order.budget.0,
            amount: Amount(order.total.of(order.currency)),
            number_of_payments: order.payments,
        }
    }
}

/// The numbers of payments of a batch that succeeded and failed.
#[derive(Serialize, ToSchema)]
#[schema(as = EventSummary)]
struct SummaryView {
    /// Number of payments that reached their recipients.
    #[schema(minimum = 0)]
    succeeded: u64,
    /// Number of all other payments.
    #[schema(minimum = 0)]
    failed: u64,
}
