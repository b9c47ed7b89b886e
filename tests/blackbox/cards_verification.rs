//! Data that messages present: PINs, security codes, wallet tokens and 3-D Secure; and the status of the card's owner.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::management::{CARDS, card, funded, with};
use crate::support::payments::fresh_sandbox;
use crate::support::wallet::{first_body, transaction};
use crate::support::{
    ABSENT, ATM, AUTHORIZATION, Answer, CLEARING, Client, REFUND, chain_path, expect_fault, expect_json,
};

const DEBIT: &str = "/v2/cards/simulations/debit";
/// The SHA-256 of `{"pin":"0427"}`.
const HASH_OF_PIN: &str = "ca0b9717965d5cf2700393a2094aa0f9182e589c8aa3a0cce6c092de9ab0f150";
const INQUIRY: &str = "/v2/cards/simulations/balance-inquiry";

fn message(card: &str, amount: &str, members: &Value) -> Value {
    with(serde_json::from_str(&first_body(card, amount)).unwrap(), members)
}

fn send(client: &Client, path: &str, body: &Value) -> Value {
    let answer = client.post(path, body.to_string());
    assert_documented("post", path, &answer);
    transaction(&answer)
}

fn pay(client: &Client, card: &str, members: &Value) -> Value {
    send(client, AUTHORIZATION, &message(card, "1", members))
}

fn code(record: &Value) -> &str {
    text(record, "/response/code")
}

fn set_pin(client: &Client, card: &str, pin: &str) -> Answer {
    let answer = client.put(&format!("{CARDS}/{card}/pin"), json!({"pin": pin}).to_string());
    if answer.status >= 400 {
        assert_documented("put", "/v2/cards/{cardId}/pin", &answer);
    }
    answer
}

fn security_code(client: &Client, card: &str) -> String {
    text(&expect_json(&client.get(&format!("{CARDS}/{card}/details")), 200), "/securityCode").to_owned()
}

/// Returns the rules that were checked, and whether each passed.
fn rules(client: &Client, record: &Value) -> Vec<Value> {
    let chain = expect_json(&client.get(&chain_path(text(record, "/token"))), 200);
    chain["messages"][0]["explanation"]["rules"].as_array().unwrap().clone()
}

#[test]
fn a_pin_is_checked_where_it_is_sent() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "100.00"));
    let find = || expect_json(&client.get(&format!("{CARDS}/{card}")), 200);
    assert_eq!(find()["pinIsSet"], false);
    let with_pin = |path: &str, pin: &str| {
        let mut body = message(&card, "1", &json!({"pin": pin}));
        if path == INQUIRY {
            body.as_object_mut().unwrap().remove("amount");
        }
        code(&send(&client, path, &body)).to_owned()
    };
    assert_eq!(with_pin(ATM, "0427"), "1809", "no PIN is set");
    assert_eq!(set_pin(&client, &card, "0427").status, 204);
    assert_eq!(find()["pinIsSet"], true);
    for path in [ATM, DEBIT, INQUIRY] {
        assert_eq!((with_pin(path, "0427"), with_pin(path, "0428")), ("0000".into(), "1809".into()), "{path}");
    }
    assert_eq!(code(&send(&client, ATM, &message(&card, "1", &json!({})))), "0000", "no PIN is sent");
    let wrong = send(&client, DEBIT, &message(&card, "1", &json!({"pin": "1111"})));
    assert_eq!(rules(&client, &wrong).last(), Some(&json!({"rule": "pin", "passed": false})));
    assert_eq!(set_pin(&client, &card, "9999").status, 204);
    assert_eq!((with_pin(ATM, "9999"), with_pin(ATM, "0427")), ("0000".into(), "1809".into()));
    for pin in ["427", "04270", "04a7", ""] {
        expect_fault(&set_pin(&client, &card, pin), 400, "body.pin", "invalid_format");
    }
    expect_fault(&set_pin(&client, ABSENT, "0427"), 404, "path.cardId", "not_found");
    let elsewhere = client.post(AUTHORIZATION, message(&card, "1", &json!({"pin": "9999"})).to_string());
    expect_fault(&elsewhere, 400, "body.pin", "unknown_field");
}

