//! Creation, changes and removal of limits.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text, uuid};
use crate::support::management::{CARDS, authorize, card, funded, limits, transition_card};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::wallet::{first_body, follow_body};
use crate::support::{
    ABSENT, AUTHORIZATION, Answer, CLEARING, Client, INCREMENT, REFUND, REFUND_CLEARING, REVERSAL, demo, expect_fault,
    expect_json, shared,
};

const LIMITS: &str = "/v2/cards/{cardId}/spending-limits";
const TRANSACTION_LIMITS: &str = "/v2/cards/{cardId}/transaction-limits";

fn set_limit(client: &Client, card: &str, body: &Value) -> Answer {
    client.post(&format!("{CARDS}/{card}/spending-limits"), body.to_string())
}

/// Sets the limit of the window DAY. The amount is the text of a JSON number.
fn set_day_limit(client: &Client, card: &str, amount: &str) -> Answer {
    let body = format!(r#"{{"limitWindow": "DAY", "amount": {amount}}}"#);
    client.post(&format!("{CARDS}/{card}/spending-limits"), body)
}

/// Returns the available amount and uses of the only limit of a card.
fn only_limit(client: &Client, card: &str) -> (String, i64) {
    let all = limits(client, card);
    assert_eq!(all.len(), 1, "{all:?}");
    let available = &all[0]["available"];
    (format!("{:.2}", available["amount"].as_f64().unwrap()), available["uses"].as_i64().unwrap())
}

/// Sends a follow-up, which must be accepted.
fn follow(client: &Client, path: &str, first: &Value, amount: &str) {
    expect_json(&client.post(path, follow_body(text(first, "/transaction/token"), amount)), 201);
}

#[test]
fn a_limit_is_set_used_and_changed() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    assert!(limits(&client, &card).is_empty());
    let answer = set_limit(&client, &card, &json!({"limitWindow": "DAY", "amount": 100, "usageLimit": 3}));
    assert_documented("post", LIMITS, &answer);
    let created = expect_json(&answer, 200);
    let id = uuid(&created["id"]);
    assert_eq!(authorize(&client, &card, "60"), "0000");
    assert_eq!(authorize(&client, &card, "40.01"), "1817");
    assert_eq!(only_limit(&client, &card), ("40.00".into(), 2));
    // The used amount survives the change.
    let changed = expect_json(&set_day_limit(&client, &card, "50.00"), 200);
    assert_eq!((&changed["id"], &changed["usageLimit"]), (&json!(id), &json!(-1)));
    assert_eq!(changed["available"], json!({"uses": -1, "amount": 0.0, "daysRemaining": 1}));
    assert_eq!(authorize(&client, &card, "0.01"), "1817");
    expect_json(&set_day_limit(&client, &card, "60.01"), 200);
    assert_eq!(authorize(&client, &card, "0.01"), "0000");
    assert_documented("get", LIMITS, &client.get(&format!("{CARDS}/{card}/spending-limits")));
    let shown = expect_json(&client.get(&format!("{CARDS}/{card}")), 200);
    assert_eq!(shown["spendingLimit"]["id"], id.as_str());
}

#[test]
fn amounts_are_exact_numbers() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    for (sent, shown) in [("0.1", "0.10"), ("999999999.99", "999999999.99"), ("1e2", "100.00"), ("7.1000", "7.10")] {
        let answer = set_day_limit(&client, &card, sent);
        let body = answer.text();
        assert!(body.contains(&format!("\"amount\":{shown},\"currencyCode\"")), "{sent}: {body}");
        assert!(body.contains(&format!("\"amount\":{shown},\"daysRemaining\"")), "{sent}: {body}");
    }
}

