//! Physical cards: ordered for a virtual card, shipped, and activated by the first use of their PIN.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::management::{CARDS, card, funded, transition_card, with};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::wallet::{first_body, transaction};
use crate::support::{ABSENT, ATM, AUTHORIZATION, Answer, Client, expect_fault, expect_json};

const ORDER: &str = "/v2/cards/{cardId}/order-physical";
const DEBIT: &str = "/v2/cards/simulations/debit";
const INQUIRY: &str = "/v2/cards/simulations/balance-inquiry";

fn address() -> Value {
    json!({"recipientName": "Ada Lovelace", "addressLine1": "1 Mill Lane", "city": "London", "postcode": "EC1A 1BB",
        "countryCode": "GB"})
}

fn order(client: &Client, card: &str) -> Answer {
    let body = json!({"recipientAddress": address()});
    let answer = client.post(&format!("{CARDS}/{card}/order-physical"), body.to_string());
    assert_documented("post", ORDER, &answer);
    answer
}

/// Orders a physical card with the PIN 0427, and returns its id.
fn order_with_pin(client: &Client, card: &str) -> String {
    let id = text(&expect_json(&order(client, card), 201), "/id").to_owned();
    assert_eq!(client.put(&format!("{CARDS}/{id}/pin"), json!({"pin": "0427"}).to_string()).status, 204);
    id
}

fn find(client: &Client, id: &str) -> Value {
    let answer = client.get(&format!("{CARDS}/{id}"));
    assert_documented("get", "/v2/cards/{cardId}", &answer);
    expect_json(&answer, 200)
}

fn states(client: &Client, ids: [&str; 2]) -> [String; 2] {
    ids.map(|id| text(&find(client, id), "/state").to_owned())
}

fn send(client: &Client, path: &str, card: &str, pin: &str) -> Value {
    let body: Value = serde_json::from_str(&first_body(card, "1")).unwrap();
    let mut body = with(body, &json!({"pin": pin}));
    if path == INQUIRY {
        body.as_object_mut().unwrap().remove("amount");
    }
    transaction(&client.post(path, body.to_string()))
}

#[test]
fn a_card_is_ordered_shipped_and_activated_by_its_pin() {
    let (_server, client) = fresh_sandbox();
    let virtual_card = card(&client, &funded(&client, "Main", "100.00"));
    assert_eq!(find(&client, &virtual_card)["physicalCardState"], "NOT_REQUESTED");
    let new = expect_json(&order(&client, &virtual_card), 201);
    let id = text(&new, "/id").to_owned();
    let facts = ["cardType", "fulfillmentStatus", "state", "physicalCardState", "virtualCardId"].map(|name| &new[name]);
    assert_eq!(facts, ["PHYSICAL_MSR", "ORDERED", "UNACTIVATED", "UNACTIVATED", &virtual_card]);
    assert_eq!(new["recipientAddress"], with(address(), &json!({"addressLine2": null, "region": null})));
    assert_ne!(new["lastFour"], Value::Null);
    let before = find(&client, &virtual_card);
    let facts = ["cardType", "state", "physicalCardState", "recipientAddress"].map(|name| &before[name]);
    assert_eq!(facts, [&json!("VIRTUAL_PAN"), &json!("ACTIVE"), &json!("UNACTIVATED"), &Value::Null]);

    let shipped = client.put(&format!("{CARDS}/{id}"), json!({"fulfillmentStatus": "SHIPPED"}).to_string());
    assert_eq!(expect_json(&shipped, 200)["fulfillmentStatus"], "SHIPPED");
    assert_eq!(send(&client, DEBIT, &id, "0427")["response"]["code"], "1806", "no PIN is set");
    assert_eq!(client.put(&format!("{CARDS}/{id}/pin"), json!({"pin": "0427"}).to_string()).status, 204);
    assert_eq!(send(&client, DEBIT, &id, "0428")["response"]["code"], "1806", "a wrong PIN");
    let bought = transaction(&client.post(AUTHORIZATION, first_body(&virtual_card, "1")));
    assert_eq!(bought["response"]["code"], "0000", "the virtual card is in use until the first use of the PIN");
    assert_eq!(states(&client, [&id, &virtual_card]), ["UNACTIVATED", "ACTIVE"]);

    assert_eq!(send(&client, DEBIT, &id, "0427")["response"]["code"], "0000");
    assert_eq!(states(&client, [&id, &virtual_card]), ["ACTIVE", "TERMINATED"]);
    assert_eq!(find(&client, &virtual_card)["physicalCardState"], "ACTIVE");
    assert_eq!(find(&client, &id)["recipientAddress"]["city"], "London");
    let transitions = expect_json(&client.get(&format!("{CARDS}/{id}/transitions")), 200);
    assert_eq!((&transitions["count"], &transitions["rows"][0]["reason"]), (&json!(1), &json!("First use of the PIN")));
    let events = expect_json(&client.get("/v2/events?types=CardStateUpdated"), 200);
    let seen: Vec<_> = events["rows"].as_array().unwrap().iter().map(|event| event["body"].clone()).collect();
    for (card, state) in [(&id, "ACTIVE"), (&virtual_card, "TERMINATED")] {
        let is_its = |body: &&Value| body.to_string().contains(card.as_str()) && body.to_string().contains(state);
        assert!(seen.iter().any(|body| is_its(&body)), "{card} {state}: {events}");
    }
    assert!(!events.to_string().contains("Mill Lane"));
}

