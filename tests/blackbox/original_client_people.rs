//! Requests about people as the documentation of the original service shows them, unchanged. A client of the original
//! must find every member of the answers where it expects it.

use serde_json::{Value, json};

use crate::support::assert::{Member, is_time, is_uuid, text};
use crate::support::payments::fresh_sandbox;
use crate::support::{Client, expect_json};

const RECORD: &[Member] = &[
    ("id", is_uuid),
    ("personaId", is_uuid),
    ("firstName", Value::is_string),
    ("lastName", Value::is_string),
    ("emailAddress", |value| value.as_str().is_some_and(|text| text.contains('@'))),
    ("dob", |value| value.is_null() || value.as_str().is_some_and(|text| text.len() == 10)),
    ("status", |value| value == "active"),
    ("roleName", Value::is_string),
    ("hasPeopleCard", Value::is_boolean),
    ("createdAt", is_time),
    ("updatedAt", is_time),
];

fn assert_person(person: &Value) {
    for (name, is_right) in RECORD {
        assert!(person.get(*name).is_some_and(is_right), "{name} of {person}");
    }
    for name in ["id", "accountId", "roleId", "status"] {
        assert!(person["persona"][name].is_string(), "persona.{name} of {person}");
    }
}

/// Creates a person. As in the original, the body names the account.
fn create(client: &Client) -> Value {
    let body = json!({
        "accountId": client.account,
        "firstName": "Alison",
        "lastName": "Abraham",
        "roleName": "Viewer",
        "dob": "1996-07-17",
        "emailAddress": "a.abraham@acme.com",
        "status": "active",
    });
    let created = expect_json(&client.post("/v2/people?", body.to_string()), 201);
    assert_person(&created);
    created
}

#[test]
fn roles_are_listed_as_documented() {
    let (_server, client) = fresh_sandbox();
    let roles = expect_json(&client.get("/v2/roles"), 200);
    assert_eq!(roles["count"], 6);
    for role in roles["rows"].as_array().unwrap() {
        assert!(is_uuid(&role["id"]) && role["name"].is_string(), "{role}");
    }
}

#[test]
fn people_are_created_found_and_listed_as_documented() {
    let (_server, client) = fresh_sandbox();
    let created = create(&client);
    let (account, id) = (&client.account, text(&created, "/id"));
    assert_eq!(expect_json(&client.get(&format!("/v2/people/{id}?accountId={account}")), 200), created);
    let page = expect_json(&client.get(&format!("/v2/people?accountId={account}")), 200);
    assert_eq!((&page["count"], &page["limit"], &page["offset"]), (&json!(3), &json!(100), &json!(0)));
    page["rows"].as_array().unwrap().iter().for_each(assert_person);
    let found = expect_json(&client.get(&format!("/v2/people?accountId={account}&people={id}")), 200);
    assert_eq!((&found["count"], &found["rows"][0]), (&json!(1), &created));
}

#[test]
fn people_are_changed_as_documented() {
    let (_server, client) = fresh_sandbox();
    let created = create(&client);
    let path = format!("/v2/people/{}?", text(&created, "/id"));
    let body = json!({"accountId": client.account, "lastName": "Abrahams", "dob": "1996-07-18"});
    let changed = expect_json(&client.call("PATCH", &path).json(body.to_string()).send(), 200);
    assert_person(&changed);
    assert_eq!((&changed["lastName"], &changed["dob"]), (&json!("Abrahams"), &json!("1996-07-18")));
    assert_eq!((&changed["firstName"], &changed["id"]), (&created["firstName"], &created["id"]));
}
