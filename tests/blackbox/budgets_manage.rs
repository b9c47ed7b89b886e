//! Creation, reads and lists of budgets.

use serde_json::{Value, json};

use crate::openapi::truthful;
use crate::support::assert::{members, text, time, uuid};
use crate::support::management::{BUDGETS, budget, budget_of, funded};
use crate::support::payments::alone;
use crate::support::table::{Table, bad};
use crate::support::{ABSENT, Client, demo, expect_fault, expect_faults, expect_json, shared};

const MEMBERS: [&str; 8] =
    ["accountId", "balances", "createdAt", "currencies", "features", "id", "name", "parentBudgetId"];

fn list(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("{BUDGETS}?accountId={}&{query}", client.account));
    truthful("get", BUDGETS, &answer);
    expect_json(&answer, 200)
}

fn ids(page: &Value) -> Vec<String> {
    page["rows"].as_array().unwrap().iter().map(|row| text(row, "/id").to_owned()).collect()
}

#[test]
fn a_new_budget_has_every_member_and_no_money() {
    let (_server, client) = alone();
    let answer = client.post(BUDGETS, json!({"name": "Reisen ✈", "currencies": ["JPY", "EUR"]}).to_string());
    truthful("post", BUDGETS, &answer);
    let created = expect_json(&answer, 201);
    assert_eq!(members(&created), MEMBERS);
    uuid(&created["id"]);
    time(&created["createdAt"]);
    assert_eq!(created["accountId"], demo().account);
    assert_eq!((&created["name"], &created["parentBudgetId"]), (&json!("Reisen ✈"), &Value::Null));
    assert_eq!(created["currencies"], json!(["EUR", "JPY"]));
    assert_eq!(created["features"], json!(["cards", "payments", "transfers"]));
    let nothing = |code: &str, zero: &str| json!({"currencyCode": code, "ledger": zero, "available": zero, "held": zero, "reserved": zero});
    assert_eq!(created["balances"], json!([nothing("EUR", "0.00"), nothing("JPY", "0")]));
    let path = format!("{BUDGETS}/{}", text(&created, "/id").to_uppercase());
    let whole = client.get(&format!("{path}?accountId={}&include=balances", client.account));
    truthful("get", "/v2/budgets/{budgetId}", &whole);
    assert_eq!(expect_json(&whole, 200), created);
    let mut plain = created;
    plain.as_object_mut().unwrap().remove("balances");
    assert_eq!(expect_json(&client.get(&path), 200), plain);
}

#[test]
fn lists_are_newest_first_with_filters_and_counts() {
    let (_server, client) = alone();
    let seeded = list(&client, "")["count"].as_i64().unwrap();
    let parent = budget(&client, "Parent");
    let sub = |name: &str, code: &str| {
        budget_of(&client, &json!({"name": name, "parentBudgetId": parent, "currencies": [code], "features": []}))
    };
    let (first, second) = (sub("First", "GBP"), sub("Second", "CHF"));
    let all = list(&client, "limit=2");
    assert_eq!((&all["count"], &all["limit"], &all["offset"]), (&json!(seeded + 3), &json!(2), &json!(0)));
    assert_eq!(ids(&all), [second.clone(), first.clone()]);
    assert!(all["rows"][0].get("balances").is_none(), "{all}");
    assert_eq!(all["rows"][0]["features"], json!([]));
    let of_parent = list(&client, &format!("parentBudgetId={parent}&offset=1"));
    assert_eq!((&of_parent["count"], ids(&of_parent)), (&json!(2), vec![first]));
    assert_eq!(ids(&list(&client, "currencyCode=CHF&include=balances")), [second]);
    let past = list(&client, "offset=1000000");
    assert_eq!((&past["count"], ids(&past)), (&json!(seeded + 3), vec![]));
}