#[test]
fn each_kind_of_message_with_a_pin_activates_the_card() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    for path in [ATM, DEBIT, INQUIRY] {
        let virtual_card = card(&client, &budget);
        let id = order_with_pin(&client, &virtual_card);
        assert_eq!(send(&client, path, &id, "0427")["response"]["code"], "0000", "{path}");
        assert_eq!(states(&client, [&id, &virtual_card]), ["ACTIVE", "TERMINATED"], "{path}");
    }
    let virtual_card = card(&client, &funded(&client, "Empty", "0.50"));
    let id = order_with_pin(&client, &virtual_card);
    assert_eq!(send(&client, DEBIT, &id, "0427")["response"]["code"], "1016");
    assert_eq!(states(&client, [&id, &virtual_card]), ["ACTIVE", "TERMINATED"], "the rules run after the activation");
}

#[test]
fn a_verification_compares_the_address_of_the_card() {
    let (_server, client) = fresh_sandbox();
    let virtual_card = card(&client, &funded(&client, "Main", "100.00"));
    let id = order_with_pin(&client, &virtual_card);
    send(&client, DEBIT, &id, "0427");
    let verify = |card: &str, line: &str, postcode: &str| {
        let body: Value = serde_json::from_str(&first_body(card, "0")).unwrap();
        let cardholder = json!({"cardholder": {"addressLine1": line, "postalCode": postcode}});
        let record = transaction(&client.post(AUTHORIZATION, with(body, &cardholder).to_string()));
        assert_eq!(record["response"]["code"], "1830", "a wrong address does not decline");
        let found = &record["verification"];
        [text(found, "/addressLine1").to_owned(), text(found, "/postalCode").to_owned()]
    };
    assert_eq!(verify(&id, "1 Mill Lane", "EC1A 1BB"), ["MATCH", "MATCH"]);
    assert_eq!(verify(&id, "1, mill lane", "ec1a1bb"), ["MATCH", "MATCH"]);
    assert_eq!(verify(&id, "2 Mill Lane", "EC1A 1BB"), ["NO_MATCH", "MATCH"]);
    assert_eq!(verify(&id, "1 Mill Lane", "EC1A 1BC"), ["MATCH", "NO_MATCH"]);
    let without = card(&client, &funded(&client, "Other", "100.00"));
    assert_eq!(verify(&without, "1 Mill Lane", "EC1A 1BB"), ["NOT_CHECKED", "NOT_CHECKED"]);
}

