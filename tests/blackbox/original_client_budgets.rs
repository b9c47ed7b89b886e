//! Requests about budgets as the documentation of the original service shows them, unchanged. A client of the original
//! must find every member of the answers where it expects it.

use serde_json::{Map, Value, json};

use crate::support::assert::{Member, is_time, is_uuid, text};
use crate::support::payments::fresh_sandbox;
use crate::support::wallet::credit_body;
use crate::support::{CREDIT, Client, expect_fault, expect_json};

const RECORD: &[Member] = &[
    ("id", is_uuid),
    ("accountId", Value::is_string),
    ("parentId", |value| value.is_null() || is_uuid(value)),
    ("boxId", |value| value.is_null() || value.is_string()),
    ("name", Value::is_string),
    ("type", |value| ["accountBalance", "shared", "individual"].iter().any(|name| value == name)),
    ("status", |value| ["active", "hidden"].iter().any(|name| value == name)),
    ("allowCurrencyAlignment", Value::is_boolean),
    ("createdAt", is_time),
    ("updatedAt", is_time),
    ("feature", Value::is_array),
    ("currency", Value::is_array),
];

const FEATURE: &[Member] = &[
    ("id", is_uuid),
    ("budgetId", is_uuid),
    ("payments", Value::is_boolean),
    ("budgetCards", Value::is_boolean),
    ("peopleCards", Value::is_boolean),
    ("forwardDeposits", Value::is_boolean),
    ("lowBalanceThreshold", |value| value.is_null() || value.is_number()),
    ("lowBalanceCurrencyCode", |value| value.is_null() || value.is_string()),
    ("createdAt", is_time),
    ("updatedAt", is_time),
];

const CURRENCY: &[Member] = &[
    ("id", is_uuid),
    ("boxCurrencyId", is_uuid),
    ("budgetId", is_uuid),
    ("currencyCode", Value::is_string),
    ("local", |value| value == "unique"),
    ("international", |value| value == "unique"),
    ("createdAt", is_time),
    ("updatedAt", is_time),
];

const BALANCE: &[Member] = &[
    ("id", is_uuid),
    ("currencyCode", Value::is_string),
    ("budgetId", is_uuid),
    ("availableBalance", Value::is_number),
    ("ledgerBalance", Value::is_number),
    ("pendingBalance", Value::is_number),
    ("allocatedBalance", Value::is_number),
    ("ledgerAndAllocatedBalance", Value::is_number),
    ("lastUpdatedSequentialId", |value| value.is_null() || value.is_i64()),
    ("activeCurrencyOnBudget", Value::is_boolean),
    ("createdAt", is_time),
    ("updatedAt", is_time),
];

/// Expects exactly these members, each with a value of its kind.
fn assert_shape(value: &Value, members: &[Member]) {
    let object: &Map<String, Value> = value.as_object().unwrap();
    for (name, is_right) in members {
        assert!(object.get(*name).is_some_and(is_right), "{name} of {value}");
    }
    assert_eq!(object.len(), members.len(), "{value}");
}

/// Expects the shape of a budget with these further members.
fn assert_budget(budget: &Value, more: &[Member]) {
    assert_shape(budget, &[RECORD, more].concat());
    for row in budget["feature"].as_array().unwrap() {
        assert_shape(row, FEATURE);
    }
    for row in budget["currency"].as_array().unwrap() {
        assert_shape(row, CURRENCY);
    }
    for (name, _) in more {
        for row in budget[*name].as_array().unwrap() {
            assert_shape(row, BALANCE);
        }
    }
}

fn create(client: &Client, body: &str) -> Value {
    let created = expect_json(&client.post(&format!("/v2/budgets?accountId={}", client.account), body), 201);
    assert_budget(&created, &[]);
    created
}

/// The bodies of `POST /budgets`, with all their members.
#[test]
fn budgets_are_created_as_documented() {
    let (_server, client) = fresh_sandbox();
    let created = create(
        &client,
        r#"{
            "parentId": null,
            "name": "Marketing",
            "features": ["payments", "peopleCards", "budgetCards"],
            "currencies": ["GBP", "EUR"],
            "type": "shared",
            "status": "active"
        }"#,
    );
    assert_eq!(
        (&created["name"], &created["type"], &created["status"]),
        (&json!("Marketing"), &json!("shared"), &json!("active"))
    );
    let features = &created["feature"][0];
    assert_eq!([&features["payments"], &features["peopleCards"], &features["budgetCards"]], [&json!(true); 3]);
    let below = create(
        &client,
        &format!(
            r#"{{
                "parentId": "{}",
                "name": "Marketing: print",
                "features": ["payments"],
                "currencies": ["GBP"],
                "type": "shared",
                "status": "hidden",
                "boxId": "0198c0de-0000-7000-8000-00000000b0b0"
            }}"#,
            text(&created, "/id")
        ),
    );
    assert_eq!(below["parentId"], created["id"]);
    assert_eq!(below["boxId"], "0198c0de-0000-7000-8000-00000000b0b0");
}

