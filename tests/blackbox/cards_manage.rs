//! Creation, reads and lists of cards, and their states.

use chrono::{Datelike, Days, Months, NaiveDate, Utc};
use serde_json::{Value, json};

use crate::openapi::truthful;
use crate::support::assert::{members, text, time, uuid};
use crate::support::management::{
    CARDS, authorize, balance, budget, budget_of, card, funded, move_card, new_budget, with,
};
use crate::support::payments::alone;
use crate::support::table::{Table, bad};
use crate::support::{ABSENT, Client, demo, expect_fault, expect_faults, expect_json, shared, together};

const MEMBERS: [&str; 13] = [
    "accountId",
    "budgetId",
    "cardToken",
    "createdAt",
    "currencyCode",
    "expiryDate",
    "id",
    "lastFour",
    "name",
    "ownerType",
    "state",
    "type",
    "userToken",
];

fn list(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("{CARDS}?accountId={}&{query}", client.account));
    truthful("get", CARDS, &answer);
    expect_json(&answer, 200)
}

fn ids(page: &Value) -> Vec<String> {
    page["rows"].as_array().unwrap().iter().map(|row| text(row, "/id").to_owned()).collect()
}

#[test]
fn a_new_card_has_every_member_and_is_not_activated() {
    let (_server, client) = alone();
    let budget = funded(&client, "Main", "50.00");
    let answer = client.post(CARDS, json!({"budgetId": budget, "currencyCode": "GBP"}).to_string());
    truthful("post", CARDS, &answer);
    let created = expect_json(&answer, 201);
    assert_eq!(members(&created), MEMBERS);
    let id = uuid(&created["id"]);
    assert_eq!(created["cardToken"], id.as_str());
    uuid(&created["userToken"]);
    time(&created["createdAt"]);
    assert_eq!((&created["type"], &created["ownerType"]), (&json!("VIRTUAL"), &json!("BUDGET")));
    assert_eq!((&created["state"], &created["name"]), (&json!("UNACTIVATED"), &Value::Null));
    let expiry: NaiveDate = text(&created, "/expiryDate").parse().unwrap();
    assert_eq!(expiry.checked_add_days(Days::new(1)).unwrap().day(), 1, "the last of a month");
    let today = Utc::now().date_naive();
    assert!(expiry >= today.checked_add_months(Months::new(36)).unwrap(), "{expiry}");
    assert_eq!(authorize(&client, &id, "1"), "1806");
    let found = client.get(&format!("{CARDS}/{}", id.to_uppercase()));
    truthful("get", "/v2/cards/{cardId}", &found);
    assert_eq!(expect_json(&found, 200), created);
}

#[test]
fn a_card_can_belong_to_a_person_and_be_active_at_once() {
    let (_server, client) = alone();
    let budget = funded(&client, "Main", "50.00");
    let person = "0190a1b2-0000-7000-8000-00000000cafe";
    let body = json!({"budgetId": budget, "currencyCode": "GBP", "type": "VIRTUAL", "userToken": person,
        "name": "Zoë's", "expiryDate": "2030-02-28", "activate": true});
    let created = expect_json(&client.post(CARDS, body.to_string()), 201);
    assert_eq!((&created["ownerType"], &created["userToken"]), (&json!("PERSON"), &json!(person)));
    assert_eq!((&created["name"], &created["expiryDate"]), (&json!("Zoë's"), &json!("2030-02-28")));
    assert_eq!(authorize(&client, text(&created, "/id"), "20"), "0000");
    assert_eq!(balance(&client, &budget), ["50.00", "30.00", "20.00"]);
    assert_eq!(authorize(&client, text(&created, "/id"), "30.01"), "1016");
}

