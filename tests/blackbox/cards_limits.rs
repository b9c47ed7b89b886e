//! Creation, changes and removal of spending limits.

use serde_json::{Value, json};

use crate::openapi::truthful;
use crate::support::assert::{members, text};
use crate::support::management::{CARDS, authorize, card, funded, limits};
use crate::support::payments::alone;
use crate::support::table::{Table, bad};
use crate::support::wallet::{first_body, follow_body};
use crate::support::{
    ABSENT, AUTHORIZATION, Answer, Client, REFUND, REFUND_CLEARING, REVERSAL, demo, expect_fault, expect_json, shared,
};

const LIMITS: &str = "/v2/cards/{cardId}/spending-limits";

fn set(client: &Client, card: &str, body: &Value) -> Answer {
    client.post(&format!("{CARDS}/{card}/spending-limits"), body.to_string())
}

fn day(client: &Client, card: &str, amount: &str) -> Answer {
    set(client, card, &json!({"window": "DAY", "amount": amount}))
}

/// Returns used amount, remaining amount and uses of the only limit.
fn only(client: &Client, card: &str) -> (String, String, u64) {
    let all = limits(client, card);
    assert_eq!(all.len(), 1, "{all:?}");
    let one = |name: &str| all[0][name].as_str().unwrap().to_owned();
    (one("used"), one("remaining"), all[0]["uses"].as_u64().unwrap())
}

#[test]
fn a_limit_is_set_used_and_changed() {
    let (_server, client) = alone();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    assert!(limits(&client, &card).is_empty());
    let answer = set(&client, &card, &json!({"window": "DAY", "amount": "100", "mostUses": 3}));
    truthful("post", LIMITS, &answer);
    let created = expect_json(&answer, 201);
    let expected = ["amount", "currencyCode", "mostUses", "remaining", "used", "uses", "window", "windowStart"];
    assert_eq!(members(&created), expected);
    assert_eq!(
        (&created["amount"], &created["remaining"], &created["mostUses"]),
        (&json!("100.00"), &json!("100.00"), &json!(3))
    );
    assert_eq!(authorize(&client, &card, "60"), "0000");
    assert_eq!(authorize(&client, &card, "40.01"), "1817");
    assert_eq!(only(&client, &card), ("60.00".into(), "40.00".into(), 1));
    // The used amount survives the change.
    let changed = expect_json(&day(&client, &card, "50.00"), 200);
    assert_eq!((&changed["used"], &changed["remaining"]), (&json!("60.00"), &json!("0.00")));
    assert_eq!((&changed["uses"], &changed["mostUses"]), (&json!(1), &Value::Null));
    assert_eq!(authorize(&client, &card, "0.01"), "1817");
    expect_json(&day(&client, &card, "60.01"), 200);
    assert_eq!(authorize(&client, &card, "0.01"), "0000");
    truthful("get", LIMITS, &client.get(&format!("{CARDS}/{card}/spending-limits")));
}

#[test]
fn windows_are_shown_in_their_order() {
    let (_server, client) = alone();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    for window in ["LIFETIME", "WEEK", "DAY", "MONTH"] {
        expect_json(&set(&client, &card, &json!({"window": window, "amount": "10"})), 201);
    }
    let all = limits(&client, &card);
    let windows: Vec<_> = all.iter().map(|limit| text(limit, "/window")).collect();
    assert_eq!(windows, ["DAY", "WEEK", "MONTH", "LIFETIME"]);
    assert!(all[3]["windowStart"].is_null() && all[0]["windowStart"].is_string(), "{all:?}");
}

#[test]
fn reversals_and_refunds_give_amounts_back_but_not_uses() {
    let (_server, client) = alone();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    expect_json(&day(&client, &card, "100"), 201);
    let hold = expect_json(&client.post(AUTHORIZATION, first_body(&card, "80")), 201);
    let token = text(&hold, "/transaction/token");
    expect_json(&client.post(REVERSAL, follow_body(token, "30")), 201);
    assert_eq!(only(&client, &card), ("50.00".into(), "50.00".into(), 1));
    let refund = expect_json(&client.post(REFUND, first_body(&card, "20")), 201);
    assert_eq!(only(&client, &card).0, "50.00", "nothing is given back before it is cleared");
    expect_json(&client.post(REFUND_CLEARING, follow_body(text(&refund, "/transaction/token"), "20")), 201);
    assert_eq!(only(&client, &card), ("30.00".into(), "70.00".into(), 1));
}

#[test]
fn uses_are_limited_too() {
    let (_server, client) = alone();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    expect_json(&set(&client, &card, &json!({"window": "LIFETIME", "amount": "100", "mostUses": 2})), 201);
    assert_eq!(["1", "1", "1"].map(|amount| authorize(&client, &card, amount)), ["0000", "0000", "1817"]);
    expect_json(&set(&client, &card, &json!({"window": "LIFETIME", "amount": "100", "mostUses": 3})), 200);
    assert_eq!(authorize(&client, &card, "1"), "0000");
}

#[test]
fn a_limit_is_removed() {
    let (_server, client) = alone();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    expect_json(&day(&client, &card, "0"), 201);
    assert_eq!(authorize(&client, &card, "0.01"), "1817");
    let path = format!("{CARDS}/{card}/spending-limits/DAY");
    let removed = client.call("DELETE", &path).header("Idempotency-Key", "gone").send();
    assert_eq!((removed.status, removed.body.len()), (204, 0), "{removed:?}");
    assert!(client.call("DELETE", &path).header("Idempotency-Key", "gone").send().replayed());
    assert_eq!(authorize(&client, &card, "0.01"), "0000");
    expect_fault(&client.call("DELETE", &path).send(), 404, "path.window", "not_found");
    let wrong = format!("{CARDS}/{card}/spending-limits/YEAR");
    expect_fault(&client.call("DELETE", &wrong).send(), 400, "path.window", "invalid_value");
    let foreign = format!("{CARDS}/{ABSENT}/spending-limits/DAY");
    expect_fault(&client.call("DELETE", &foreign).send(), 404, "path.cardId", "not_found");
}

#[test]
fn one_key_sets_one_limit() {
    let (_server, client) = alone();
    let card = card(&client, &funded(&client, "Main", "500.00"));
    let path = format!("{CARDS}/{card}/spending-limits");
    let body = r#"{"window": "DAY", "amount": "10"}"#;
    let (first, again) = (client.post_once(&path, "limit", body), client.post_once(&path, "limit", body));
    assert!(again.replayed() && first.body == again.body && again.status == 201);
}

#[test]
fn every_fault_is_named() {
    let client = shared().client();
    let card = &demo().active_card("JPY").id;
    let mut table = Table::default();
    for (name, value, path, code) in [
        ("window", Value::Null, "body.window", "required"),
        ("window", json!("day"), "body.window", "invalid_value"),
        ("amount", Value::Null, "body.amount", "required"),
        ("amount", json!(1), "body.amount", "invalid_type"),
        ("amount", json!("-1"), "body.amount", "invalid_format"),
        ("amount", json!("1.5"), "body.amount", "too_many_decimals"),
        ("mostUses", json!(0), "body.mostUses", "out_of_range"),
        ("mostUses", json!("1"), "body.mostUses", "invalid_type"),
        ("mostUses", json!(1.5), "body.mostUses", "invalid_format"),
        ("used", json!("0"), "body.used", "unknown_field"),
    ] {
        let mut body = json!({"window": "DAY", "amount": "10"});
        body[name] = value;
        table.check(&bad(body.to_string(), path, code), &set(&client, card, &body));
    }
    table.done(10);
}
