//! Creation, reads and lists of cards, and their states.

use chrono::{Datelike, Days, Months, NaiveDate, Utc};
use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{ids, members, text, time, uuid};
use crate::support::management::{
    CARDS, authorize, balance, budget, budget_of, card, funded, new_budget, transition_card, with,
};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::{
    ABSENT, Client, Server, Workspace, demo, expect_fault, expect_faults, expect_json, shared, together,
};

const MEMBERS: [&str; 27] = [
    "accountId",
    "budgetCardPhoneNumber",
    "budgetCardPhoneNumberPersonId",
    "budgets",
    "cardOwnerType",
    "cardProductName",
    "cardType",
    "createdAt",
    "currencyCode",
    "expiration",
    "expirationTime",
    "fulfillmentStatus",
    "id",
    "lastFour",
    "name",
    "personId",
    "physicalCardState",
    "pinIsSet",
    "recipientAddress",
    "replacedByCardId",
    "spendingLimit",
    "state",
    "stateReason",
    "token",
    "updatedAt",
    "userTokenId",
    "virtualCardId",
];

/// Returns the body that creates a card of a budget.
fn shared_card(budget: &str, name: &str) -> Value {
    json!({"cardOwnerType": "BUDGET", "budgetId": budget, "name": name})
}

fn list(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("{CARDS}?accountId={}&{query}", client.account));
    assert_documented("get", CARDS, &answer);
    expect_json(&answer, 200)
}

#[test]
fn a_new_card_has_every_member_and_is_not_activated() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "50.00");
    let answer = client.post(CARDS, shared_card(&budget, "Zoë's Straße of far too many words").to_string());
    assert_documented("post", CARDS, &answer);
    let created = expect_json(&answer, 201);
    assert_eq!(members(&created), MEMBERS);
    let (id, token) = (uuid(&created["id"]), uuid(&created["userTokenId"]));
    time(&created["createdAt"]);
    assert_eq!(created["createdAt"], created["updatedAt"]);
    assert_eq!(created["name"], "Zoe's Strasse of far ");
    let fixed = ["accountId", "cardType", "cardOwnerType", "state", "stateReason", "fulfillmentStatus"];
    let expected = [client.account.as_str(), "VIRTUAL_PAN", "BUDGET", "UNACTIVATED", "New card", "ISSUED"];
    assert_eq!(fixed.map(|name| text(&created, &format!("/{name}"))), expected);
    assert_eq!((&created["physicalCardState"], &created["pinIsSet"]), (&json!("NOT_REQUESTED"), &json!(false)));
    assert_eq!(created["currencyCode"], "GBP");
    for name in ["personId", "cardProductName", "spendingLimit", "replacedByCardId", "budgetCardPhoneNumber"] {
        assert!(created[name].is_null(), "{name}");
    }
    let holder = json!({"id": token, "personId": null, "accountId": client.account, "userToken": token,
        "budgetId": budget});
    assert_eq!(created["token"], holder);
    assert_eq!(created["budgets"], json!([{"id": budget, "name": "Main", "type": "shared", "access": "allowed"}]));
    let expiry = text(&created, "/expirationTime");
    let day: NaiveDate = expiry.strip_suffix("T23:59:59Z").unwrap().parse().unwrap();
    assert_eq!(day.checked_add_days(Days::new(1)).unwrap().day(), 1, "the last day of a month");
    assert_eq!(created["expiration"], day.format("%m%y").to_string());
    let today = Utc::now().date_naive();
    assert!(day >= today.checked_add_months(Months::new(36)).unwrap(), "{day}");
    assert_eq!(authorize(&client, &id, "1"), "1806");
    let found = client.get(&format!("{CARDS}/{}", id.to_uppercase()));
    assert_documented("get", "/v2/cards/{cardId}", &found);
    assert_eq!(expect_json(&found, 200), created);
}