#[test]
fn lists_are_newest_first_with_filters_and_counts() {
    let (_server, client) = alone();
    let seeded = list(&client, "")["count"].as_i64().unwrap();
    let (one, two) = (budget(&client, "One"), budget(&client, "Two"));
    let (first, second, third) = (card(&client, &one), card(&client, &two), card(&client, &one));
    let all = list(&client, "limit=3");
    assert_eq!((&all["count"], ids(&all)), (&json!(seeded + 3), vec![third.clone(), second.clone(), first.clone()]));
    let of_budget = list(&client, &format!("budgetId={one}&offset=1"));
    assert_eq!((&of_budget["count"], ids(&of_budget)), (&json!(2), vec![first.clone()]));
    expect_json(&move_card(&client, &third, "SUSPENDED"), 200);
    assert_eq!(ids(&list(&client, &format!("budgetId={one}&state=SUSPENDED"))), [third]);
    let holder = expect_json(&client.get(&format!("{CARDS}/{second}")), 200);
    assert_eq!(ids(&list(&client, &format!("userToken={}", text(&holder, "/userToken")))), [second]);
    let known = demo().card_in("REPLACED");
    assert!(ids(&list(&client, "state=REPLACED")).contains(&known.id));
}

#[test]
fn every_fault_is_named() {
    let client = shared().client();
    let budget = demo().budget("GBP");
    let mut table = Table::default();
    for (name, value, path, code) in [
        ("budgetId", Value::Null, "body.budgetId", "required"),
        ("budgetId", json!("x"), "body.budgetId", "invalid_format"),
        ("currencyCode", json!("CHF"), "body.currencyCode", "invalid_value"),
        ("type", json!("PHYSICAL"), "body.type", "invalid_value"),
        ("userToken", json!("x"), "body.userToken", "invalid_format"),
        ("name", json!(""), "body.name", "invalid_format"),
        ("expiryDate", json!("2030-02-30"), "body.expiryDate", "invalid_format"),
        ("expiryDate", json!("2020-01-31"), "body.expiryDate", "out_of_range"),
        ("expiryDate", json!("2999-01-31"), "body.expiryDate", "out_of_range"),
        ("activate", json!("yes"), "body.activate", "invalid_type"),
        ("pan", json!("4"), "body.pan", "unknown_field"),
    ] {
        let mut body = json!({"budgetId": budget, "currencyCode": "GBP"});
        body[name] = value;
        table.check(&bad(body.to_string(), path, code), &client.post(CARDS, body.to_string()));
    }
    table.done(11);
    let target = format!("{CARDS}?accountId={}&budgetId=1&state=active&userToken=x", client.account);
    let faults =
        [("query.budgetId", "invalid_format"), ("query.state", "invalid_value"), ("query.userToken", "invalid_format")];
    expect_faults(&client.get(&target), 400, &faults);
    let path = format!("{CARDS}/{}/transition", demo().active_card("GBP").id);
    let faults = [("body.state", "invalid_value"), ("body.reason", "required")];
    expect_faults(&client.post(&path, r#"{"state": "UNACTIVATED"}"#), 400, &faults);
    let body = json!({"budgetId": ABSENT, "currencyCode": "GBP"}).to_string();
    expect_fault(&client.post(CARDS, body), 404, "body.budgetId", "not_found");
}

#[test]
fn a_budget_without_the_feature_cannot_have_cards() {
    let (_server, client) = alone();
    let off = budget_of(&client, &with(new_budget("Off", &["GBP"]), &json!({"features": ["payments", "peopleCards"]})));
    let body = json!({"budgetId": off, "currencyCode": "GBP"}).to_string();
    expect_fault(&client.post(CARDS, body), 403, "body.budgetId", "feature_not_enabled");
}

#[test]
fn a_card_from_creation_to_termination() {
    let (_server, client) = alone();
    let budget = funded(&client, "Main", "50.00");
    let created = expect_json(&client.post(CARDS, json!({"budgetId": budget, "currencyCode": "GBP"}).to_string()), 201);
    let id = text(&created, "/id");
    let fault = expect_fault(&move_card(&client, id, "SUSPENDED"), 409, "body.state", "invalid_state");
    assert!(fault.message.contains("UNACTIVATED"), "{fault:?}");
    let answer = move_card(&client, id, "ACTIVE");
    truthful("post", "/v2/cards/{cardId}/transition", &answer);
    assert_eq!(expect_json(&answer, 200)["state"], "ACTIVE");
    assert_eq!(authorize(&client, id, "1"), "0000");
    expect_json(&move_card(&client, id, "SUSPENDED"), 200);
    assert_eq!(authorize(&client, id, "1"), "1003");
    expect_json(&move_card(&client, id, "ACTIVE"), 200);
    expect_json(&move_card(&client, id, "TERMINATED"), 200);
    assert_eq!(authorize(&client, id, "1"), "1806");
    let fault = expect_fault(&move_card(&client, id, "ACTIVE"), 409, "body.state", "invalid_state");
    assert!(fault.message.contains("TERMINATED"), "{fault:?}");
    let answer = client.get(&format!("{CARDS}/{id}/transitions"));
    truthful("get", "/v2/cards/{cardId}/transitions", &answer);
    let life = expect_json(&answer, 200);
    let steps: Vec<_> = life["rows"].as_array().unwrap().iter().map(|step| text(step, "/toState")).collect();
    assert_eq!((&life["count"], steps), (&json!(4), vec!["TERMINATED", "ACTIVE", "SUSPENDED", "ACTIVE"]));
    assert_eq!(life["rows"][3]["fromState"], "UNACTIVATED");
    assert_eq!(life["rows"][0]["reason"], "a test");
}

#[test]
fn one_key_creates_one_card_and_one_transition() {
    let (_server, client) = alone();
    let budget = budget(&client, "Main");
    let body = json!({"budgetId": budget, "currencyCode": "GBP", "activate": true}).to_string();
    let (first, again) = (client.post_once(CARDS, "card", &body), client.post_once(CARDS, "card", &body));
    assert!(again.replayed() && first.body == again.body);
    let path = format!("{CARDS}/{}/transition", text(&first.json(), "/id"));
    let step = r#"{"state": "SUSPENDED", "reason": "lost"}"#;
    let (first, again) = (client.post_once(&path, "step", step), client.post_once(&path, "step", step));
    assert!(again.replayed() && first.body == again.body && first.status == 200);
}

#[test]
fn cards_of_other_accounts_are_absent() {
    let (server, client) = alone();
    let other = server.other();
    let theirs = card(&other, &budget(&other, "Theirs"));
    for path in ["", "/spending-limits", "/transitions"] {
        let foreign = client.get(&format!("{CARDS}/{theirs}{path}"));
        expect_fault(&foreign, 404, "path.cardId", "not_found");
        assert_eq!(foreign.body, client.get(&format!("{CARDS}/{ABSENT}{path}")).body);
    }
    expect_fault(&move_card(&client, &theirs, "SUSPENDED"), 404, "path.cardId", "not_found");
    assert!(!ids(&list(&client, "limit=1000")).contains(&theirs));
    let their_budget = expect_json(&other.get(&format!("{CARDS}/{theirs}")), 200);
    let body = json!({"budgetId": their_budget["budgetId"], "currencyCode": "GBP"}).to_string();
    expect_fault(&client.post(CARDS, body), 404, "body.budgetId", "not_found");
    let limited = server.limited();
    expect_fault(&limited.get(CARDS), 403, "header.Authorization", "insufficient_scope");
    expect_fault(&limited.post(CARDS, "{}"), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn authorizations_and_a_suspension_are_decided_sequentially() {
    let (_server, client) = alone();
    let budget = funded(&client, "Main", "50.00");
    let id = card(&client, &budget);
    let codes = together(30, |number| {
        if number == 15 {
            expect_json(&move_card(&client, &id, "SUSPENDED"), 200);
            return None;
        }
        Some(authorize(&client, &id, "1"))
    });
    let approved = codes.iter().flatten().filter(|code| *code == "0000").count();
    assert!(codes.iter().flatten().all(|code| code == "0000" || code == "1003"), "{codes:?}");
    assert_eq!(balance(&client, &budget)[2], format!("{approved}.00"));
    assert_eq!(authorize(&client, &id, "1"), "1003");
}
