//! Cards and limits as a client of the original service uses them: requests as its documentation shows them, unchanged
//! but for the ids, and the members that it reads.

use serde_json::{Value, json};

use crate::support::assert::{members, text, uuid};
use crate::support::management::{CARDS, budget};
use crate::support::payments::fresh_sandbox;
use crate::support::{Client, expect_json};

/// The members of a card that the original documents and Florin returns.
const CARD: [&str; 20] = [
    "id",
    "personId",
    "accountId",
    "cardProductName",
    "lastFour",
    "expiration",
    "expirationTime",
    "pinIsSet",
    "state",
    "stateReason",
    "fulfillmentStatus",
    "cardType",
    "cardOwnerType",
    "name",
    "budgetCardPhoneNumber",
    "budgets",
    "spendingLimit",
    "userTokenId",
    "physicalCardState",
    "token",
];

/// Creates the card of the documentation.
fn team_party(client: &Client, budget: &str) -> Value {
    let body = format!(
        r#"{{
            "cardOwnerType": "BUDGET",
            "budgetCardPhoneNumber": "+447911001762",
            "budgetCardPhoneNumberPersonId": "775596ae-2624-40af-a9dc-9756110a4a08",
            "budgetId": "{budget}",
            "name": "Team Party"
        }}"#
    );
    expect_json(&client.post(CARDS, body), 201)
}

fn expect_members(card: &Value) {
    let found = members(card);
    for member in CARD {
        assert!(found.contains(&member), "{member} is missing in {card}");
    }
}

#[test]
fn a_shared_card_is_created() {
    let (_server, client) = fresh_sandbox();
    let budget = budget(&client, "Engineering");
    let card = team_party(&client, &budget);
    expect_members(&card);
    uuid(&card["id"]);
    let expected = json!({"name": "Team Party", "state": "UNACTIVATED", "cardType": "VIRTUAL_PAN",
        "fulfillmentStatus": "ISSUED", "pinIsSet": false, "cardOwnerType": "BUDGET", "accountId": client.account,
        "physicalCardState": "NOT_REQUESTED", "budgetCardPhoneNumber": "+447911001762", "personId": null});
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(&card[member], value, "{member}");
    }
    assert_eq!((text(&card, "/lastFour").len(), text(&card, "/expiration").len()), (4, 4));
    assert!(text(&card, "/expirationTime").ends_with("T23:59:59Z"));
    assert_eq!(card["token"]["id"], card["userTokenId"]);
    assert_eq!(members(&card["token"]), ["accountId", "budgetId", "id", "personId", "userToken"]);
    assert_eq!(members(&card["budgets"][0]), ["access", "id", "name", "type"]);
    assert_eq!((&card["budgets"][0]["id"], &card["budgets"][0]["access"]), (&json!(budget), &json!("allowed")));
}

#[test]
fn a_card_is_activated_renamed_and_listed() {
    let (_server, client) = fresh_sandbox();
    let card = team_party(&client, &budget(&client, "Engineering"));
    let path = format!("{CARDS}/{}", text(&card, "/id"));
    let activation = r#"{
        "state": "ACTIVE",
        "reason": "Activate new card"
    }"#;
    let active = expect_json(&client.post(&format!("{path}/transition"), activation), 200);
    expect_members(&active);
    assert_eq!((&active["state"], &active["stateReason"]), (&json!("ACTIVE"), &json!("Activate new card")));
    let renamed = client.put(&path, r#"{"name": "Birthday"}"#);
    let renamed = expect_json(&renamed, 200);
    expect_members(&renamed);
    assert_eq!((&renamed["name"], &renamed["state"]), (&json!("Birthday"), &json!("ACTIVE")));
    let target = format!("{CARDS}?accountId={}&state=ACTIVE%2CSUSPENDED&search=Birthday", client.account);
    let listed = expect_json(&client.get(&target), 200);
    assert_eq!(members(&listed), ["count", "limit", "offset", "rows"]);
    assert_eq!((&listed["count"], &listed["rows"]), (&json!(1), &json!([renamed])));
    assert_eq!(expect_json(&client.get(&path), 200), renamed);
}