#[test]
fn a_new_card_can_be_active_and_have_an_expiry_date() {
    let (_server, client) = fresh_sandbox();
    let budget = budget_of(&client, &new_budget("Two", &["EUR", "USD"]));
    let mut body = shared_card(&budget, "Ada");
    (body["expiryDate"], body["activate"]) = (json!("2030-02-28"), json!(true));
    let created = expect_json(&client.post(CARDS, body.to_string()), 201);
    assert_eq!((&created["state"], &created["currencyCode"]), (&json!("ACTIVE"), &json!("EUR")));
    assert_eq!(created["expirationTime"], "2030-02-28T23:59:59Z");
    body["currencyCode"] = json!("USD");
    assert_eq!(expect_json(&client.post(CARDS, body.to_string()), 201)["currencyCode"], "USD");
}

#[test]
fn card_numbers_are_shown_in_the_sandbox_and_reading_them_changes_nothing() {
    let (_server, client) = fresh_sandbox();
    let id = card(&client, &budget(&client, "Main"));
    let before = expect_json(&client.get(&format!("{CARDS}/{id}")), 200);
    let answer = client.get(&format!("{CARDS}/{id}/details"));
    assert_documented("get", "/v2/cards/{cardId}/details", &answer);
    let details = expect_json(&answer, 200);
    assert_eq!(members(&details), ["cardId", "expiration", "number", "securityCode"]);
    let number = text(&details, "/number");
    assert!(number.starts_with("9999") && number.ends_with(text(&before, "/lastFour")), "{number}");
    assert_eq!(details["expiration"], before["expiration"]);
    assert_eq!(expect_json(&client.get(&format!("{CARDS}/{id}/details")), 200), details);
    assert_eq!(expect_json(&client.get(&format!("{CARDS}/{id}")), 200), before);
}

#[test]
fn lists_are_sorted_by_name_filtered_and_counted() {
    let (_server, client) = fresh_sandbox();
    let seeded = list(&client, "")["count"].as_i64().unwrap();
    let (one, two) = (budget(&client, "One"), budget(&client, "Two"));
    let make = |budget: &str, name: &str| {
        let created = expect_json(&client.post(CARDS, shared_card(budget, name).to_string()), 201);
        text(&created, "/id").to_owned()
    };
    let (zoe, ada, party) = (make(&one, "Zoë"), make(&two, "Ada"), make(&one, "Team Party"));
    let all = list(&client, "limit=1000");
    let names: Vec<_> = all["rows"].as_array().unwrap().iter().map(|row| text(row, "/name")).collect();
    assert!(names.is_sorted() && all["count"] == seeded + 3, "{names:?}");
    let of = |query: &str| ids(&list(&client, query));
    assert_eq!(of(&format!("budgetId={one}")), [party.clone(), zoe.clone()]);
    assert_eq!(of(&format!("budgetId={one}&orderBy=desc")), [zoe.clone(), party.clone()]);
    assert_eq!(of(&format!("budgetId={one}&limit=1&offset=1&orderBy=asc")), std::slice::from_ref(&zoe));
    assert_eq!(of("search=party"), std::slice::from_ref(&party));
    assert_eq!(of("search=zo%C3%AB"), std::slice::from_ref(&zoe));
    let last = expect_json(&client.get(&format!("{CARDS}/{ada}")), 200);
    assert!(of(&format!("search={}", text(&last, "/lastFour"))).contains(&ada));
    assert_eq!(of(&format!("cardId={ada}")), std::slice::from_ref(&ada));
    assert_eq!(of(&format!("cardIds={zoe},{ada}")), [ada.clone(), zoe.clone()]);
    assert!(of(&format!("cardIds={zoe}&cardId={ada}")).is_empty());
    let today = Utc::now().date_naive();
    let tomorrow = today.checked_add_days(Days::new(1)).unwrap();
    assert_eq!(of(&format!("budgetId={two}&startDate={}", today.pred_opt().unwrap())), std::slice::from_ref(&ada));
    assert!(of(&format!("startDate={}", tomorrow.succ_opt().unwrap())).is_empty());
    assert_eq!(of(&format!("budgetId={two}&endDate={tomorrow}")), std::slice::from_ref(&ada));
    assert_eq!(list(&client, "cardOwnerType=BUDGET")["count"], seeded + 3);
    assert!(of("cardOwnerType=PEOPLE").is_empty() && of(&format!("personId={ABSENT}")).is_empty());
    assert!(of(&format!("personIds={ABSENT},{ada}")).is_empty());
    expect_json(&transition_card(&client, &zoe, "TERMINATED"), 200);
    assert_eq!(of(&format!("budgetId={one}&state=TERMINATED")), std::slice::from_ref(&zoe));
    assert_eq!(of(&format!("budgetId={one}&state=TERMINATED,UNACTIVATED")), [party, zoe]);
    let known = demo().card_in("REPLACED");
    assert!(ids(&list(&client, "state=REPLACED")).contains(&known.id));
}

