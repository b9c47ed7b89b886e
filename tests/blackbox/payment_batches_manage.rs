//! Creating, reading, editing and deleting payment batches.

use serde_json::{Value, json};

use crate::support::assert::{members, text, time, uuid};
use crate::support::payments::{
    BATCHES, below, confirmed, create, euros, filled, find, fresh_sandbox, path, payments, pounds, rows, upload,
};
use crate::support::table::{Table, bad};
use crate::support::{ABSENT, Client, Wallet, demo, expect_fault, expect_faults, expect_json, shared};

const MEMBERS: [&str; 15] = [
    "accountId",
    "alerts",
    "confirmedAt",
    "confirmedBy",
    "createdAt",
    "createdBy",
    "id",
    "input",
    "name",
    "ordersSentAt",
    "ordersSummary",
    "passedMfaCheckAt",
    "status",
    "updatedAt",
    "visible",
];

fn patch(client: &Client, batch: &str, body: &Value) -> Value {
    expect_json(&client.call("PATCH", &path(batch)).json(body.to_string()).send(), 200)
}

fn delete(client: &Client, batch: &str) -> crate::support::Answer {
    client.call("DELETE", &path(batch)).send()
}

#[test]
fn an_empty_batch_has_every_member() {
    let (_server, client) = fresh_sandbox();
    let batch = expect_json(&client.post(BATCHES, "{}"), 201);
    assert_eq!(members(&batch), MEMBERS);
    uuid(&batch["id"]);
    assert_eq!(time(&batch["createdAt"]), time(&batch["updatedAt"]));
    let name = text(&batch, "/name");
    assert!(name.starts_with("Payment batch 20") && name.len() == "Payment batch 2026-09-01 12:00".len(), "{name}");
    assert_eq!(members(&batch["createdBy"]), ["id", "type"]);
    assert_eq!(batch["createdBy"]["type"], "client");
    for nothing in ["confirmedAt", "confirmedBy", "input", "ordersSentAt", "passedMfaCheckAt"] {
        assert!(batch[nothing].is_null(), "{nothing}: {batch}");
    }
    assert_eq!((&batch["status"], &batch["visible"]), (&json!("draft"), &json!(true)));
    assert_eq!(batch["ordersSummary"], json!({"numberOfOrders": 0, "uniqueCurrencyCodes": []}));
    assert_eq!(batch["alerts"], json!([]));
    assert_eq!(find(&client, text(&batch, "/id")), batch);
    assert_eq!(find(&client, &text(&batch, "/id").to_uppercase()), batch);
}

#[test]
fn a_batch_created_with_payments_is_accepted_and_locked() {
    let (_server, client) = fresh_sandbox();
    let payments_of =
        json!({"defaultFundingBudgetId": demo().budget("GBP"), "rows": [pounds("1", "a"), euros("2", "b")]});
    let body = json!({"name": "Wages", "visible": false, "payments": payments_of});
    let batch = expect_json(&client.post(BATCHES, body.to_string()), 202);
    assert_eq!(
        (&batch["name"], &batch["visible"], &batch["status"]),
        (&json!("Wages"), &json!(false), &json!("validated"))
    );
    let orders = json!({"numberOfOrders": 2, "uniqueCurrencyCodes": ["EUR", "GBP"]});
    assert_eq!(batch["ordersSummary"], orders);
    assert_eq!(members(&batch["input"]), ["createdAt", "format", "status", "updatedAt"]);
    assert_eq!((&batch["input"]["format"], &batch["input"]["status"]), (&json!("json"), &json!("validated")));
    let id = text(&batch, "/id");
    let refused = upload(&client, id, rows(&[pounds("1", "a")]));
    expect_fault(&refused, 409, "path.paymentBatchId", "invalid_state");
    assert_eq!(payments(&client, id).len(), 2);
    assert_eq!(find(&client, id), batch);
}

#[test]
fn every_fault_of_a_body_is_reported_and_nothing_is_created() {
    let (_server, client) = fresh_sandbox();
    let count = || expect_json(&client.get(BATCHES), 200)["count"].clone();
    let before = count();
    let mut table = Table::default();
    for (body, path, code) in [
        ("{\"name\": \"\"}".to_owned(), "body.name", "invalid_format"),
        (json!({"name": "x".repeat(257)}).to_string(), "body.name", "too_long"),
        ("{\"name\": 1}".to_owned(), "body.name", "invalid_type"),
        ("{\"name\": \"a\\u0000\"}".to_owned(), "body.name", "invalid_format"),
        ("{\"visible\": \"true\"}".to_owned(), "body.visible", "invalid_type"),
        ("{\"visible\": true, \"visible\": true}".to_owned(), "body.visible", "duplicate_field"),
        ("{\"status\": \"draft\"}".to_owned(), "body.status", "unknown_field"),
        ("{\"payments\": []}".to_owned(), "body.payments", "invalid_type"),
        ("{\"payments\": {}}".to_owned(), "body.payments.rows", "required"),
        ("{\"payments\": {\"rows\": {}}}".to_owned(), "body.payments.rows", "invalid_type"),
        ("{\"payments\": {\"rows\": [{\"amount\": 1}]}}".to_owned(), "body.payments.rows[0].amount", "invalid_type"),
        ("null".to_owned(), "body", "invalid_type"),
        ("{".to_owned(), "body", "invalid_json"),
        (String::new(), "body", "required"),
    ] {
        table.check(&bad(&body, path, code), &client.post(BATCHES, &body));
    }
    table.assert_passed(14);
    let several =
        "{\"name\": 1, \"payments\": {\"defaultFundingBudgetId\": \"x\", \"rows\": [{}, {\"amout\": \"1\"}]}}";
    let faults = [
        ("body.name", "invalid_type"),
        ("body.payments.defaultFundingBudgetId", "invalid_format"),
        ("body.payments.rows[1].amout", "unknown_field"),
        ("query.accountId", "required"),
    ];
    expect_faults(&client.post(&format!("{BATCHES}?"), several), 400, &faults);
    assert_eq!(count(), before);
}

