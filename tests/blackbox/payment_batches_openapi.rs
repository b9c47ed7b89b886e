//! Payment batches in the OpenAPI document: every operation is described, and answers match their descriptions.

use serde_json::{Value, json};

use crate::openapi::{assert_documented, document, operation};
use crate::support::assert::text;
use crate::support::payments::{
    BATCHES, TEMPLATE, below, create, euros, filled, fresh_sandbox, path, pounds, rows, upload, uploaded,
};
use crate::support::{ABSENT, Wallet, demo, shared};

const BATCH: &str = "/v2/payment-batches/{paymentBatchId}";
const PAYMENTS: &str = "/v2/payment-batches/{paymentBatchId}/payments";
const ALERTS: &str = "/v2/payment-batches/{paymentBatchId}/alerts";
const VALIDATE: &str = "/v2/payment-batches/{paymentBatchId}/validate";
const DOWNLOAD: &str = "/v2/payment-batches/{paymentBatchId}/payments/download";

const READING: [u16; 4] = [400, 401, 403, 404];
const WRITING: [u16; 8] = [400, 401, 403, 404, 409, 413, 415, 422];

/// Method, path, success statuses, error statuses, and query parameters.
type Row = (&'static str, &'static str, &'static [u16], &'static [u16], &'static [&'static str]);

const ALL: [Row; 11] = [
    ("get", BATCHES, &[200], &READING, &["limit", "offset", "sort", "ids", "statuses", "includeHidden"]),
    ("post", BATCHES, &[201, 202], &WRITING, &[]),
    ("get", BATCH, &[200], &READING, &[]),
    ("patch", BATCH, &[200], &WRITING, &[]),
    ("delete", BATCH, &[204], &WRITING, &[]),
    ("get", PAYMENTS, &[200], &READING, &["limit", "offset", "sort", "statuses"]),
    ("post", PAYMENTS, &[202], &WRITING, &["defaultFundingBudgetId"]),
    ("get", ALERTS, &[200], &READING, &["limit", "offset", "sort", "alertType", "alertCode", "from", "to"]),
    ("get", VALIDATE, &[200], &READING, &[]),
    ("post", DOWNLOAD, &[200], &[400, 401, 403, 404, 413, 415], &["statuses", "orderIds"]),
    ("get", TEMPLATE, &[200], &[401, 403], &[]),
];