#[test]
fn a_change_keeps_members_that_it_does_not_name() {
    let (_server, client) = fresh_sandbox();
    let created = expect_json(&client.post(CARDS, shared_card(&budget(&client, "Main"), "Ada").to_string()), 201);
    let path = format!("{CARDS}/{}", text(&created, "/id"));
    let put = |body: &Value| client.put(&path, body.to_string());
    let answer = put(&json!({"name": "Bücher für alle", "fulfillmentStatus": "DIGITALLY_PRESENTED"}));
    assert_documented("put", "/v2/cards/{cardId}", &answer);
    let mut expected = created.clone();
    let changed = expect_json(&answer, 200);
    (expected["name"], expected["fulfillmentStatus"]) = (json!("Bucher fur alle"), json!("DIGITALLY_PRESENTED"));
    expected["updatedAt"] = changed["updatedAt"].clone();
    assert_eq!(changed, expected);
    let moved = expect_json(&put(&json!({"state": "ACTIVE", "budgetCardPhoneNumber": "+447911001762"})), 200);
    assert_eq!((&moved["state"], &moved["stateReason"]), (&json!("ACTIVE"), &Value::Null));
    assert_eq!((&moved["name"], &moved["budgetCardPhoneNumber"]), (&expected["name"], &json!("+447911001762")));
    expect_fault(&put(&json!({"state": "UNACTIVATED"})), 409, "body.state", "invalid_state");
    expect_fault(&put(&json!({"personId": ABSENT})), 404, "body.personId", "not_found");
    assert_eq!(ids(&list(&client, "search=fur")), [text(&created, "/id")], "a search finds the new name");
    assert!(ids(&list(&client, "search=ada")).is_empty(), "a search does not find the old name");
    let transitions = expect_json(&client.get(&format!("{path}/transitions")), 200);
    assert_eq!((&transitions["count"], &transitions["rows"][0]["reason"]), (&json!(1), &Value::Null));
}

