//! Requests about accounts and addresses of callers as the documentation of the original service shows them, unchanged.

use serde_json::{Value, json};

use crate::support::assert::{is_time, text};
use crate::support::{Server, expect_json};

fn assert_account(account: &Value) {
    for name in ["id", "type", "status"] {
        assert!(account[name].is_string(), "{name} of {account}");
    }
    assert!(account["features"].is_object() && account["business"]["name"].is_string(), "{account}");
    assert!(is_time(&account["createdAt"]) && is_time(&account["updatedAt"]), "{account}");
}

#[test]
fn accounts_are_listed_and_found_as_documented() {
    let server = Server::sandbox();
    let client = server.client();
    let page = expect_json(&client.get("/v2/accounts?"), 200);
    assert_eq!((&page["count"], &page["limit"], &page["offset"]), (&json!(2), &json!(100), &json!(0)));
    page["rows"].as_array().unwrap().iter().for_each(assert_account);
    let id = text(&page["rows"][0], "/id");
    let account = expect_json(&client.get(&format!("/v2/accounts/{id}?include=addresses,currencies,settings")), 200);
    assert_account(&account);
    assert!(account["addresses"].is_array() && account["currencies"].is_array() && account["settings"].is_object());
}

#[test]
fn addresses_of_callers_are_added_and_listed_as_documented() {
    let server = Server::sandbox();
    server.workspace().json(&["clients", "change", "demo", "--any-network", "--json"]);
    let client = server.client();
    let body = json!({"ip": "127.0.0.1", "description": "John Smith's home IP"});
    let added = expect_json(&client.post("/v2/ipaddresses?", body.to_string()), 201);
    let page = expect_json(&client.get("/v2/ipaddresses?"), 200);
    assert_eq!((&page["count"], &page["limit"], &page["offset"]), (&json!(1), &json!(100), &json!(0)));
    let row = &page["rows"][0];
    assert_eq!(*row, added);
    assert_eq!((&row["ip"], &row["description"]), (&body["ip"], &body["description"]));
    assert!(row["id"].is_string() && is_time(&row["createdAt"]) && is_time(&row["updatedAt"]), "{row}");
}