#[test]
fn budgets_of_the_demo_are_listed_with_what_they_hold() {
    let client = shared().client();
    let page = list(&client, "include=balances");
    let rows = page["rows"].as_array().unwrap();
    let known = rows.iter().find(|row| row["id"] == demo().budget("GBP")).unwrap();
    assert_eq!(known["createdAt"], Value::Null);
    assert_eq!(known["features"], json!(["cards", "payments", "transfers"]));
    assert!(known["balances"].as_array().unwrap().iter().any(|held| held["currencyCode"] == "GBP"), "{known}");
}

#[test]
fn every_fault_of_the_body_is_named() {
    let client = shared().client();
    let mut table = Table::default();
    for (body, path, code) in [
        (r#"{"currencies": ["GBP"]}"#, "body.name", "required"),
        (r#"{"name": "", "currencies": ["GBP"]}"#, "body.name", "invalid_format"),
        (r#"{"name": 1, "currencies": ["GBP"]}"#, "body.name", "invalid_type"),
        (r#"{"name": "x"}"#, "body.currencies", "required"),
        (r#"{"name": "x", "currencies": []}"#, "body.currencies", "out_of_range"),
        (r#"{"name": "x", "currencies": "GBP"}"#, "body.currencies", "invalid_type"),
        (r#"{"name": "x", "currencies": ["GBP", "GBP"]}"#, "body.currencies", "invalid_value"),
        (r#"{"name": "x", "currencies": ["GBP", "gbp"]}"#, "body.currencies[1]", "invalid_format"),
        (r#"{"name": "x", "currencies": ["XXX"]}"#, "body.currencies[0]", "invalid_value"),
        (r#"{"name": "x", "currencies": [null]}"#, "body.currencies[0]", "invalid_type"),
        (r#"{"name": "x", "currencies": ["GBP"], "features": ["loans"]}"#, "body.features[0]", "invalid_value"),
        (r#"{"name": "x", "currencies": ["GBP"], "features": ["cards", "cards"]}"#, "body.features", "invalid_value"),
        (r#"{"name": "x", "currencies": ["GBP"], "parentBudgetId": "x"}"#, "body.parentBudgetId", "invalid_format"),
        (r#"{"name": "x", "currencies": ["GBP"], "balance": "1"}"#, "body.balance", "unknown_field"),
    ] {
        table.check(&bad(body, path, code), &client.post(BUDGETS, body));
    }
    let long = json!({"name": "ä".repeat(141), "currencies": ["GBP"]}).to_string();
    table.check(&bad("a long name", "body.name", "too_long"), &client.post(BUDGETS, long));
    table.done(15);
    let all = [("body.name", "required"), ("body.currencies[0]", "invalid_format"), ("query.accountId", "required")];
    expect_faults(&client.post(&format!("{BUDGETS}?"), r#"{"currencies": ["x"]}"#), 400, &all);
}

#[test]
fn every_fault_of_the_query_is_named() {
    let client = shared().client();
    let target = format!(
        "{BUDGETS}?accountId={}&limit=0&offset=-1&parentBudgetId=1&currencyCode=pounds&include=cards",
        client.account
    );
    let faults = [
        ("query.limit", "out_of_range"),
        ("query.offset", "out_of_range"),
        ("query.parentBudgetId", "invalid_format"),
        ("query.currencyCode", "invalid_format"),
        ("query.include", "invalid_value"),
    ];
    expect_faults(&client.get(&target), 400, &faults);
    expect_fault(&client.get(&format!("{BUDGETS}/x")), 400, "path.budgetId", "invalid_format");
    expect_fault(&client.get(&format!("{BUDGETS}/{ABSENT}")), 404, "path.budgetId", "not_found");
}

#[test]
fn the_nesting_depth_is_limited() {
    let (_server, client) = alone();
    let mut parent = budget(&client, "Level 1");
    for level in 2..=5 {
        let body = json!({"name": format!("Level {level}"), "parentBudgetId": parent, "currencies": ["GBP"]});
        parent = budget_of(&client, &body);
    }
    let body = json!({"name": "Level 6", "parentBudgetId": parent, "currencies": ["GBP"]}).to_string();
    expect_fault(&client.post(BUDGETS, body), 409, "body.parentBudgetId", "invalid_state");
    let body = json!({"name": "Orphan", "parentBudgetId": ABSENT, "currencies": ["GBP"]}).to_string();
    expect_fault(&client.post(BUDGETS, body), 404, "body.parentBudgetId", "not_found");
}

#[test]
fn one_key_creates_one_budget() {
    let (_server, client) = alone();
    let body = json!({"name": "Once", "currencies": ["GBP"]}).to_string();
    let first = client.post_once(BUDGETS, "budget", &body);
    let second = client.post_once(BUDGETS, "budget", &body);
    assert!(second.replayed() && !first.replayed());
    assert_eq!(first.body, second.body);
    let other = json!({"name": "Twice", "currencies": ["GBP"]}).to_string();
    expect_fault(&client.post_once(BUDGETS, "budget", other), 422, "body.name", "idempotency_mismatch");
}

#[test]
fn a_budget_without_payments_funds_no_batch() {
    let (_server, client) = alone();
    let body = json!({"name": "Cards only", "currencies": ["GBP"], "features": ["cards"]});
    let id = budget_of(&client, &body);
    let row = crate::support::payments::pounds("1", "a");
    let body = json!({"payments": {"defaultFundingBudgetId": id, "rows": [row]}}).to_string();
    let batch = expect_json(&client.post("/v2/payment-batches", body), 202);
    assert_eq!(batch["status"], "draft", "{batch}");
}

#[test]
fn budgets_of_other_accounts_are_absent() {
    let (server, client) = alone();
    let other = server.other();
    let theirs = funded(&other, "Theirs", "5.00");
    let absent = client.get(&format!("{BUDGETS}/{ABSENT}"));
    let foreign = client.get(&format!("{BUDGETS}/{theirs}"));
    assert_eq!(absent.body, foreign.body);
    assert!(!ids(&list(&client, "limit=1000")).contains(&theirs));
    assert_eq!(list(&client, &format!("parentBudgetId={theirs}"))["count"], 0);
    let body = json!({"name": "Sub", "parentBudgetId": theirs, "currencies": ["GBP"]}).to_string();
    expect_fault(&client.post(BUDGETS, body), 404, "body.parentBudgetId", "not_found");
    expect_fault(&client.with_account(&other.account).get(BUDGETS), 404, "query.accountId", "not_found");
    let limited = server.limited();
    expect_fault(&limited.get(BUDGETS), 403, "header.Authorization", "insufficient_scope");
    expect_fault(&limited.post(BUDGETS, "{}"), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn other_methods_are_refused() {
    let client = shared().client();
    let id = demo().budget("GBP");
    for (method, path, allow) in [
        ("DELETE", BUDGETS.to_owned(), "GET, HEAD, POST"),
        ("PATCH", format!("{BUDGETS}/{id}"), "GET, HEAD"),
        ("GET", format!("{BUDGETS}/{id}/transfer"), "POST"),
        ("GET", format!("{BUDGETS}/generate-credit"), "POST"),
        ("PUT", "/v2/cards".to_owned(), "GET, HEAD, POST"),
        ("GET", format!("/v2/cards/{ABSENT}/transition"), "POST"),
        ("POST", format!("/v2/cards/{ABSENT}/transitions"), "GET, HEAD"),
        ("GET", format!("/v2/cards/{ABSENT}/spending-limits/DAY"), "DELETE"),
    ] {
        let answer = client.call(method, &path).send();
        expect_fault(&answer, 405, "", "method_not_allowed");
        assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
    }
    expect_fault(&client.get("/v2/cards/simulations/nothing"), 404, "", "not_found");
    let head = client.call("HEAD", BUDGETS).send();
    assert_eq!((head.status, head.body.len()), (200, 0), "{head:?}");
}