#[test]
fn every_fault_is_named() {
    let client = shared().client();
    let budget = demo().budget("GBP");
    let mut table = Table::default();
    for (name, value, path, code) in [
        ("cardOwnerType", Value::Null, "body.cardOwnerType", "required"),
        ("cardOwnerType", json!("PERSON"), "body.cardOwnerType", "invalid_value"),
        ("budgetId", Value::Null, "body.budgetId", "required"),
        ("budgetId", json!("x"), "body.budgetId", "invalid_format"),
        ("personId", json!(ABSENT), "body.personId", "invalid_value"),
        ("budgets", json!([{"budgetId": ABSENT, "active": true}]), "body.budgets", "invalid_value"),
        ("currencyCode", json!("CHF"), "body.currencyCode", "invalid_value"),
        ("name", Value::Null, "body.name", "required"),
        ("name", json!(""), "body.name", "invalid_format"),
        ("expiryDate", json!("2030-02-30"), "body.expiryDate", "invalid_format"),
        ("expiryDate", json!("2020-01-31"), "body.expiryDate", "out_of_range"),
        ("expiryDate", json!("2999-01-31"), "body.expiryDate", "out_of_range"),
        ("activate", json!("yes"), "body.activate", "invalid_type"),
        ("userToken", json!(ABSENT), "body.userToken", "unknown_field"),
    ] {
        let mut body = shared_card(&budget, "Ada");
        body[name] = value;
        table.check(&bad(body.to_string(), path, code), &client.post(CARDS, body.to_string()));
    }
    table.assert_passed(14);
    let query = "state=active&orderBy=name&startDate=today&search=&budgetId=1&cardIds=1,2&cardOwnerType=PERSON";
    let faults = [
        ("query.state", "invalid_value"),
        ("query.orderBy", "invalid_value"),
        ("query.startDate", "invalid_format"),
        ("query.search", "required"),
        ("query.budgetId", "invalid_format"),
        ("query.cardIds", "invalid_format"),
        ("query.cardOwnerType", "invalid_value"),
    ];
    expect_faults(&client.get(&format!("{CARDS}?accountId={}&{query}", client.account)), 400, &faults);
    let path = format!("{CARDS}/{}/transition", demo().active_card("GBP").id);
    expect_fault(&client.post(&path, r#"{"state": "UNACTIVATED"}"#), 400, "body.state", "invalid_value");
    expect_fault(&client.post(CARDS, shared_card(ABSENT, "Ada").to_string()), 404, "body.budgetId", "not_found");
    let person = json!({"cardOwnerType": "PEOPLE", "name": "Ada", "personId": ABSENT,
        "budgets": [{"budgetId": budget, "active": true}]});
    expect_fault(&client.post(CARDS, person.to_string()), 404, "body.personId", "not_found");
    let mut inactive = person.clone();
    inactive["budgets"][0]["active"] = json!(false);
    expect_fault(&client.post(CARDS, inactive.to_string()), 400, "body.budgets", "invalid_value");
}

#[test]
fn a_budget_without_the_feature_cannot_have_cards() {
    let (_server, client) = fresh_sandbox();
    let off = budget_of(&client, &with(new_budget("Off", &["GBP"]), &json!({"features": ["payments", "peopleCards"]})));
    let body = shared_card(&off, "Ada").to_string();
    expect_fault(&client.post(CARDS, body), 403, "body.budgetId", "feature_not_enabled");
}

/// The limit allows two more cards than the demo data has.
#[test]
fn a_setting_limits_the_number_of_cards() {
    let (_server, client) = fresh_sandbox();
    let cards = expect_json(&client.get(CARDS), 200)["count"].as_i64().unwrap();
    let server = Server::on(Workspace::demo().set("FLORIN_MAX_CARDS", &(cards + 2).to_string()));
    let client = server.client();
    let created = card(&client, &demo().budget("GBP"));
    let replaced = client.post(&format!("{CARDS}/{created}/replace"), "{}");
    expect_json(&replaced, 201);
    let new = client.post(CARDS, shared_card(&demo().budget("GBP"), "Too many").to_string());
    let card = demo().active_card("GBP").id.clone();
    let replacement = client.post(&format!("{CARDS}/{card}/replace"), "{}");
    let recipient =
        json!({"addressLine1": "1 Mill Lane", "city": "London", "postcode": "EC1A 1BB", "countryCode": "GB"});
    let order = json!({"recipientAddress": recipient}).to_string();
    let physical = client.post(&format!("{CARDS}/{card}/order-physical"), order);
    for refused in [new, replacement, physical] {
        let fault = expect_fault(&refused, 409, "query.accountId", "invalid_state");
        assert!(fault.message.contains(&(cards + 2).to_string()), "{fault:?}");
    }
}

#[test]
fn a_card_passes_through_its_states_until_termination() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "50.00");
    let created = expect_json(&client.post(CARDS, shared_card(&budget, "Ada").to_string()), 201);
    let id = text(&created, "/id");
    let fault = expect_fault(&transition_card(&client, id, "SUSPENDED"), 409, "body.state", "invalid_state");
    assert!(fault.message.contains("UNACTIVATED"), "{fault:?}");
    let answer = transition_card(&client, id, "ACTIVE");
    assert_documented("post", "/v2/cards/{cardId}/transition", &answer);
    assert_eq!(expect_json(&answer, 200)["state"], "ACTIVE");
    assert_eq!(authorize(&client, id, "1"), "0000");
    expect_json(&transition_card(&client, id, "SUSPENDED"), 200);
    assert_eq!(authorize(&client, id, "1"), "1003");
    expect_json(&transition_card(&client, id, "ACTIVE"), 200);
    expect_json(&transition_card(&client, id, "TERMINATED"), 200);
    assert_eq!(authorize(&client, id, "1"), "1806");
    let fault = expect_fault(&transition_card(&client, id, "ACTIVE"), 409, "body.state", "invalid_state");
    assert!(fault.message.contains("TERMINATED"), "{fault:?}");
    let answer = client.get(&format!("{CARDS}/{id}/transitions"));
    assert_documented("get", "/v2/cards/{cardId}/transitions", &answer);
    let transitions = expect_json(&answer, 200);
    let states: Vec<_> = transitions["rows"].as_array().unwrap().iter().map(|row| text(row, "/toState")).collect();
    assert_eq!((&transitions["count"], states), (&json!(4), vec!["TERMINATED", "ACTIVE", "SUSPENDED", "ACTIVE"]));
    assert_eq!(transitions["rows"][3]["fromState"], "UNACTIVATED");
    assert_eq!(transitions["rows"][0]["reason"], "a test");
}