#[test]
fn windows_are_shown_in_their_order() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    for window in ["LIFETIME", "WEEK", "DAY", "MONTH"] {
        expect_json(&set_limit(&client, &card, &json!({"limitWindow": window, "amount": 10})), 200);
    }
    let all = limits(&client, &card);
    let windows: Vec<_> = all.iter().map(|limit| text(limit, "/limitWindow")).collect();
    assert_eq!(windows, ["DAY", "WEEK", "MONTH", "LIFETIME"]);
    let days: Vec<_> = all.iter().map(|limit| limit["available"]["daysRemaining"].as_i64()).collect();
    assert!(days[0] == Some(1) && (1..=7).contains(&days[1].unwrap()), "{days:?}");
    assert!((1..=31).contains(&days[2].unwrap()) && days[3].is_none(), "{days:?}");
    let path = format!("{CARDS}/{card}/spending-limits?accountId={}&limit=2&offset=1", client.account);
    let page = expect_json(&client.get(&path), 200);
    assert_eq!((&page["count"], &page["rows"][0]), (&json!(4), &all[1]));
    assert_eq!(page["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn reversals_and_refunds_give_amounts_back_but_not_uses() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    expect_json(&set_limit(&client, &card, &json!({"limitWindow": "DAY", "amount": 100, "usageLimit": 9})), 200);
    let hold = expect_json(&client.post(AUTHORIZATION, first_body(&card, "80")), 201);
    follow(&client, REVERSAL, &hold, "30");
    assert_eq!(only_limit(&client, &card), ("50.00".into(), 8));
    let refund = expect_json(&client.post(REFUND, first_body(&card, "20")), 201);
    assert_eq!(only_limit(&client, &card).0, "50.00", "nothing is given back before it is cleared");
    follow(&client, REFUND_CLEARING, &refund, "20");
    assert_eq!(only_limit(&client, &card), ("70.00".into(), 8));
}

#[test]
fn a_limit_gives_back_only_what_it_counted() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    let early = expect_json(&client.post(AUTHORIZATION, first_body(&card, "80")), 201);
    expect_json(&set_day_limit(&client, &card, "100"), 200);
    let hold = expect_json(&client.post(AUTHORIZATION, first_body(&card, "40")), 201);
    follow(&client, REVERSAL, &early, "80");
    assert_eq!(only_limit(&client, &card).0, "60.00", "the limit never counted the first hold");
    follow(&client, INCREMENT, &hold, "10");
    assert_eq!(only_limit(&client, &card).0, "50.00");
    follow(&client, REVERSAL, &hold, "50");
    assert_eq!(only_limit(&client, &card).0, "100.00", "increments are given back");
    let tipped = expect_json(&client.post(AUTHORIZATION, first_body(&card, "10")), 201);
    follow(&client, CLEARING, &tipped, "12.50");
    assert_eq!(only_limit(&client, &card).0, "87.50", "a clearing above the hold counts");
}

#[test]
fn uses_are_limited_too() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    let limit = |usage: i64| json!({"limitWindow": "LIFETIME", "amount": 100, "usageLimit": usage});
    expect_json(&set_limit(&client, &card, &limit(2)), 200);
    assert_eq!(["1", "1", "1"].map(|amount| authorize(&client, &card, amount)), ["0000", "0000", "1817"]);
    expect_json(&set_limit(&client, &card, &limit(3)), 200);
    assert_eq!(authorize(&client, &card, "1"), "0000");
    let none = expect_json(&set_limit(&client, &card, &limit(0)), 200);
    assert_eq!((authorize(&client, &card, "1").as_str(), &none["available"]["uses"]), ("1817", &json!(0)));
    expect_json(&set_limit(&client, &card, &limit(-1)), 200);
    assert_eq!(authorize(&client, &card, "1"), "0000");
}

#[test]
fn limits_that_are_switched_off_still_count() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    for (active, turned_off) in [(false, false), (true, true)] {
        let body = json!({"limitWindow": "DAY", "amount": 30, "active": active, "limitTurnedOff": turned_off});
        expect_json(&set_limit(&client, &card, &body), 200);
        assert_eq!(authorize(&client, &card, "20"), "0000");
    }
    let on = expect_json(&set_day_limit(&client, &card, "30"), 200);
    assert_eq!((&on["active"], &on["limitTurnedOff"]), (&json!(true), &json!(false)));
    assert_eq!(on["available"]["amount"], json!(0.0), "40 of 30 are used");
    assert_eq!(authorize(&client, &card, "0.01"), "1817");
}

