//! Transfers between budgets.

use serde_json::{Value, json};

use crate::openapi::truthful;
use crate::support::assert::{members, text, time, uuid};
use crate::support::management::{BUDGETS, authorize, balance, budget, budget_of, card, funded, transfer};
use crate::support::payments::alone;
use crate::support::table::{Table, bad};
use crate::support::{ABSENT, demo, expect_fault, expect_faults, expect_json, shared, together};

const MEMBERS: [&str; 10] = [
    "accountId",
    "amount",
    "createdAt",
    "currencyCode",
    "fromBalance",
    "fromBudgetId",
    "id",
    "reference",
    "toBalance",
    "toBudgetId",
];

fn available(client: &crate::support::Client, budget: &str) -> String {
    let [ledger, available, held, reserved] = balance(client, budget);
    assert_eq!((held.as_str(), reserved.as_str()), ("0.00", "0.00"));
    assert_eq!(ledger, available);
    available
}

#[test]
fn money_moves_from_one_budget_to_the_other() {
    let (server, client) = alone();
    let (from, to) = (funded(&client, "From", "100.00"), budget(&client, "To"));
    let body = json!({"toBudgetId": to, "amount": "25.5", "currencyCode": "GBP", "reference": "rent"});
    let answer = client.post(&format!("{BUDGETS}/{from}/transfer"), body.to_string());
    truthful("post", "/v2/budgets/{budgetId}/transfer", &answer);
    let done = expect_json(&answer, 201);
    assert_eq!(members(&done), MEMBERS);
    uuid(&done["id"]);
    time(&done["createdAt"]);
    assert_eq!((&done["fromBudgetId"], &done["toBudgetId"]), (&json!(from), &json!(to)));
    assert_eq!((&done["amount"], &done["currencyCode"]), (&json!("25.50"), &json!("GBP")));
    assert_eq!(done["reference"], "rent");
    let held =
        |all: &str| json!({"currencyCode": "GBP", "ledger": all, "available": all, "held": "0.00", "reserved": "0.00"});
    assert_eq!((&done["fromBalance"], &done["toBalance"]), (&held("74.50"), &held("25.50")));
    assert_eq!((available(&client, &from), available(&client, &to)), ("74.50".into(), "25.50".into()));
    let plain = expect_json(&transfer(&client, &from, &to, "0.01"), 201);
    assert_eq!(plain["reference"], Value::Null);
    // After the server has stopped, the books are verified and contain both transfers.
    let (_, home) = server.stop();
    assert!(home.run(&["check"]).status.success());
}

#[test]
fn held_money_cannot_be_transferred() {
    let (_server, client) = alone();
    let (from, to) = (funded(&client, "From", "100.00"), budget(&client, "To"));
    assert_eq!(authorize(&client, &card(&client, &from), "60"), "0000");
    let fault = expect_fault(&transfer(&client, &from, &to, "40.01"), 409, "body.amount", "insufficient_funds");
    assert!(fault.message.contains("40.00 GBP"), "{fault:?}");
    expect_json(&transfer(&client, &from, &to, "40.00"), 201);
    assert_eq!(balance(&client, &from), ["60.00", "0.00", "60.00", "0.00"]);
}

#[test]
fn every_fault_is_named() {
    let client = shared().client();
    let (from, to) = (demo().budget("GBP"), demo().budget("EUR"));
    let path = format!("{BUDGETS}/{from}/transfer");
    let mut table = Table::default();
    let good = json!({"toBudgetId": to, "amount": "1", "currencyCode": "GBP"});
    let but = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        body.to_string()
    };
    for (name, value, path_of, code) in [
        ("toBudgetId", Value::Null, "body.toBudgetId", "required"),
        ("toBudgetId", json!("x"), "body.toBudgetId", "invalid_format"),
        ("toBudgetId", json!(from), "body.toBudgetId", "invalid_value"),
        ("amount", json!(1), "body.amount", "invalid_type"),
        ("amount", json!("0"), "body.amount", "out_of_range"),
        ("amount", json!("-1"), "body.amount", "invalid_format"),
        ("amount", json!("1e1"), "body.amount", "invalid_format"),
        ("amount", json!("1000000000.01"), "body.amount", "out_of_range"),
        ("currencyCode", json!("XXX"), "body.currencyCode", "invalid_value"),
        ("currencyCode", json!("USD"), "body.currencyCode", "invalid_value"),
        ("reference", json!("x".repeat(141)), "body.reference", "too_long"),
        ("note", json!("x"), "body.note", "unknown_field"),
    ] {
        table.check(&bad(format!("{name} {value}"), path_of, code), &client.post(&path, but(name, value.clone())));
    }
    table.done(12);
    let body = json!({"toBudgetId": to, "amount": "1.001", "currencyCode": "USD"}).to_string();
    let both = [("body.amount", "too_many_decimals"), ("body.currencyCode", "invalid_value")];
    expect_faults(&client.post(&path, body), 400, &both);
    expect_fault(&client.post("/v2/budgets/x/transfer", good.to_string()), 400, "path.budgetId", "invalid_format");
}