/// The idempotency record must not reveal the PIN to somebody who hashes all PINs.
#[test]
fn a_pin_is_set_once_per_idempotency_key_and_cannot_be_read() {
    let (server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "100.00"));
    let path = format!("{CARDS}/{card}/pin");
    let put = |pin: &str| client.call("PUT", &path).header("Idempotency-Key", "pin").json(pin).send();
    let (first, again) = (put(r#"{"pin": "0427"}"#), put(r#"{ "pin": "0427" }"#));
    assert_eq!((first.status, first.replayed(), again.status, again.replayed()), (204, false, 204, true));
    expect_fault(&put(r#"{"pin": "0428"}"#), 422, "body", "idempotency_mismatch");
    let debit = |pin: &str| client.post_once(DEBIT, "debit", message(&card, "1", &json!({"pin": pin})).to_string());
    expect_json(&debit("0427"), 201);
    expect_fault(&debit("0428"), 422, "body", "idempotency_mismatch");
    let new = expect_json(&client.post(&format!("{CARDS}/{card}/replace"), "{}"), 201);
    assert_eq!(new["pinIsSet"], false, "a new card has no PIN");
    let (_, workspace) = server.stop();
    for (name, bytes) in workspace.stored() {
        let found = bytes.windows(HASH_OF_PIN.len()).any(|window| window == HASH_OF_PIN.as_bytes());
        assert!(!found, "the hash of the PIN is in {name}");
    }
}

#[test]
fn a_verification_compares_only_the_security_code() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "100.00"));
    let right = security_code(&client, &card);
    let wrong = if right == "111" { "222" } else { "111" };
    let verify = |amount, cardholder: Value| {
        send(&client, AUTHORIZATION, &message(&card, amount, &json!({"cardholder": cardholder})))
    };
    let not_checked =
        |code: &str| json!({"addressLine1": "NOT_CHECKED", "postalCode": "NOT_CHECKED", "securityCode": code});
    let address = json!({"addressLine1": "1 High Street", "postalCode": "EC1A 1BB", "securityCode": right});
    let checked = verify("0", address);
    assert_eq!((code(&checked), text(&checked, "/state")), ("1830", "COMPLETION"));
    assert_eq!(checked["verification"], not_checked("MATCH"));
    assert_eq!(verify("0", json!({}))["verification"], not_checked("NOT_CHECKED"));
    let declined = verify("0", json!({"securityCode": wrong}));
    assert_eq!((code(&declined), &declined["verification"]), ("1825", &not_checked("NO_MATCH")));
    let declined = verify("1", json!({"securityCode": wrong}));
    assert_eq!(code(&declined), "1825");
    assert_eq!(rules(&client, &declined).last(), Some(&json!({"rule": "security_code", "passed": false})));
    assert_eq!(code(&verify("1", json!({"securityCode": right}))), "0000");
    let letters = message(&card, "1", &json!({"cardholder": {"securityCode": "abc"}}));
    let refused = client.post(AUTHORIZATION, letters.to_string());
    expect_fault(&refused, 400, "body.cardholder.securityCode", "invalid_format");
    assert_eq!(pay(&client, &card, &json!({})).get("verification"), None);
}