#[test]
fn one_idempotency_key_has_one_effect() {
    let (_server, client) = fresh_sandbox();
    let budget = budget(&client, "Main");
    let body = shared_card(&budget, "Ada").to_string();
    let (first, again) = (client.post_once(CARDS, "card", &body), client.post_once(CARDS, "card", &body));
    assert!(again.replayed() && first.body == again.body);
    let path = format!("{CARDS}/{}/transition", text(&first.json(), "/id"));
    let activation = r#"{"state": "ACTIVE", "reason": "it came"}"#;
    let once = || client.post_once(&path, "activation", activation);
    let (first, again) = (once(), once());
    assert!(again.replayed() && first.body == again.body && first.status == 200);
}

#[test]
fn cards_of_other_accounts_are_absent() {
    let (server, client) = fresh_sandbox();
    let other = server.other();
    let theirs = card(&other, &budget(&other, "Theirs"));
    for path in ["", "/spending-limits", "/transaction-limits", "/transitions", "/details"] {
        let foreign = client.get(&format!("{CARDS}/{theirs}{path}"));
        expect_fault(&foreign, 404, "path.cardId", "not_found");
        assert_eq!(foreign.body, client.get(&format!("{CARDS}/{ABSENT}{path}")).body);
    }
    expect_fault(&transition_card(&client, &theirs, "SUSPENDED"), 404, "path.cardId", "not_found");
    assert!(!ids(&list(&client, "limit=1000")).contains(&theirs));
    let their_budget = expect_json(&other.get(&format!("{CARDS}/{theirs}")), 200);
    let body = shared_card(text(&their_budget, "/budgets/0/id"), "Ada").to_string();
    expect_fault(&client.post(CARDS, body), 404, "body.budgetId", "not_found");
    let limited = server.limited();
    expect_fault(&limited.get(CARDS), 403, "header.Authorization", "insufficient_scope");
    expect_fault(&limited.post(CARDS, "{}"), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn authorizations_and_a_suspension_are_decided_sequentially() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "50.00");
    let id = card(&client, &budget);
    let codes = together(30, |number| {
        if number == 15 {
            expect_json(&transition_card(&client, &id, "SUSPENDED"), 200);
            return None;
        }
        Some(authorize(&client, &id, "1"))
    });
    let approved = codes.iter().flatten().filter(|code| *code == "0000").count();
    assert!(codes.iter().flatten().all(|code| code == "0000" || code == "1003"), "{codes:?}");
    assert_eq!(balance(&client, &budget)[2], format!("{approved}.00"));
    assert_eq!(authorize(&client, &id, "1"), "1003");
}