#[test]
fn a_transaction_limit_comes_before_spending_limits() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    let path = format!("{CARDS}/{card}/transaction-limits");
    let answer = client.post(&path, r#"{"limitWindow": "TRANSACTION", "amount": 20}"#);
    assert_documented("post", TRANSACTION_LIMITS, &answer);
    let limit = expect_json(&answer, 200);
    assert_eq!(limit["available"], json!({"uses": -1, "amount": 20.0, "daysRemaining": null}));
    assert_eq!(["20", "20.01", "20"].map(|amount| authorize(&client, &card, amount)), ["0000", "1817", "0000"]);
    let listed = client.get(&path);
    assert_documented("get", TRANSACTION_LIMITS, &listed);
    assert_eq!(expect_json(&listed, 200)["rows"], json!([limit]));
    assert!(limits(&client, &card).is_empty());
    assert_eq!(expect_json(&client.get(&format!("{CARDS}/{card}")), 200)["spendingLimit"], Value::Null);
    let hold = expect_json(&client.post(AUTHORIZATION, first_body(&card, "15")), 201);
    let more = client.post(INCREMENT, follow_body(text(&hold, "/transaction/token"), "5.01"));
    assert_eq!(text(&expect_json(&more, 201), "/transaction/response/code"), "1817", "the total is 20.01");
    expect_json(&set_day_limit(&client, &card, "0"), 200);
    let declined = expect_json(&client.post(AUTHORIZATION, first_body(&card, "21")), 201);
    let chain = format!("/v2/cards/simulations/transactions/{}", text(&declined, "/transaction/token"));
    let answer = client.get(&chain);
    assert_documented("get", "/v2/cards/simulations/transactions/{token}", &answer);
    let rules = expect_json(&answer, 200)["messages"][0]["explanation"]["rules"].clone();
    let last = rules.as_array().unwrap().last().unwrap();
    let expected = json!({"rule": "transaction_limit", "passed": false, "limitWindow": "TRANSACTION",
        "limitAmount": "20.00", "wantedAmount": "21.00"});
    assert_eq!(last, &expected);
    let removed = client.call("DELETE", &format!("{path}/{}", text(&limit, "/id"))).send();
    assert_eq!(removed.status, 204);
}

#[test]
fn a_replacement_has_the_limits_with_what_was_used() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    expect_json(&set_day_limit(&client, &card, "100"), 200);
    let hold = expect_json(&client.post(AUTHORIZATION, first_body(&card, "40")), 201);
    let answer = client.post(&format!("{CARDS}/{card}/replace"), r#"{"reason": "bent"}"#);
    assert_documented("post", "/v2/cards/{cardId}/replace", &answer);
    let new = expect_json(&answer, 201);
    let id = text(&new, "/id");
    assert_eq!((&new["state"], &new["replacedByCardId"]), (&json!("UNACTIVATED"), &Value::Null));
    assert_eq!((only_limit(&client, id).0, only_limit(&client, &card).0), ("60.00".into(), "60.00".into()));
    let old = expect_json(&client.get(&format!("{CARDS}/{card}")), 200);
    assert_eq!((&old["state"], &old["stateReason"]), (&json!("REPLACED"), &json!("bent")));
    assert_eq!(old["replacedByCardId"], id);
    expect_json(&transition_card(&client, id, "ACTIVE"), 200);
    assert_eq!(authorize(&client, id, "60.01"), "1817");
    follow(&client, REVERSAL, &hold, "40");
    assert_eq!((only_limit(&client, id).0, only_limit(&client, &card).0), ("60.00".into(), "100.00".into()));
    let again = client.post(&format!("{CARDS}/{card}/replace"), "{}");
    expect_fault(&again, 409, "path.cardId", "invalid_state");
    let ended = expect_json(&transition_card(&client, id, "REPLACED"), 200);
    assert_eq!((&ended["state"], &ended["replacedByCardId"]), (&json!("REPLACED"), &Value::Null));
    expect_fault(&client.post(&format!("{CARDS}/{id}/replace"), "{}"), 409, "path.cardId", "invalid_state");
    let report = expect_json(&client.get(&format!("/v2/sandbox/invariants?accountId={}", client.account)), 200);
    assert_eq!(report["verdict"], "holds", "{report}");
}

