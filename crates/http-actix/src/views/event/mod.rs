//! Event envelopes. A store stores them exactly as they are rendered here.

mod bodies;
mod merchant_bodies;
mod movement_bodies;

pub(crate) use bodies::{
    BatchChanged, BatchCompleted, BatchOrderChanged, CardStateUpdated, CardTransacted, PaymentCreated, PaymentReturned,
};
pub(crate) use merchant_bodies::{MerchantPaymentEnded, MerchantPaymentFailed, SessionEnded};
pub(crate) use movement_bodies::{BoxCredited, BoxDebited};

use bodies::Common;
use chrono::{DateTime, SecondsFormat, Utc};
use florin_domain::event::{Event, EventBody, EventKind, EventType, StoredEvent};
use florin_domain::ids::EventId;
use florin_ports::{Clock, EventRenderer, IdSource, StoreError};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use utoipa::openapi::schema::{AnyOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

/// Renders events with the views of the API, so that objects look the same in events and responses.
pub struct EventViews {
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

impl EventViews {
    /// Creates a renderer with the machine's clock and a source of random ids.
    pub fn new(clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        Self { clock, ids }
    }
}

impl fmt::Debug for EventViews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventViews").finish_non_exhaustive()
    }
}

impl EventRenderer for EventViews {
    fn next_id(&self) -> EventId {
        EventId(self.ids.next_id())
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    fn envelope(&self, event: &Event, id: EventId, sequence: u64) -> Result<String, StoreError> {
        envelope(event, id, sequence)
    }
}

/// Renders the envelope of an event as a JSON text.
pub(crate) fn envelope(event: &Event, id: EventId, sequence: u64) -> Result<String, StoreError> {
    let common = Common { event, id, sequence };
    match &event.body {
        EventBody::Budget(movement) if event.kind == EventKind::BoxCredited => {
            json_text(&BoxCredited::new(common, movement))
        }
        EventBody::Budget(movement) => json_text(&BoxDebited::new(common, movement)),
        EventBody::CardTransaction(message) => json_text(&CardTransacted::new(common, message)),
        EventBody::CardState(change) => json_text(&CardStateUpdated::new(common, change)),
        EventBody::Batch(batch) => match (&batch.order, batch.result) {
            (Some(order), _) => json_text(&BatchOrderChanged::new(common, (batch, order))),
            (None, Some(result)) => json_text(&BatchCompleted::new(common, (batch, result))),
            (None, None) => json_text(&BatchChanged::new(common, batch)),
        },
        EventBody::Payment(payment) if event.kind == EventKind::PaymentReturned => {
            json_text(&PaymentReturned::new(common, payment))
        }
        EventBody::Payment(payment) => json_text(&PaymentCreated::new(common, payment)),
        EventBody::CheckoutSession(session) => json_text(&SessionEnded::new(common, session)),
        EventBody::MerchantPayment(body) if event.kind == EventKind::MerchantPaymentFailed => {
            json_text(&MerchantPaymentFailed::new(common, &body.payment))
        }
        EventBody::MerchantPayment(body) => json_text(&MerchantPaymentEnded::new(common, &body.payment)),
    }
}

fn json_text(envelope: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(envelope).map_err(|error| StoreError::Corrupt(format!("an event can't be rendered: {error}")))
}

/// Returns the name of the envelope's schema for a kind of event.
pub(crate) const fn envelope_schema(kind: EventKind) -> &'static str {
    match kind {
        EventKind::BoxCredited => "BoxCreditedEvent",
        EventKind::BoxDebited => "BoxDebitedEvent",
        EventKind::CardTransaction => "CardTransactionEvent",
        EventKind::CardStateUpdated => "CardStateUpdatedEvent",
        EventKind::PaymentBatchCreated | EventKind::PaymentBatchProcessing | EventKind::PaymentBatchCancelled => {
            "PaymentBatchEvent"
        }
        EventKind::PaymentBatchOrderCreated | EventKind::PaymentBatchOrderCancelled => "PaymentBatchOrderEvent",
        EventKind::PaymentBatchCompleted => "PaymentBatchCompletedEvent",
        EventKind::PaymentCreated => "PaymentCreatedEvent",
        EventKind::PaymentReturned => "PaymentReturnedEvent",
        EventKind::MerchantCheckoutSessionCompleted
        | EventKind::MerchantCheckoutSessionCancelled
        | EventKind::MerchantCheckoutSessionAbandoned
        | EventKind::MerchantCheckoutSessionExpired => "MerchantCheckoutSessionEvent",
        EventKind::MerchantPaymentFailed => "MerchantPaymentFailedEvent",
        EventKind::MerchantRefundCompleted | EventKind::MerchantPaymentReconciled => "MerchantPaymentEvent",
    }
}

/// The envelope of an event, exactly as it was stored.
pub(crate) struct StoredEventView(Box<RawValue>);

impl TryFrom<StoredEvent> for StoredEventView {
    type Error = serde_json::Error;

    fn try_from(event: StoredEvent) -> Result<Self, Self::Error> {
        RawValue::from_string(event.body).map(Self)
    }
}

impl Serialize for StoredEventView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl PartialSchema for StoredEventView {
    fn schema() -> RefOr<Schema> {
        let mut names: Vec<_> = EventKind::ALL.iter().map(|kind| envelope_schema(*kind)).collect();
        names.sort_unstable();
        names.dedup();
        // `anyOf` instead of `oneOf`: for `oneOf`, linters require schemas that differ outside of `body`.
        let all = names.into_iter().fold(AnyOfBuilder::new(), |all, name| all.item(Ref::from_schema_name(name)));
        RefOr::T(Schema::AnyOf(all.description(Some("The envelope of an event.")).build()))
    }
}

impl ToSchema for StoredEventView {
    fn name() -> Cow<'static, str> {
        "Event".into()
    }
}

/// An event type.
#[derive(Serialize, ToSchema)]
#[schema(as = EventType)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventTypeView {
    /// The id of the event type.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The name of the event type.
    name: &'static str,
    /// Whether events of this type occur. Always true.
    enabled: bool,
    /// When the event type was added, with milliseconds.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the event type last changed, with milliseconds.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<&EventType> for EventTypeView {
    fn from(event_type: &EventType) -> Self {
        /// The time at which the event types were added: 2026-11-22T00:00:00Z.
        const ADDED: i64 = 1_795_305_600;
        let added = DateTime::from_timestamp(ADDED, 0).unwrap_or_default();
        let added = added.to_rfc3339_opts(SecondsFormat::Millis, true);
        Self { id: event_type.id, name: event_type.name, enabled: true, created_at: added.clone(), updated_at: added }
    }
}
