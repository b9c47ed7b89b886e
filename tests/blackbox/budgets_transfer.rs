//! Transfers between budgets.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, time, uuid};
use crate::support::management::{
    BUDGETS, authorize, balance, budget, budget_of, card, format_number, funded, new_budget, transfer, with,
};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::wallet::credit_body;
use crate::support::{ABSENT, CREDIT, demo, expect_fault, expect_faults, expect_json, shared, together};

/// Returns the available balance of a budget without holds.
fn available(client: &crate::support::Client, budget: &str) -> String {
    let [ledger, available, pending] = balance(client, budget);
    assert_eq!(pending, "0.00");
    assert_eq!(ledger, available);
    available
}

#[test]
fn money_moves_from_one_budget_to_the_other() {
    let (server, client) = fresh_sandbox();
    let (from, to) = (funded(&client, "From", "100.00"), budget(&client, "To"));
    let body = json!({"destinationBudgetId": to, "currency": "GBP", "amount": "25.5", "reference": "rent"});
    let answer = client.post(&format!("{BUDGETS}/{from}/transfer"), body.to_string());
    assert_documented("post", "/v2/budgets/{budgetId}/transfer", &answer);
    let transferred = expect_json(&answer, 200);
    assert_eq!(members(&transferred), ["creditBoxTransactionId", "debitBoxTransactionId", "success", "transfer"]);
    assert_eq!(transferred["success"], true);
    // The credit that funded the budget has the number 1.
    assert_eq!((&transferred["debitBoxTransactionId"], &transferred["creditBoxTransactionId"]), (&json!(2), &json!(3)));
    let detail = &transferred["transfer"];
    assert_eq!(members(detail), ["createdAt", "destinationBalance", "id", "sourceBalance"]);
    uuid(&detail["id"]);
    time(&detail["createdAt"]);
    let after = |budget: &str, amount: &str| {
        let balances = format!(r#""availableBalance":{amount},"ledgerBalance":{amount},"pendingBalance":0.00"#);
        format!(r#"{{"budgetId":"{budget}","currencyCode":"GBP",{balances}}}"#)
    };
    assert!(answer.text().contains(&after(&from, "74.50")) && answer.text().contains(&after(&to, "25.50")));
    assert_eq!((available(&client, &from), available(&client, &to)), ("74.50".into(), "25.50".into()));
    let next = expect_json(&transfer(&client, &from, &to, "0.01"), 200);
    assert_eq!((&next["debitBoxTransactionId"], &next["creditBoxTransactionId"]), (&json!(4), &json!(5)));
    let credit = expect_json(&client.post(CREDIT, credit_body(&from, "1", "GBP")), 200);
    assert_eq!(credit["boxTransactionId"], 6);
    let (_, workspace) = server.stop();
    assert!(workspace.run(&["check"]).status.success());
}

#[test]
fn held_money_cannot_be_transferred() {
    let (_server, client) = fresh_sandbox();
    let (from, to) = (funded(&client, "From", "100.00"), budget(&client, "To"));
    assert_eq!(authorize(&client, &card(&client, &from), "60"), "0000");
    let fault = expect_fault(&transfer(&client, &from, &to, "40.01"), 409, "body.amount", "insufficient_funds");
    assert!(fault.message.contains("40.00 GBP"), "{fault:?}");
    expect_json(&transfer(&client, &from, &to, "40.00"), 200);
    assert_eq!(balance(&client, &from), ["60.00", "0.00", "60.00"]);
}

#[test]
fn every_fault_is_named() {
    let client = shared().client();
    let (from, to) = (demo().budget("GBP"), demo().budget("EUR"));
    let path = format!("{BUDGETS}/{from}/transfer");
    let mut table = Table::default();
    let good = json!({"destinationBudgetId": to, "currency": "GBP", "amount": "1"});
    let body_with = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        body.to_string()
    };
    for (name, value, path_of, code) in [
        ("destinationBudgetId", Value::Null, "body.destinationBudgetId", "required"),
        ("destinationBudgetId", json!("x"), "body.destinationBudgetId", "invalid_format"),
        ("destinationBudgetId", json!(from), "body.destinationBudgetId", "invalid_value"),
        ("amount", json!(1), "body.amount", "invalid_type"),
        ("amount", json!("0"), "body.amount", "out_of_range"),
        ("amount", json!("-1"), "body.amount", "invalid_format"),
        ("amount", json!("1e1"), "body.amount", "invalid_format"),
        ("amount", json!("1000000000.01"), "body.amount", "out_of_range"),
        ("currency", json!("XXX"), "body.currency", "invalid_value"),
        ("currency", json!("USD"), "body.currency", "invalid_value"),
        ("reference", json!("x".repeat(19)), "body.reference", "too_long"),
        ("reference", json!("Zoë"), "body.reference", "invalid_format"),
        ("reference", json!(""), "body.reference", "invalid_format"),
        ("note", json!("x"), "body.note", "unknown_field"),
    ] {
        table
            .check(&bad(format!("{name} {value}"), path_of, code), &client.post(&path, body_with(name, value.clone())));
    }
    table.assert_passed(14);
    let body = json!({"destinationBudgetId": to, "amount": "1.001", "currency": "USD"}).to_string();
    let both = [("body.amount", "too_many_decimals"), ("body.currency", "invalid_value")];
    expect_faults(&client.post(&path, body), 400, &both);
    expect_fault(&client.post("/v2/budgets/x/transfer", good.to_string()), 400, "path.budgetId", "invalid_format");
}

#[test]
fn absent_and_foreign_budgets_get_the_same_answer() {
    let (server, client) = fresh_sandbox();
    let mine = funded(&client, "Mine", "10.00");
    let theirs = funded(&server.other(), "Theirs", "10.00");
    expect_fault(&transfer(&client, &theirs, &mine, "1"), 404, "path.budgetId", "not_found");
    expect_fault(&transfer(&client, ABSENT, &mine, "1"), 404, "path.budgetId", "not_found");
    let foreign = transfer(&client, &mine, &theirs, "1");
    let absent = transfer(&client, &mine, ABSENT, "1");
    expect_fault(&foreign, 404, "body.destinationBudgetId", "not_found");
    assert_eq!(foreign.body, absent.body);
    assert_eq!(available(&client, &mine), "10.00");
    let limited = server.limited();
    expect_fault(&transfer(&limited, &mine, ABSENT, "1"), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn transfers_need_no_feature() {
    let (_server, client) = fresh_sandbox();
    let off = budget_of(&client, &with(new_budget("Off", &["GBP"]), &json!({"features": [], "status": "hidden"})));
    let on = funded(&client, "On", "10.00");
    expect_json(&transfer(&client, &on, &off, "1"), 200);
    expect_json(&transfer(&client, &off, &on, "1"), 200);
}

#[test]
fn one_idempotency_key_moves_money_once() {
    let (_server, client) = fresh_sandbox();
    let (from, to) = (funded(&client, "From", "10.00"), budget(&client, "To"));
    let path = format!("{BUDGETS}/{from}/transfer");
    let body = json!({"destinationBudgetId": to, "amount": "4", "currency": "GBP"}).to_string();
    let answers = together(8, |_| client.post_once(&path, "rent", &body));
    assert_eq!(answers.iter().filter(|answer| !answer.replayed()).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.body == answers[0].body));
    assert_eq!(available(&client, &to), "4.00");
    let other = json!({"destinationBudgetId": to, "amount": "5", "currency": "GBP"}).to_string();
    expect_fault(&client.post_once(&path, "rent", other), 422, "body.amount", "idempotency_mismatch");
}

#[test]
fn opposite_transfers_lose_no_money() {
    let (server, client) = fresh_sandbox();
    let (one, two) = (funded(&client, "One", "50.00"), funded(&client, "Two", "50.00"));
    let answers = together(40, |number| {
        let forth = number.is_multiple_of(2);
        let (from, to, amount) = if forth { (&one, &two, "4.00") } else { (&two, &one, "3.00") };
        (forth, transfer(&client, from, to, amount))
    });
    let mut moved = 0;
    for (forth, answer) in &answers {
        match answer.status {
            200 => moved += if *forth { 400 } else { -300 },
            _ => drop(expect_fault(answer, 409, "body.amount", "insufficient_funds")),
        }
    }
    let pounds = |minor: i64| crate::support::money::format_amount(minor, "GBP");
    assert_eq!((available(&client, &one), available(&client, &two)), (pounds(5_000 - moved), pounds(5_000 + moved)));
    let (_, workspace) = server.stop();
    assert!(workspace.run(&["check"]).status.success());
}

#[test]
fn concurrent_transfers_never_overdraw() {
    let (_server, client) = fresh_sandbox();
    let (from, to) = (funded(&client, "From", "9.99"), budget(&client, "To"));
    let answers = together(10, |_| transfer(&client, &from, &to, "9.99"));
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    let back = expect_json(&transfer(&client, &to, &from, "9.99"), 200);
    assert_eq!(format_number(&back["transfer"]["destinationBalance"]["availableBalance"], "GBP"), "9.99");
}
