//! `POST /v2/merchant/checkouts`, `GET` and `PATCH /v2/merchant/checkouts/{checkoutId}`.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{text, time, uuid};
use crate::support::management::with;
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::{ABSENT, Answer, CHECKOUTS, Client, demo, expect_fault, expect_faults, expect_json};

const CHECKOUT: &str = "/v2/merchant/checkouts/{checkoutId}";
/// Settlement accounts of the demo data: an approved and a pending one in pounds, and one in euros.
const APPROVED: &str = "0198c0de-0004-7000-8000-000000000001";
const PENDING: &str = "0198c0de-0004-7000-8000-000000000003";
const EUROS: &str = "0198c0de-0004-7000-8000-000000000004";

fn shopping() -> Value {
    json!({"type": "SHOPPING", "name": "Web shop", "currencyCode": "GBP", "returnUrl": "https://shop.example/paid"})
}

fn top_up() -> Value {
    with(shopping(), &json!({"type": "TOP_UP"}))
}

fn post(client: &Client, body: &Value) -> Answer {
    let answer = client.post(CHECKOUTS, body.to_string());
    assert_documented("post", CHECKOUTS, &answer);
    answer
}

fn path(checkout: &Value) -> String {
    format!("{CHECKOUTS}/{}", text(checkout, "/id"))
}

fn find(client: &Client, checkout: &Value) -> Value {
    let answer = client.get(&path(checkout));
    assert_documented("get", CHECKOUT, &answer);
    expect_json(&answer, 200)
}

fn patch(client: &Client, checkout: &Value, body: &Value) -> Answer {
    let answer = client.call("PATCH", &path(checkout)).json(body.to_string()).send();
    assert_documented("patch", CHECKOUT, &answer);
    answer
}

fn count(client: &Client, filter: &str) -> i64 {
    let page = expect_json(&client.get(&format!("{CHECKOUTS}?accountId={}&{filter}", client.account)), 200);
    page["count"].as_i64().unwrap()
}

#[test]
fn a_new_checkout_is_found_and_listed_first() {
    let (_server, client) = fresh_sandbox();
    let more = json!({
        "locale": "zh-Hant-TW", "settlementAccountId": APPROVED,
        "shippingOptions": {"collectAddress": true, "dynamicRatesUrl": "https://rates.example/?a=b"},
    });
    let body = with(shopping(), &more);
    let created = expect_json(&post(&client, &body), 201);
    uuid(&created["id"]);
    time(&created["createdAt"]);
    assert_eq!((&created["status"], &created["updatedAt"]), (&json!("ACTIVE"), &created["createdAt"]));
    for (name, value) in body.as_object().unwrap() {
        assert_eq!(created[name], *value, "{name}");
    }
    assert_eq!(find(&client, &created), created);
    let page = expect_json(&client.get(&format!("{CHECKOUTS}?accountId={}&limit=1", client.account)), 200);
    assert_eq!((&page["rows"][0], &page["count"]), (&created, &json!(126)));
    let minimal = expect_json(&post(&client, &shopping()), 201);
    assert_eq!([&minimal["locale"], &minimal["settlementAccountId"], &minimal["shippingOptions"]], [&Value::Null; 3]);
    let top_up = expect_json(&post(&client, &top_up()), 201);
    assert_eq!([&top_up["settlementAccountId"], &top_up["shippingOptions"]], [&Value::Null; 2]);
}

