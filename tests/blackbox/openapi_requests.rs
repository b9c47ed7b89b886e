//! The schemas of request bodies are as strict as the server: a body that the server refuses with 400 does not match
//! them.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::openapi::document;
use crate::support::examples::{Examples, Operation};
use crate::support::{ABSENT, Server, expect_error, shared};

/// Returns the validator of the bodies of requests for an operation.
fn validator(id: &str) -> Validator {
    let operations =
        document()["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let operation = operations.into_iter().find(|operation| operation["operationId"] == id).unwrap();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [operation["requestBody"]["content"]["application/json"]["schema"]],
        "components": document()["components"]
    });
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// Returns the body of an example with changed members. Null removes a member.
fn changed(operation: &Operation, changes: &Value) -> Value {
    let mut body: Value = serde_json::from_str(operation.body.as_deref().unwrap()).unwrap();
    for (name, value) in changes.as_object().unwrap() {
        body[name] = value.clone();
        if value.is_null() {
            body.as_object_mut().unwrap().remove(name);
        }
    }
    body
}

#[test]
fn examples_of_requests_match_their_schemas() {
    let examples = Examples::of(shared());
    for operation in examples.operations.iter().filter(|operation| operation.is_json) {
        let (body, validator) = (changed(operation, &json!({})), validator(&operation.id));
        let wrong: Vec<_> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{}: {wrong:#?}", operation.id);
    }
}

/// Returns changes of examples about purchases, which the server refuses.
fn refused_purchases() -> Vec<(&'static str, Value)> {
    let item = json!({"name": "Mug", "quantity": 1, "unitPrice": "0.01"});
    let shipping = |country: &str| {
        let (name, line, city, postcode) = ("Ada Lovelace", "1 High Street", "London", "EC1A 1BB");
        json!({"recipientName": name, "addressLine1": line, "city": city, "postcode": postcode, "countryCode": country})
    };
    vec![
        ("createCheckoutSession", json!({"basket": {"items": []}})),
        ("createCheckoutSession", json!({"basket": {"items": vec![item; 501]}})),
        ("createCheckoutSession", json!({"payeeId": ABSENT})),
        ("createCheckoutSession", json!({"type": "TOP_UP", "basket": null})),
        ("createCheckoutSession", json!({"type": "TOP_UP", "payeeId": ABSENT})),
        ("createCheckoutSession", json!({"amount": {"amount": "1000000.01", "currencyCode": "GBP"}})),
        ("createCheckoutSession", json!({"amount": {"amount": "0.001", "currencyCode": "GBP"}})),
        ("createCheckoutSession", json!({"shipping": shipping("XX")})),
        ("payCheckoutSession", json!({"afterMinutes": 1})),
        ("payCheckoutSession", json!({"shipping": shipping("XX")})),
        ("authoriseMerchantRefund", json!({"outcome": "reject", "afterMinutes": 5})),
    ]
}

/// Returns changes of examples about merchants, which the server refuses.
fn refused_merchants() -> Vec<(&'static str, Value)> {
    let uk = json!({"type": "SORT_CODE", "sortCode": "200000", "accountNumber": "55779911"});
    let short = json!({"type": "SORT_CODE", "sortCode": "20000", "accountNumber": "55779911"});
    let long = json!({"type": "SORT_CODE", "sortCode": "200000", "accountNumber": "557799110"});
    let iban = json!({"type": "IBAN", "iban": "NL91 ABNA 0417 1643 00"});
    let rates = json!({"collectAddress": false, "dynamicRatesUrl": "https://rates.example/shipping"});
    vec![
        ("createCheckout", json!({"type": "TOP_UP", "settlementAccountId": null})),
        ("createCheckout", json!({"type": "TOP_UP", "shippingOptions": null})),
        ("createCheckout", json!({"shippingOptions": rates})),
        ("updateCheckout", json!({"shippingOptions": rates})),
        ("createSettlementAccount", json!({"currencyCode": "EUR"})),
        ("createSettlementAccount", json!({"bankDetails": iban})),
        ("createSettlementAccount", json!({"bankDetails": short})),
        ("createSettlementAccount", json!({"bankDetails": long})),
        ("createPayee", json!({"currencyCode": "GBP"})),
        ("createPayee", json!({"bankDetails": uk})),
        ("createPayee", json!({"bankDetails": {"type": "IBAN", "iban": "NL91"}})),
    ]
}

/// Returns changes of examples about cards and budgets, which the server refuses.
fn refused_cards() -> Vec<(&'static str, Value)> {
    let budgets = |count: usize, active: bool| {
        let named = |number| json!({"budgetId": format!("0190a1b2-0000-7000-8000-{number:012}"), "active": active});
        json!({
            "cardOwnerType": "PEOPLE",
            "budgetId": null,
            "personId": ABSENT,
            "budgets": (0..count).map(named).collect::<Value>()
        })
    };
    let acceptor = json!({"mid": "11111"});
    vec![
        ("createCard", budgets(0, true)),
        ("createCard", budgets(101, true)),
        ("createCard", budgets(2, false)),
        ("updateBudget", json!({"lowBalanceThreshold": null, "lowBalanceCurrencyCode": "GBP"})),
        ("clearTransaction", json!({"cardId": ABSENT})),
        ("clearTransaction", json!({"cardAcceptor": acceptor})),
        ("clearTransaction", json!({"forcePost": true, "finalClearing": true})),
        ("clearTransaction", json!({"precedingRelatedTransactionToken": null, "cardId": ABSENT, "forcePost": true})),
        ("clearTransaction", json!({"precedingRelatedTransactionToken": null})),
        ("setCardControls", json!({"blockedCountries": ["XXX"]})),
        ("playScenario", json!({"cardId": null})),
        ("playScenario", json!({"messages": [{"message": "debit", "body": {}}]})),
        (
            "playScenario",
            json!({"name": null, "cardId": null, "messages": [{"message": "debit", "body": {}, "disputeId": ABSENT}]}),
        ),
    ]
}

/// Returns changes of other examples, which the server refuses.
fn refused_others() -> Vec<(&'static str, Value)> {
    let url = |url: &str| ("createWebhook", json!({"url": url}));
    let filters = json!({"checkoutId": {"in": [ABSENT]}});
    vec![
        ("createWebhook", json!({"webhookEventTypeName": null})),
        ("createWebhook", json!({"webhookEventTypeName": null, "webhookEventTypeId": ABSENT})),
        ("createWebhook", json!({"filters": filters})),
        url("https://192.0.2.1/hooks"),
        url("https://example.com:22/hooks"),
        url("https://ada@example.com/hooks"),
        url("https://example.com/hooks#1"),
        url("https:///hooks"),
        ("setCardDecisions", json!({"url": "https://[2001:db8::1]/decisions"})),
        ("createIpAddress", json!({"ip": "192.0.2.256"})),
        ("createIpAddress", json!({"ip": "192.0.2.0/33"})),
        ("createIpAddress", json!({"ip": "1::2::3"})),
        ("createIpAddress", json!({"ip": "2001:db8::/129"})),
    ]
}

#[test]
fn refused_bodies_do_not_match_their_schemas() {
    let examples = Examples::of(shared());
    let client = shared().client();
    for (id, changes) in [refused_purchases(), refused_merchants(), refused_cards(), refused_others()].concat() {
        let operation = examples.find(id);
        let body = changed(operation, &changes);
        let answer = client.call(&operation.method, &operation.target).json(body.to_string()).send();
        expect_error(&answer, 400);
        assert!(!validator(id).is_valid(&body), "{id} allows {body}, which gets {answer:?}");
    }
}

/// Bodies near the limits match their schemas, and the server does not refuse them with 400.
#[test]
fn accepted_bodies_match_their_schemas() {
    let server = Server::sandbox();
    let (examples, client) = (Examples::of(&server), server.client());
    let url = |url: &str| ("createWebhook", json!({"url": url}));
    for (id, changes) in [
        ("createIpAddress", json!({"ip": "192.0.2.0/24"})),
        ("createIpAddress", json!({"ip": "2001:db8::/32"})),
        ("createIpAddress", json!({"ip": "::"})),
        ("createIpAddress", json!({"ip": "::1"})),
        ("createIpAddress", json!({"ip": "1:2:3:4:5:6:7:8"})),
        ("createIpAddress", json!({"ip": "1:2:3:4:5:6:7::"})),
        ("createIpAddress", json!({"ip": "fe80::1:2/64"})),
        url("https://Example.com"),
        url("http://localhost:9000/hooks?a=b"),
        url("http://127.0.0.1:1024/"),
        url("https://xn--bcher-kva.example:65535/hooks"),
        ("createTopUp", json!({"amount": {"amount": "0.01", "currencyCode": "GBP"}, "idempotencyKey": "least"})),
        ("createTopUp", json!({"amount": {"amount": "1000000.00", "currencyCode": "GBP"}, "idempotencyKey": "most"})),
        ("createTopUp", json!({"amount": {"amount": "0.1000", "currencyCode": "GBP"}, "idempotencyKey": "zeros"})),
        ("createPayee", json!({"bankDetails": {"type": "IBAN", "iban": "nl91abna0417164300"}})),
        ("setCardControls", json!({"blockedCountries": ["PRK", "GBR"]})),
    ] {
        let operation = examples.find(id);
        let body = changed(operation, &changes);
        let answer = client.call(&operation.method, &operation.target).json(body.to_string()).send();
        assert!(!matches!(answer.status, 400 | 413 | 415), "{id}: {body} gets {answer:?}");
        let validator = validator(id);
        let wrong: Vec<_> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{id}: {body}: {wrong:#?}");
    }
}