#[test]
fn a_limit_is_removed() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    let limit = expect_json(&set_day_limit(&client, &card, "0"), 200);
    assert_eq!(authorize(&client, &card, "0.01"), "1817");
    let path = format!("{CARDS}/{card}/spending-limits/{}", text(&limit, "/id"));
    let removed = client.call("DELETE", &path).header("Idempotency-Key", "gone").send();
    assert_eq!((removed.status, removed.body.len()), (204, 0), "{removed:?}");
    assert!(client.call("DELETE", &path).header("Idempotency-Key", "gone").send().replayed());
    assert_eq!(authorize(&client, &card, "0.01"), "0000");
    expect_fault(&client.call("DELETE", &path).send(), 404, "path.limitId", "not_found");
    let wrong = format!("{CARDS}/{card}/spending-limits/DAY");
    expect_fault(&client.call("DELETE", &wrong).send(), 400, "path.limitId", "invalid_format");
    let foreign = format!("{CARDS}/{ABSENT}/spending-limits/{ABSENT}");
    expect_fault(&client.call("DELETE", &foreign).send(), 404, "path.cardId", "not_found");
}

#[test]
fn one_idempotency_key_sets_one_limit() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    let path = format!("{CARDS}/{card}/spending-limits");
    let body = r#"{"limitWindow": "DAY", "amount": 10}"#;
    let (first, again) = (client.post_once(&path, "limit", body), client.post_once(&path, "limit", body));
    assert!(again.replayed() && first.body == again.body && again.status == 200);
    assert_eq!(members(&first.json()).len(), 8);
}

#[test]
fn every_fault_is_named() {
    let client = shared().client();
    let card = &demo().active_card("JPY").id;
    let mut table = Table::default();
    for (name, value, path, code) in [
        ("limitWindow", Value::Null, "body.limitWindow", "required"),
        ("limitWindow", json!("day"), "body.limitWindow", "invalid_value"),
        ("limitWindow", json!("TRANSACTION"), "body.limitWindow", "invalid_value"),
        ("amount", Value::Null, "body.amount", "required"),
        ("amount", json!("1"), "body.amount", "invalid_type"),
        ("amount", json!(-1), "body.amount", "out_of_range"),
        ("amount", json!(1.5), "body.amount", "too_many_decimals"),
        ("currencyCode", json!("GBP"), "body.currencyCode", "invalid_value"),
        ("usageLimit", json!(-2), "body.usageLimit", "out_of_range"),
        ("usageLimit", json!("1"), "body.usageLimit", "invalid_type"),
        ("usageLimit", json!(1.5), "body.usageLimit", "invalid_format"),
        ("active", json!(1), "body.active", "invalid_type"),
        ("limitTurnedOff", json!("no"), "body.limitTurnedOff", "invalid_type"),
        ("window", json!("DAY"), "body.window", "unknown_field"),
    ] {
        let mut body = json!({"limitWindow": "DAY", "amount": 10});
        body[name] = value;
        table.check(&bad(body.to_string(), path, code), &set_limit(&client, card, &body));
    }
    table.assert_passed(14);
    let path = format!("{CARDS}/{card}/transaction-limits");
    let answer = client.post(&path, r#"{"limitWindow": "DAY", "amount": 1}"#);
    expect_fault(&answer, 400, "body.limitWindow", "invalid_value");
}