#[test]
fn every_fault_of_a_new_checkout_is_named() {
    let (_server, client) = fresh_sandbox();
    let mut table = Table::default();
    let long = format!("https://shop.example/{}", "x".repeat(2028));
    for (member, value, code) in [
        ("type", json!("GIFT"), "invalid_value"),
        ("name", json!(""), "invalid_format"),
        ("name", json!("x".repeat(65)), "too_long"),
        ("name", json!(null), "required"),
        ("currencyCode", json!("USD"), "invalid_value"),
        ("returnUrl", json!("http://shop.example"), "invalid_format"),
        ("returnUrl", json!("http://127.0.0.1/"), "invalid_format"),
        ("returnUrl", json!("https://ada@shop.example"), "invalid_format"),
        ("returnUrl", json!("https://shop.example/a b"), "invalid_format"),
        ("returnUrl", json!("javascript:alert(1)"), "invalid_format"),
        ("returnUrl", json!(long), "too_long"),
        ("locale", json!("english"), "invalid_format"),
        ("locale", json!("en_GB"), "invalid_format"),
        ("settlementAccountId", json!("x"), "invalid_format"),
        ("settlementAccountId", json!(PENDING), "invalid_value"),
        ("settlementAccountId", json!(EUROS), "invalid_value"),
        ("status", json!("ACTIVE"), "unknown_field"),
    ] {
        let path = format!("body.{member}");
        table.check(
            &bad(format!("{member} {value}"), &path, code),
            &post(&client, &with(shopping(), &json!({member: value}))),
        );
    }
    for (options, member, code) in [
        (json!({}), "collectAddress", "required"),
        (json!({"collectAddress": 1}), "collectAddress", "invalid_type"),
        (json!({"collectAddress": false, "dynamicRatesUrl": "https://r.example"}), "dynamicRatesUrl", "invalid_value"),
        (json!({"collectAddress": true, "dynamicRatesUrl": "http://r.example"}), "dynamicRatesUrl", "invalid_format"),
    ] {
        let path = format!("body.shippingOptions.{member}");
        let body = with(shopping(), &json!({"shippingOptions": options}));
        table.check(&bad(body.to_string(), &path, code), &post(&client, &body));
    }
    table.assert_passed(21);
    let foreign = with(shopping(), &json!({"settlementAccountId": ABSENT}));
    expect_fault(&post(&client, &foreign), 404, "body.settlementAccountId", "not_found");
    let both = with(top_up(), &json!({"settlementAccountId": APPROVED, "shippingOptions": {"collectAddress": true}}));
    let faults = [("body.settlementAccountId", "invalid_value"), ("body.shippingOptions", "invalid_value")];
    expect_faults(&post(&client, &both), 400, &faults);
    assert_eq!(count(&client, ""), 125, "nothing was created");
}