#[test]
fn absent_and_foreign_budgets_get_the_same_answer() {
    let (server, client) = alone();
    let mine = funded(&client, "Mine", "10.00");
    let theirs = funded(&server.other(), "Theirs", "10.00");
    expect_fault(&transfer(&client, &theirs, &mine, "1"), 404, "path.budgetId", "not_found");
    expect_fault(&transfer(&client, ABSENT, &mine, "1"), 404, "path.budgetId", "not_found");
    let foreign = transfer(&client, &mine, &theirs, "1");
    let absent = transfer(&client, &mine, ABSENT, "1");
    expect_fault(&foreign, 404, "body.toBudgetId", "not_found");
    assert_eq!(foreign.body, absent.body);
    assert_eq!(available(&client, &mine), "10.00");
    let limited = server.limited();
    expect_fault(&transfer(&limited, &mine, ABSENT, "1"), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn budgets_without_the_feature_are_refused() {
    let (_server, client) = alone();
    let on = funded(&client, "On", "10.00");
    let off = budget_of(&client, &json!({"name": "Off", "currencies": ["GBP"], "features": ["cards", "payments"]}));
    expect_fault(&transfer(&client, &on, &off, "1"), 403, "body.toBudgetId", "feature_not_enabled");
    expect_fault(&transfer(&client, &off, &on, "1"), 403, "path.budgetId", "feature_not_enabled");
}

#[test]
fn one_key_moves_money_once() {
    let (_server, client) = alone();
    let (from, to) = (funded(&client, "From", "10.00"), budget(&client, "To"));
    let path = format!("{BUDGETS}/{from}/transfer");
    let body = json!({"toBudgetId": to, "amount": "4", "currencyCode": "GBP"}).to_string();
    let answers = together(8, |_| client.post_once(&path, "rent", &body));
    assert_eq!(answers.iter().filter(|answer| !answer.replayed()).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 201 && answer.body == answers[0].body));
    assert_eq!(available(&client, &to), "4.00");
    let other = json!({"toBudgetId": to, "amount": "5", "currencyCode": "GBP"}).to_string();
    expect_fault(&client.post_once(&path, "rent", other), 422, "body.amount", "idempotency_mismatch");
}

#[test]
fn opposite_transfers_lose_no_money() {
    let (server, client) = alone();
    let (one, two) = (funded(&client, "One", "50.00"), funded(&client, "Two", "50.00"));
    let answers = together(40, |number| {
        let forth = number.is_multiple_of(2);
        let (from, to, amount) = if forth { (&one, &two, "4.00") } else { (&two, &one, "3.00") };
        (forth, transfer(&client, from, to, amount))
    });
    let mut moved = 0;
    for (forth, answer) in &answers {
        match answer.status {
            201 => moved += if *forth { 400 } else { -300 },
            _ => drop(expect_fault(answer, 409, "body.amount", "insufficient_funds")),
        }
    }
    let pounds = |minor: i64| crate::support::money::written(minor, "GBP");
    assert_eq!((available(&client, &one), available(&client, &two)), (pounds(5_000 - moved), pounds(5_000 + moved)));
    let (_, home) = server.stop();
    assert!(home.run(&["check"]).status.success());
}

#[test]
fn concurrent_transfers_never_overdraw() {
    let (_server, client) = alone();
    let (from, to) = (funded(&client, "From", "9.99"), budget(&client, "To"));
    let answers = together(10, |_| transfer(&client, &from, &to, "9.99"));
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(text(&expect_json(&transfer(&client, &to, &from, "9.99"), 201), "/toBalance/available"), "9.99");
}