#[test]
fn operations_and_their_answers_are_described() {
    let mut missing = Vec::new();
    for (method, path, successes, errors, parameters) in ALL {
        let described_operation = operation(method, path);
        for status in successes.iter().chain(errors) {
            if described_operation["responses"].get(status.to_string()).is_none() {
                missing.push(format!("{method} {path} {status}"));
            }
        }
        let known: Vec<_> = described_operation["parameters"].as_array().into_iter().flatten().collect();
        let account: &[&str] = if path == TEMPLATE { &[] } else { &["accountId"] };
        for name in parameters.iter().chain(account) {
            if !known.iter().any(|parameter| parameter["in"] == "query" && parameter["name"] == *name) {
                missing.push(format!("{method} {path} {name}"));
            }
        }
        if path.contains('{') && !known.iter().any(|parameter| parameter["in"] == "path") {
            missing.push(format!("{method} {path} paymentBatchId"));
        }
        let has_key = known.iter().any(|parameter| parameter["name"] == "Idempotency-Key");
        if has_key != (method != "get" && path != DOWNLOAD) {
            missing.push(format!("{method} {path} Idempotency-Key"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    for (method, path) in [("post", BATCHES), ("patch", BATCH), ("post", PAYMENTS)] {
        assert!(operation(method, path)["requestBody"].is_object(), "{method} {path}");
    }
    for (method, path, status) in [("post", DOWNLOAD, "200"), ("get", TEMPLATE, "200")] {
        assert!(operation(method, path)["responses"][status]["content"]["text/csv"].is_object(), "{path}");
    }
    let content = &operation("post", PAYMENTS)["requestBody"]["content"];
    assert!(content["text/csv"].is_object() && content["application/json"].is_object(), "{content}");
}

#[test]
fn reads_answer_as_described() {
    let (server, client) = fresh_sandbox();
    Wallet::with(&server, "EUR", 1_000);
    let batch = create(&client, "x");
    uploaded(&client, &batch, rows(&[pounds("x", "a"), euros("11", "b"), json!({})]));
    let short = filled(&client, &[euros("11", "b")]);
    for id in [&batch, &short, &demo().batch("completed"), &demo().batch("confirmed"), &ABSENT.to_owned()] {
        assert_documented("get", BATCH, &client.get(&path(id)));
        assert_documented("get", PAYMENTS, &client.get(&below(id, "payments")));
        assert_documented("get", ALERTS, &client.get(&below(id, "alerts")));
        assert_documented("get", VALIDATE, &client.get(&below(id, "validate")));
    }
    assert_documented("get", BATCHES, &client.get(BATCHES));
    assert_documented("get", BATCHES, &client.get(&format!("{BATCHES}?limit=0")));
    assert_documented("get", TEMPLATE, &client.with_authorization(None).get(TEMPLATE));
}

#[test]
fn writes_answer_as_described() {
    let (_server, client) = fresh_sandbox();
    assert_documented("post", BATCHES, &client.post(BATCHES, "{}"));
    assert_documented("post", BATCHES, &client.post(BATCHES, json!({"payments": {"rows": [{}]}}).to_string()));
    assert_documented("post", BATCHES, &client.post(BATCHES, "{\"x\": 1}"));
    let batch = create(&client, "x");
    assert_documented("post", PAYMENTS, &upload(&client, &batch, rows(&[pounds("1", "a")])));
    assert_documented("post", PAYMENTS, &upload(&client, &demo().batch("failed"), rows(&[])));
    assert_documented("post", PAYMENTS, &client.call("POST", &below(&batch, "payments")).bytes("x").send());
    assert_documented("patch", BATCH, &client.call("PATCH", &path(&batch)).json("{\"name\": \"y\"}").send());
    assert_documented("patch", BATCH, &client.call("PATCH", &path(&batch)).json("{\"name\": 1}").send());
    assert_documented("delete", BATCH, &client.call("DELETE", &path(&demo().batch("started"))).send());
    assert_documented("post", DOWNLOAD, &client.post(&below(ABSENT, "payments/download"), ""));
}

/// Returns the schema of a request's body.
fn body_schema(method: &str, path: &str) -> Value {
    let schema = &operation(method, path)["requestBody"]["content"]["application/json"]["schema"];
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [schema],
        "components": document()["components"]
    })
}

#[test]
fn bodies_match_their_descriptions() {
    let row = json!({"amount": "1", "recipient": {"name": "Ada", "address": {"city": "x"}, "bankAddress": null,
        "subscribedEmails": [{"email": "a@b.example"}]}});
    let validator = jsonschema::validator_for(&body_schema("post", PAYMENTS)).unwrap();
    let client = shared().client();
    let batch = create(&client, "described");
    for (body, is_valid) in [
        (json!({"rows": [row]}), true),
        (json!({"rows": [], "defaultFundingBudgetId": null}), true),
        (json!({}), false),
        (json!({"rows": [{"amount": 1}]}), false),
        (json!({"rows": [{"recipient": {"email": "a"}}]}), false),
        (json!({"rows": [{"recipient": {"address": {"country": "a"}}}]}), false),
    ] {
        assert_eq!(validator.is_valid(&body), is_valid, "{body}");
        let status = upload(&client, &batch, body.to_string()).status;
        assert_eq!(status, if is_valid { 202 } else { 400 }, "{body}");
    }
    let validator = jsonschema::validator_for(&body_schema("post", BATCHES)).unwrap();
    assert!(validator.is_valid(&json!({"name": "x", "payments": {"rows": [row]}})));
    assert!(!validator.is_valid(&json!({"nmae": "x"})));
    assert!(text(operation("post", BATCHES), "/operationId") == "createPaymentBatch");
}