#[test]
fn failed_authentications_and_unusable_tokens_are_declined() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "100.00"));
    for (outcome, expected) in [
        ("AUTHENTICATED", "0000"),
        ("ATTEMPTED", "0000"),
        ("UNAVAILABLE", "0000"),
        ("NOT_AUTHENTICATED", "1886"),
        ("REJECTED", "1886"),
    ] {
        let record = pay(&client, &card, &json!({"threeDSecure": {"outcome": outcome}}));
        assert_eq!((code(&record), &record["threeDSecure"]), (expected, &json!({"outcome": outcome})));
        if expected != "0000" {
            let rule = json!({"rule": "three_d_secure", "passed": false, "outcome": outcome});
            assert_eq!(rules(&client, &record).last(), Some(&rule));
        }
    }
    for (state, expected) in [("ACTIVE", "0000"), ("REQUESTED", "1806"), ("SUSPENDED", "1806"), ("TERMINATED", "1806")]
    {
        let token = json!({"token": "DNITHE413937", "state": state});
        let record = pay(&client, &card, &json!({"digitalWalletToken": token}));
        assert_eq!((code(&record), &record["digitalWalletToken"]), (expected, &token));
        if expected != "0000" {
            let rule = json!({"rule": "wallet_token", "passed": false, "tokenState": state});
            assert_eq!(rules(&client, &record).last(), Some(&rule));
        }
    }
    let without_state = pay(&client, &card, &json!({"digitalWalletToken": {"token": "a"}}));
    assert_eq!(without_state["digitalWalletToken"], json!({"token": "a", "state": "ACTIVE"}));
}

#[test]
fn the_owner_of_an_individual_card_must_be_active() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let body =
        json!({"roleName": "User", "firstName": "Ada", "lastName": "Byron", "emailAddress": "owner@example.com"});
    let person = expect_json(&client.post("/v2/people", body.to_string()), 201);
    let body = json!({
        "cardOwnerType": "PEOPLE", "personId": person["id"], "name": "Ada", "activate": true,
        "budgets": [{"budgetId": budget, "active": true}]
    });
    let card = text(&expect_json(&client.post(CARDS, body.to_string()), 201), "/id").to_owned();
    let change = |status: &str| {
        let path = format!("/v2/people/{}", text(&person, "/id"));
        expect_json(&client.call("PATCH", &path).json(json!({"status": status}).to_string()).send(), 200);
    };
    assert_eq!(code(&pay(&client, &card, &json!({}))), "0000");
    change("inactive");
    let declined = pay(&client, &card, &json!({}));
    assert_eq!(code(&declined), "1813");
    let rule = json!({"rule": "cardholder_active", "passed": false, "personStatus": "inactive"});
    assert_eq!(rules(&client, &declined).last(), Some(&rule));
    assert_eq!(code(&send(&client, REFUND, &message(&card, "1", &json!({})))), "0000");
    change("active");
    assert_eq!(code(&pay(&client, &card, &json!({}))), "0000");
}

#[test]
fn records_show_the_members_of_their_messages() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "100.00"));
    let pos = json!({"entryMode": "CREDENTIAL_ON_FILE", "merchantInitiated": true, "recurring": false});
    for path in [AUTHORIZATION, ATM, DEBIT, REFUND] {
        assert_eq!(send(&client, path, &message(&card, "1", &json!({"pos": pos})))["pos"], pos, "{path}");
    }
    let first = pay(&client, &card, &json!({"pos": {}}));
    assert_eq!(first["pos"], json!({}));
    let token = text(&first, "/token");
    let clearing = |number, count| {
        let body = json!({
            "precedingRelatedTransactionToken": token, "amount": 0.5, "finalClearing": false,
            "multiClearingSequenceNumber": number, "multiClearingSequenceCount": count
        });
        client.post(CLEARING, body.to_string())
    };
    let place = "body.multiClearingSequenceNumber";
    expect_fault(&clearing(3, 2), 400, place, "out_of_range");
    expect_fault(&clearing(0, 2), 400, place, "out_of_range");
    let answer = clearing(1, 2);
    assert_documented("post", CLEARING, &answer);
    let part = transaction(&answer);
    assert_eq!((&part["multiClearingSequenceNumber"], &part["multiClearingSequenceCount"]), (&json!(1), &json!(2)));
    let chain = expect_json(&client.get(&chain_path(token)), 200);
    assert_documented("get", crate::support::CHAIN, &client.get(&chain_path(token)));
    assert_eq!(chain["messages"][1]["transaction"], part);
    let forced = message(&card, "1", &json!({"forcePost": true, "pos": pos, "multiClearingSequenceCount": 1}));
    let forced = send(&client, CLEARING, &forced);
    assert_eq!((&forced["pos"], &forced["multiClearingSequenceCount"]), (&pos, &json!(1)));
}
