//! The numbers (box transaction ids) of an account: each number that an event contains finds a row of the activity.

use serde_json::{Value, json};

use crate::events::{events, wait_for};
use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::management::{budget, funded, transfer};
use crate::support::payments::{confirmed, filled, fresh_sandbox, pounds};
use crate::support::shop::{TOP_UPS, act_as_payer, bank};
use crate::support::worlds::{create_world, restore, snapshot};
use crate::support::{Client, Server, expect_fault, expect_json};

/// Returns the rows that match a query, and checks them against the OpenAPI description.
fn rows(client: &Client, query: &str) -> Vec<Value> {
    let answer = client.get(&format!("/v2/activity/{}?limit=1000&{query}", client.account));
    assert_documented("get", "/v2/activity/{accountId}", &answer);
    serde_json::from_value(expect_json(&answer, 200)["rows"].take()).unwrap()
}

/// Returns the row that a number finds.
fn numbered(client: &Client, number: &Value) -> Value {
    let answer = client.get(&format!("/v2/activity/boxTransaction/{number}?accountId={}", client.account));
    assert_documented("get", "/v2/activity/{type}/{id}", &answer);
    expect_json(&answer, 200)
}

/// Returns the numbers that a row shows.
fn numbers(row: &Value) -> Vec<Value> {
    let places = ["/transactionBox/boxTransactionId", "/boxTransactionId", "/returnBoxTransactionId"];
    places.iter().filter_map(|place| row.pointer(place)).filter(|number| !number.is_null()).cloned().collect()
}

/// Tops up a budget with one pound.
fn top_up(client: &Client, budget: &str) {
    let amount = json!({"amount": "1.00", "currencyCode": "GBP"});
    let body = json!({"budgetId": budget, "amount": amount, "idempotencyKey": "1"}).to_string();
    let session = expect_json(&client.post(TOP_UPS, body), 201);
    let approved = act_as_payer(client, &session, &json!({"bankId": bank(client), "outcome": "approve"}));
    expect_json(&approved, 200);
}

#[test]
fn every_number_of_an_event_finds_its_row() {
    let (_server, client) = fresh_sandbox();
    let (one, two) = (funded(&client, "One", "100.00"), budget(&client, "Two"));
    expect_json(&transfer(&client, &one, &two, "5.00"), 200);
    top_up(&client, &two);
    let references = ["Wages", "SBX-RETURN", "SBX-FAIL-NAME"];
    let batch = filled(&client, &references.map(|reference| pounds("1.00", reference)));
    confirmed(&client, &batch);
    wait_for(&client, "PaymentReturned", 1);
    let moved = wait_for(&client, "BoxCredited,BoxDebited", 7);
    let mut seen: Vec<_> = moved.iter().map(|body| body["boxTransactionId"].as_i64().unwrap()).collect();
    seen.sort_unstable();
    assert_eq!(seen, (1..=7).collect::<Vec<_>>());
    let all = rows(&client, "");
    for body in &moved {
        let number = &body["boxTransactionId"];
        let found = numbered(&client, number);
        assert_eq!((&found["budgetId"], numbers(&found).contains(number)), (&body["budgetId"], true), "{found}");
        let listed = all.iter().find(|row| row["id"] == found["id"]).unwrap();
        assert_eq!(numbers(listed), numbers(&found));
        let searched = rows(&client, &format!("search={number}"));
        assert!(searched.iter().any(|row| row["id"] == found["id"]), "{number}");
    }
    for (reference, count) in references.into_iter().zip([1, 2, 0]) {
        let of_batch = |row: &&Value| row["paymentBatchId"] == batch.as_str() && row["reference"] == reference;
        let row = all.iter().find(of_batch).unwrap();
        assert_eq!(numbers(row).len(), count, "{row}");
    }
    let top_ups: Vec<_> =
        all.iter().filter(|row| row["budgetId"] == two.as_str() && row["type"] == "deposit").collect();
    assert_eq!((top_ups.len(), numbers(top_ups[0]).len()), (1, 1));
    let unused = client.get(&format!("/v2/activity/boxTransaction/8?accountId={}", client.account));
    expect_fault(&unused, 404, "path.id", "not_found");
    assert_eq!(rows(&client, "search=999999"), Vec::<Value>::new());
    assert_eq!(events(&client, "types=BoxCredited,BoxDebited").len(), 7);
}

#[test]
fn numbers_are_restored_and_copied() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"template": "empty"}));
    let float = budget(&client, "Float");
    top_up(&client, &float);
    let before = rows(&client, "search=1");
    assert_eq!((before.len(), numbers(&before[0])), (1, vec![json!(1)]));
    let saved = snapshot(&client);
    funded(&client, "Later", "1.00");
    assert_eq!(text(&numbered(&client, &json!(2)), "/type"), "deposit");
    restore(&client, &saved);
    assert_eq!(rows(&client, ""), before);
    let (_, copy) = create_world(&server, json!({"snapshotId": saved}));
    assert_eq!(numbers(&numbered(&copy, &json!(1))), [json!(1)]);
    funded(&client, "Later", "1.00");
    assert_eq!(numbers(&numbered(&client, &json!(2))), [json!(2)]);
}