/// `GET /budgets` and `GET /budgets/{id}` with each documented `include`.
#[test]
fn budgets_are_read_as_documented() {
    let (_server, client) = fresh_sandbox();
    let account = &client.account;
    let page = expect_json(&client.get(&format!("/v2/budgets?accountId={account}&limit=100&offset=0")), 200);
    assert_eq!((&page["limit"], &page["offset"]), (&json!(100), &json!(0)));
    assert_eq!(page["count"], page["rows"].as_array().unwrap().len());
    page["rows"].as_array().unwrap().iter().for_each(|row| assert_budget(row, &[]));
    let parent = page["rows"].as_array().unwrap().iter().find(|row| row["type"] == "accountBalance").unwrap();
    assert!(parent["parentId"].is_null());
    let (balance, total): (Member, Member) = (("balance", Value::is_array), ("totalBalance", Value::is_array));
    for (include, more) in [
        ("balance", vec![balance]),
        ("balances", vec![balance]),
        ("totalBalance", vec![total]),
        ("balance,totalBalance", vec![balance, total]),
    ] {
        let page = expect_json(&client.get(&format!("/v2/budgets?accountId={account}&include={include}")), 200);
        page["rows"].as_array().unwrap().iter().for_each(|row| assert_budget(row, &more));
        let path = format!("/v2/budgets/{}?accountId={account}&include={include}", text(parent, "/id"));
        assert_budget(&expect_json(&client.get(&path), 200), &more);
    }
}

/// The bodies of `POST /budgets/{id}/transfer`: amounts are strings, with and without decimals.
#[test]
fn money_is_transferred_as_documented() {
    let (_server, client) = fresh_sandbox();
    let body = r#"{"parentId": null, "name": "Sender", "features": [], "currencies": ["GBP"], "type": "shared"}"#;
    let from = text(&create(&client, body), "/id").to_owned();
    let to = text(&create(&client, &body.replace("Sender", "Receiver")), "/id").to_owned();
    expect_json(&client.post(CREDIT, credit_body(&from, "1000", "GBP")), 200);
    let path = format!("/v2/budgets/{from}/transfer?accountId={}", client.account);
    let mut last = 1;
    for (amount, reference) in [("300", "Invoice 42"), ("300.00", "Q2: a/b (c-d), e.?")] {
        let body = format!(
            r#"{{"destinationBudgetId": "{to}", "currency": "GBP", "amount": "{amount}", "reference": "{reference}"}}"#
        );
        let transferred = expect_json(&client.post(&path, body), 200);
        assert_eq!(transferred["success"], true);
        assert_eq!(
            (&transferred["debitBoxTransactionId"], &transferred["creditBoxTransactionId"]),
            (&json!(last + 1), &json!(last + 2))
        );
        last += 2;
    }
    let refused = |members: &str| client.post(&path, format!(r#"{{"destinationBudgetId": "{to}", {members}}}"#));
    let zero = refused(r#""currency": "GBP", "amount": "0", "reference": "x""#);
    expect_fault(&zero, 400, "body.amount", "out_of_range");
    let other = refused(r#""currency": "EUR", "amount": "1", "reference": "x""#);
    expect_fault(&other, 400, "body.currency", "invalid_value");
    let long = refused(r#""currency": "GBP", "amount": "1", "reference": "nineteen characters""#);
    expect_fault(&long, 400, "body.reference", "too_long");
}

/// Existing clients might still send the member names of older documentation.
#[test]
fn older_member_names_are_refused() {
    let (_server, client) = fresh_sandbox();
    let body = r#"{"parentBudgetId": null, "name": "x", "features": [], "currencies": ["GBP"], "type": "shared"}"#;
    expect_fault(&client.post("/v2/budgets", body), 400, "body.parentBudgetId", "unknown_field");
}