#[test]
fn a_dry_run_and_a_refusal_leave_the_card_as_it_is() {
    let (_server, client) = fresh_sandbox();
    let virtual_card = card(&client, &funded(&client, "Main", "100.00"));
    let id = order_with_pin(&client, &virtual_card);
    let body = with(serde_json::from_str(&first_body(&id, "1")).unwrap(), &json!({"pin": "0427"}));
    let dry = client.post(&format!("{DEBIT}?accountId={}&dryRun=true", client.account), body.to_string());
    assert_eq!(expect_json(&dry, 201)["transaction"]["response"]["code"], "0000");
    let wrong = with(body.clone(), &json!({"amount": 1.001}));
    expect_fault(&client.post(DEBIT, wrong.to_string()), 400, "body.amount", "too_many_decimals");
    assert_eq!(states(&client, [&id, &virtual_card]), ["UNACTIVATED", "ACTIVE"]);
    let [first, again] = [(); 2].map(|()| client.post_once(DEBIT, "first-use", body.to_string()));
    assert_eq!((first.replayed(), again.replayed(), first.json()), (false, true, again.json()));
    assert_eq!(states(&client, [&id, &virtual_card]), ["ACTIVE", "TERMINATED"]);
}

#[test]
fn orders_and_activations_in_wrong_states_are_refused() {
    let (server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let virtual_card = card(&client, &budget);
    let id = order_with_pin(&client, &virtual_card);
    for wrong in [&virtual_card, &id] {
        expect_fault(&order(&client, wrong), 409, "path.cardId", "invalid_state");
    }
    expect_fault(&transition_card(&client, &id, "ACTIVE"), 409, "body.state", "invalid_state");
    let other = card(&client, &budget);
    expect_json(&transition_card(&client, &other, "TERMINATED"), 200);
    expect_fault(&order(&client, &other), 409, "path.cardId", "invalid_state");
    expect_fault(&order(&client, ABSENT), 404, "path.cardId", "not_found");
    expect_fault(&order(&server.other(), &virtual_card), 404, "path.cardId", "not_found");
    expect_json(&transition_card(&client, &id, "TERMINATED"), 200);
    assert_eq!(find(&client, &id)["recipientAddress"], Value::Null, "the address is deleted");
    expect_json(&order(&client, &virtual_card), 201);
    let mut table = Table::default();
    for (body, place, code) in [
        (json!({}), "body.recipientAddress", "required"),
        (json!({"recipientAddress": "London"}), "body.recipientAddress", "invalid_type"),
        (
            json!({"recipientAddress": with(address(), &json!({"countryCode": "UK"}))}),
            "body.recipientAddress.countryCode",
            "invalid_value",
        ),
        (
            json!({"recipientAddress": with(address(), &json!({"city": ""}))}),
            "body.recipientAddress.city",
            "invalid_format",
        ),
        (
            json!({"recipientAddress": with(address(), &json!({"street": "x"}))}),
            "body.recipientAddress.street",
            "unknown_field",
        ),
    ] {
        let answer = client.post(&format!("{CARDS}/{virtual_card}/order-physical"), body.to_string());
        table.check(&bad(body.to_string(), place, code), &answer);
    }
    table.assert_passed(5);
}

#[test]
fn an_erased_owner_leaves_no_address() {
    let (server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let person = json!({"accountId": client.account, "roleName": "User", "firstName": "Ada", "lastName": "Lovelace",
        "emailAddress": "ada.lovelace@example.com"});
    let person = expect_json(&client.post("/v2/people", person.to_string()), 201);
    let body = json!({"cardOwnerType": "PEOPLE", "personId": person["id"], "name": "Ada", "activate": true,
        "budgets": [{"budgetId": budget, "active": true}]});
    let virtual_card = text(&expect_json(&client.post(CARDS, body.to_string()), 201), "/id").to_owned();
    let id = order_with_pin(&client, &virtual_card);
    server.workspace().json(&["people", "erase", text(&person, "/id"), "--json"]);
    assert_eq!(states(&client, [&id, &virtual_card]), ["TERMINATED", "TERMINATED"]);
    assert_eq!(find(&client, &id)["recipientAddress"], Value::Null);
}