#[test]
fn a_merchant_needs_permission_and_a_settlement_account() {
    let (server, client) = fresh_sandbox();
    expect_json(
        &client.call("PATCH", "/v2/sandbox/merchant").json(r#"{"canCreateTopUpCheckouts": false}"#).send(),
        200,
    );
    expect_fault(&post(&client, &top_up()), 403, "", "feature_not_enabled");
    let (_, world) = crate::support::worlds::create_world(&server, json!({"template": "empty"}));
    expect_fault(&post(&world, &shopping()), 400, "body.settlementAccountId", "invalid_value");
}

#[test]
fn a_change_is_visible_immediately_and_changes_the_counts() {
    let (_server, client) = fresh_sandbox();
    let created = expect_json(&post(&client, &shopping()), 201);
    let (active, off) = (count(&client, "status=ACTIVE"), count(&client, "status=DEACTIVATED"));
    let change = json!({
        "name": "Łódź", "status": "DEACTIVATED", "returnUrl": "https://new.example", "locale": "cy",
        "settlementAccountId": APPROVED, "shippingOptions": {"collectAddress": false, "dynamicRatesUrl": null},
    });
    let changed = expect_json(&patch(&client, &created, &change), 200);
    for (name, value) in change.as_object().unwrap() {
        assert_eq!(changed[name], *value, "{name}");
    }
    assert_eq!(find(&client, &created), changed);
    assert_eq!((count(&client, "status=ACTIVE"), count(&client, "status=DEACTIVATED")), (active - 1, off + 1));
    let cleared = json!({"locale": null, "settlementAccountId": null, "shippingOptions": null, "status": "ACTIVE"});
    let changed = expect_json(&patch(&client, &created, &cleared), 200);
    assert_eq!([&changed["locale"], &changed["settlementAccountId"], &changed["shippingOptions"]], [&Value::Null; 3]);
    assert_eq!((count(&client, "status=ACTIVE"), count(&client, "status=DEACTIVATED")), (active, off));
    assert_eq!(expect_json(&patch(&client, &created, &json!({})), 200), changed);
}

#[test]
fn every_fault_of_a_change_is_named() {
    let (_server, client) = fresh_sandbox();
    let created = expect_json(&post(&client, &shopping()), 201);
    let mut table = Table::default();
    for (body, path, code) in [
        (json!({"name": null}), "body.name", "required"),
        (json!({"status": null}), "body.status", "required"),
        (json!({"returnUrl": null}), "body.returnUrl", "required"),
        (json!({"status": "GONE"}), "body.status", "invalid_value"),
        (json!({"type": "SHOPPING"}), "body.type", "invalid_value"),
        (json!({"type": null}), "body.type", "invalid_value"),
        (json!({"currencyCode": "GBP"}), "body.currencyCode", "invalid_value"),
        (json!({"currencyCode": null}), "body.currencyCode", "invalid_value"),
        (json!({"settlementAccountId": PENDING}), "body.settlementAccountId", "invalid_value"),
        (json!({"settlementAccountId": EUROS}), "body.settlementAccountId", "invalid_value"),
        (json!({"shippingOptions": {}}), "body.shippingOptions.collectAddress", "required"),
        (json!({"id": ABSENT}), "body.id", "unknown_field"),
    ] {
        table.check(&bad(body.to_string(), path, code), &patch(&client, &created, &body));
    }
    table.assert_passed(12);
    assert_eq!(find(&client, &created), created);
    let foreign = json!({"settlementAccountId": ABSENT});
    expect_fault(&patch(&client, &created, &foreign), 404, "body.settlementAccountId", "not_found");
    let top_up = expect_json(&post(&client, &top_up()), 201);
    let shipping = json!({"shippingOptions": {"collectAddress": true}});
    expect_fault(&patch(&client, &top_up, &shipping), 400, "body.shippingOptions", "invalid_value");
    let nothing = json!({"shippingOptions": null, "settlementAccountId": null});
    assert_eq!(expect_json(&patch(&client, &top_up, &nothing), 200), top_up);
}

#[test]
fn one_idempotency_key_creates_one_checkout() {
    let (_server, client) = fresh_sandbox();
    let body = shopping().to_string();
    let (first, again) = (client.post_once(CHECKOUTS, "one", &body), client.post_once(CHECKOUTS, "one", &body));
    assert!(again.replayed() && !first.replayed());
    assert_eq!((first.status, first.body), (201, again.body));
    let other = with(shopping(), &json!({"name": "Other"})).to_string();
    expect_fault(&client.post_once(CHECKOUTS, "one", other), 422, "body.name", "idempotency_mismatch");
    assert_eq!(count(&client, ""), 126);
}

#[test]
fn checkouts_of_other_accounts_are_absent() {
    let (server, client) = fresh_sandbox();
    let page = expect_json(&server.other().get(CHECKOUTS), 200);
    let theirs = page["rows"][0].clone();
    let absent = client.get(&format!("{CHECKOUTS}/{ABSENT}"));
    expect_fault(&absent, 404, "path.checkoutId", "not_found");
    assert_eq!(client.get(&path(&theirs)).body, absent.body);
    expect_fault(&patch(&client, &theirs, &json!({"name": "Mine"})), 404, "path.checkoutId", "not_found");
    assert_eq!(find(&server.other(), &theirs), theirs);
    let foreign = client.with_account(&demo().other_account);
    expect_fault(&post(&foreign, &shopping()), 404, "query.accountId", "not_found");
    expect_fault(&client.get(&format!("{CHECKOUTS}/x")), 400, "path.checkoutId", "invalid_format");
}
