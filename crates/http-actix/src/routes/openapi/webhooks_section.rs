//! The `webhooks` section of the document: the requests that Florin sends to receivers of events and to decision
//! endpoints.

use crate::views::envelope_schema;
use florin_domain::card::DecisionCode;
use florin_domain::event::{EventKind, EventType};
use serde_json::{Map, Value, json};

/// Adds the section: the request that delivers an event, for each event type, and the question to a decision endpoint.
pub(super) fn add(document: &mut Value) {
    let mut section = Map::new();
    for known in EventType::ALL {
        let schema = json!({"$ref": format!("#/components/schemas/{}", envelope_schema(known.kind))});
        let request = json!({
            "operationId": format!("on{}", known.name),
            "tags": ["Events"],
            "summary": about(known.kind),
            "requestBody": {"required": true, "content": {"application/json": {"schema": schema}}},
            "responses": {"2XX": {"description": "The event was received."}}
        });
        section.insert(known.name.to_owned(), json!({"post": request}));
    }
    section.insert("CardDecision".to_owned(), json!({"post": decision()}));
    document["webhooks"] = Value::Object(section);
}

/// Returns the operation of a decision endpoint: the question about a card message, and the schema of the reply.
fn decision() -> Value {
    let reply = json!({
        "type": "object",
        "required": ["decision"],
        "properties": {
            "decision": {"type": "string", "enum": ["APPROVE", "DECLINE", "PARTIAL"]},
            "code": {
                "description": "The response code of the decline; with `DECLINE` only. Default: `1885`.",
                "type": "string",
                "enum": DecisionCode::ALL.map(DecisionCode::code),
            },
            "amount": {
                "description": "The part to approve, in the currency of the question; with `PARTIAL` only.",
                "type": "string",
            },
        },
    });
    json!({
        "operationId": "onCardDecision",
        "tags": ["Cards"],
        "summary": "Asks whether to approve a card message (see `setCardDecisions`)",
        "requestBody": {"required": true, "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/CardDecisionQuestion"}}
        }},
        "responses": {"2XX": {
            "description": "The decision, within the time limit. Without a valid reply, the fallback applies.",
            "content": {"application/json": {"schema": reply}}
        }}
    })
}

/// Returns the summary of a kind of event for the document.
const fn about(kind: EventKind) -> &'static str {
    match kind {
        EventKind::BoxCredited => {
            "Money came into a budget: a credit, a top-up, a transfer, or a payment that was returned"
        }
        EventKind::BoxDebited => "Money left a budget: a transfer, or a payment with its fees",
        EventKind::CardTransaction => "A card message, approved or declined, or an expiry",
        EventKind::CardStateUpdated => "A card was created, or its state changed",
        EventKind::PaymentBatchCreated => "A payment batch was validated, so that it can be confirmed",
        EventKind::PaymentBatchOrderCreated => "A payment batch with this order was confirmed",
        EventKind::PaymentBatchProcessing => "Processing of a payment batch has started",
        EventKind::PaymentBatchCompleted => "Every payment of a batch is final, whether or not any succeeded",
        EventKind::PaymentBatchCancelled => "A payment batch was cancelled",
        EventKind::PaymentBatchOrderCancelled => "A confirmed payment batch with this order was cancelled",
        EventKind::PaymentCreated => "A payment of a batch was started, to be sent to the bank",
        EventKind::PaymentReturned => "The recipient's bank returned a payment",
        EventKind::MerchantCheckoutSessionCompleted => "The payer paid in a checkout session",
        EventKind::MerchantCheckoutSessionCancelled => "The merchant or the payer cancelled a checkout session",
        EventKind::MerchantCheckoutSessionAbandoned => "A checkout session that the payer had begun ran out of time",
        EventKind::MerchantCheckoutSessionExpired => "A checkout session ran out of time before the payer began",
        EventKind::MerchantPaymentFailed => {
            "A payment failed; the payer can choose a bank again until the session expires"
        }
        EventKind::MerchantRefundCompleted => "A refund was paid back",
        EventKind::MerchantPaymentReconciled => {
            "A payment arrived in the settlement account of a merchant whose payments are reconciled"
        }
    }
}