#[test]
fn names_and_visibility_can_be_changed_in_any_state() {
    let (_server, client) = fresh_sandbox();
    for status in ["draft", "validated", "confirmed", "started", "completed", "failed", "cancelled"] {
        let batch = demo().batch(status);
        let before = find(&client, &batch);
        let after = patch(&client, &batch, &json!({"name": "ä".repeat(256), "visible": false}));
        assert_eq!((text(&after, "/name"), &after["visible"]), ("ä".repeat(256).as_str(), &json!(false)));
        assert_eq!(after["status"], before["status"]);
        assert_eq!(find(&client, &batch), after);
        let same = patch(&client, &batch, &json!({"name": null}));
        assert_eq!(same, after, "null and missing members change nothing");
        assert_eq!(patch(&client, &batch, &json!({"visible": true}))["visible"], true);
    }
    let batch = demo().batch("draft");
    let bad = json!({"name": "", "visible": 1, "status": "confirmed"}).to_string();
    let faults = [("body.name", "invalid_format"), ("body.visible", "invalid_type"), ("body.status", "unknown_field")];
    expect_faults(&client.call("PATCH", &path(&batch)).json(bad).send(), 400, &faults);
    expect_fault(&client.call("PATCH", &path(&batch)).json("").send(), 400, "body", "required");
}

#[test]
fn a_deleted_batch_is_cancelled_and_can_still_be_read() {
    let (_server, client) = fresh_sandbox();
    let batch = filled(&client, &[pounds("1.50", "a")]);
    let answer = delete(&client, &batch);
    assert_eq!((answer.status, answer.body.len()), (204, 0), "{answer:?}");
    assert_eq!(answer.header("content-type"), None);
    let found = find(&client, &batch);
    assert_eq!(found["status"], "cancelled");
    assert_eq!(payments(&client, &batch)[0]["status"], "cancelled");
    let again = expect_fault(&delete(&client, &batch), 409, "path.paymentBatchId", "invalid_state");
    assert!(again.message.contains("cancelled"), "{}", again.message);
    let refused = expect_fault(&upload(&client, &batch, rows(&[])), 409, "path.paymentBatchId", "invalid_state");
    assert!(refused.message.contains("cancelled"), "{}", refused.message);
    for status in ["started", "completed", "failed"] {
        let fault = expect_fault(&delete(&client, &demo().batch(status)), 409, "path.paymentBatchId", "invalid_state");
        assert!(fault.message.contains(status), "{}", fault.message);
    }
}

#[test]
fn deleting_a_confirmed_batch_releases_its_money() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 100_000);
    let batch = filled(&client, &[pounds("12.34", "SBX-PENDING"), pounds("0.66", "SBX-PENDING 2")]);
    confirmed(&client, &batch);
    assert_eq!(wallet.balance().available, 98_700);
    // Processing may have started already. Then the deletion is too late, and the money stays reserved.
    let deleted = delete(&client, &batch).status == 204;
    assert_eq!(wallet.balance().available, if deleted { 100_000 } else { 98_700 });
}

#[test]
fn a_delete_needs_no_body() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let with =
        |media: &str, body: &str| client.call("DELETE", &path(&batch)).header("Content-Type", media).bytes(body).send();
    expect_fault(&with("application/json", "{\"why\": 1}"), 400, "body.why", "unknown_field");
    expect_fault(&with("text/plain", "x"), 415, "header.Content-Type", "unsupported_media_type");
    assert_eq!(with("application/json", " { } ").status, 204);
}

#[test]
fn absent_batches_are_404_everywhere() {
    let client = shared().client();
    for (method, path, body) in [
        ("GET", path(ABSENT), ""),
        ("PATCH", path(ABSENT), "{}"),
        ("DELETE", path(ABSENT), ""),
        ("GET", below(ABSENT, "payments"), ""),
        ("POST", below(ABSENT, "payments"), "{\"rows\": []}"),
        ("GET", below(ABSENT, "alerts"), ""),
        ("GET", below(ABSENT, "validate"), ""),
        ("POST", below(ABSENT, "payments/download"), ""),
    ] {
        let call = client.call(method, &path);
        let answer = if body.is_empty() { call.send() } else { call.json(body).send() };
        expect_fault(&answer, 404, "path.paymentBatchId", "not_found");
        let nonsense = client.call(method, &path.replace(ABSENT, "x"));
        let answer = if body.is_empty() { nonsense.send() } else { nonsense.json(body).send() };
        expect_fault(&answer, 400, "path.paymentBatchId", "invalid_format");
    }
}
