//! The `webhooks` section: the requests that receivers of events get.

use crate::views::envelope_schema;
use florin_domain::event::{EventKind, EventType};
use serde_json::{Map, Value, json};

/// Adds the section: for each type of events that happen, the request that delivers one.
pub(super) fn add(document: &mut Value) {
    let mut section = Map::new();
    for known in EventType::ALL {
        let Some(schema) = envelope_schema(known.kind) else { continue };
        let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
        let request = json!({
            "operationId": format!("on{}", known.name),
            "tags": ["Events"],
            "summary": about(known.kind),
            "requestBody": {"required": true, "content": {"application/json": {"schema": schema}}},
            "responses": {"2XX": {"description": "The event was received."}}
        });
        section.insert(known.name.to_owned(), json!({"post": request}));
    }
    document["webhooks"] = Value::Object(section);
}

/// The summary of a kind of event in the document.
const fn about(kind: EventKind) -> &'static str {
    match kind {
        EventKind::BoxCredited => "Money came into a budget: a credit, a transfer, or a payment that was returned",
        EventKind::BoxDebited => "Money left a budget: a transfer, or a payment with its fees",
        EventKind::CardTransaction => "A card message, approved or declined, or an expiry",
        EventKind::CardStateUpdated => "A card was created, or its state changed",
        EventKind::PaymentBatchCreated => "A payment batch became ready for approval",
        EventKind::PaymentBatchOrderCreated => "An order of a payment batch was approved",
        EventKind::PaymentBatchProcessing => "Processing of a payment batch has started",
        EventKind::PaymentBatchCompleted => "Every payment of a batch is final, whether or not any succeeded",
        EventKind::PaymentBatchCancelled => "A payment batch was cancelled",
        EventKind::PaymentBatchOrderCancelled => "An approved order was cancelled with its batch",
        EventKind::PaymentCreated => "A payment was handed to the bank",
        EventKind::PaymentReturned => "The recipient's bank returned a payment",
        _ => "",
    }
}