#[test]
fn limits_are_set_and_read() {
    let (_server, client) = fresh_sandbox();
    let budget = budget(&client, "Engineering");
    let id = text(&team_party(&client, &budget), "/id").to_owned();
    let query = format!("accountId={}&budgetId={budget}", client.account);
    let spending = r#"{
        "amount": 100.5,
        "currencyCode": "GBP",
        "active": true,
        "usageLimit": 15,
        "limitTurnedOff": true,
        "limitWindow": "DAY"
    }"#;
    let set = expect_json(&client.post(&format!("{CARDS}/{id}/spending-limits?{query}"), spending), 200);
    uuid(&set["id"]);
    let expected = json!({"id": set["id"], "amount": 100.5, "currencyCode": "GBP", "active": true, "usageLimit": 15,
        "limitTurnedOff": true, "limitWindow": "DAY", "available": {"uses": 15, "amount": 100.5, "daysRemaining": 1}});
    assert_eq!(set, expected);
    let listed = expect_json(&client.get(&format!("{CARDS}/{id}/spending-limits?{query}")), 200);
    assert_eq!(listed, json!({"limit": 100, "offset": 0, "count": 1, "rows": [expected]}));
    let transaction = r#"{
        "amount": 100.5,
        "active": false,
        "limitTurnedOff": true,
        "currencyCode": "GBP",
        "limitWindow": "TRANSACTION"
    }"#;
    let set = expect_json(&client.post(&format!("{CARDS}/{id}/transaction-limits?{query}"), transaction), 200);
    for (member, value) in [("amount", json!(100.5)), ("active", json!(false)), ("limitWindow", json!("TRANSACTION"))] {
        assert_eq!(set[member], value);
    }
    let listed = expect_json(&client.get(&format!("{CARDS}/{id}/transaction-limits?{query}")), 200);
    assert_eq!(listed["rows"], json!([set]));
}

#[test]
fn an_individual_card_is_created() {
    let (_server, client) = fresh_sandbox();
    let budget = budget(&client, "Engineering");
    let person = json!({"accountId": client.account, "firstName": "Alison", "lastName": "Abraham", "roleName": "User",
        "emailAddress": "a.abraham@acme.com"});
    let person = expect_json(&client.post("/v2/people?", person.to_string()), 201);
    let body = format!(
        r#"{{
            "cardOwnerType": "PEOPLE",
            "personId": "{}",
            "budgets": [
                {{
                    "budgetId": "{budget}",
                    "active": true
                }}
            ],
            "name": "Alison Abraham"
        }}"#,
        text(&person, "/id")
    );
    let card = expect_json(&client.post(CARDS, body), 201);
    expect_members(&card);
    let expected = json!({"name": "Alison Abraham", "state": "UNACTIVATED", "cardType": "VIRTUAL_PAN",
        "cardOwnerType": "PEOPLE", "accountId": client.account, "personId": person["id"]});
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(&card[member], value, "{member}");
    }
    assert_eq!(members(&card["token"]), ["accountId", "budgetId", "id", "personId", "userToken"]);
    assert_eq!((&card["budgets"][0]["id"], &card["budgets"][0]["access"]), (&json!(budget), &json!("allowed")));
    let found = expect_json(
        &client.get(&format!("{CARDS}?accountId={}&personId={}", client.account, text(&person, "/id"))),
        200,
    );
    assert_eq!((&found["count"], &found["rows"][0]), (&json!(1), &card));
}

#[test]
fn a_card_is_found_by_every_filter_and_its_phone_number_is_changed() {
    let (_server, client) = fresh_sandbox();
    let engineering = budget(&client, "Engineering");
    let card = team_party(&client, &engineering);
    let id = text(&card, "/id");
    let body = r#"{
        "budgetCardPhoneNumber": "+447911001763",
        "budgetCardPhoneNumberPersonId": "775596ae-2624-40af-a9dc-9756110a4a09"
    }"#;
    let changed = expect_json(&client.put(&format!("{CARDS}/{id}"), body), 200);
    expect_members(&changed);
    assert_eq!(changed["budgetCardPhoneNumber"], "+447911001763");
    assert_eq!((&changed["name"], &changed["state"]), (&card["name"], &card["state"]));
    let day = &text(&card, "/createdAt")[..10];
    let other = "775596ae-2624-40af-a9dc-9756110a4a08";
    for (query, is_found) in [
        (format!("budgetId={engineering}"), true),
        (format!("budgetId={other}"), false),
        (format!("cardId={id}"), true),
        (format!("cardIds={other}%2C{id}"), true),
        (format!("cardIds={other}"), false),
        (format!("budgetId={engineering}&cardOwnerType=BUDGET"), true),
        (format!("budgetId={engineering}&cardOwnerType=PEOPLE"), false),
        (format!("budgetId={engineering}&startDate={day}"), true),
        (format!("budgetId={engineering}&endDate=2020-01-01"), false),
        (format!("budgetId={engineering}&search={}", text(&card, "/lastFour")), true),
        (format!("personId={other}"), false),
        (format!("personIds={other}"), false),
    ] {
        let found = expect_json(&client.get(&format!("{CARDS}?accountId={}&{query}", client.account)), 200);
        let expected = if is_found { json!([changed]) } else { json!([]) };
        assert_eq!(found["rows"], expected, "{query}");
    }
}
