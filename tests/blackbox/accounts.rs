//! `GET /v2/accounts`: the accounts that a key can access.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{ids, members, text, time};
use crate::support::worlds::create_world;
use crate::support::{Client, Server, demo, expect_fault, expect_faults, expect_json, shared};

const ACCOUNTS: &str = "/v2/accounts?";

const MEMBERS: [&str; 7] = ["business", "createdAt", "features", "id", "status", "type", "updatedAt"];

fn list(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("{ACCOUNTS}{query}"));
    assert_documented("get", "/v2/accounts", &answer);
    expect_json(&answer, 200)
}

fn find(client: &Client, id: &str, query: &str) -> Value {
    let answer = client.get(&format!("/v2/accounts/{id}?{query}"));
    assert_documented("get", "/v2/accounts/{accountId}", &answer);
    expect_json(&answer, 200)
}

#[test]
fn an_account_shows_the_requested_members() {
    let client = shared().client();
    let plain = find(&client, &client.account, "");
    assert_eq!(members(&plain), MEMBERS);
    time(&plain["createdAt"]);
    assert_eq!(plain["business"], json!({"accountId": client.account, "name": "Florin Demo Ltd"}));
    assert_eq!((&plain["type"], &plain["status"]), (&json!("Business"), &json!("active")));
    let features = json!({
        "accountId": client.account, "payments": true, "batchPayments": true, "cards": true, "virtualCards": "active",
        "merchant": true,
    });
    assert_eq!(plain["features"], features);
    let complete = find(&client, &client.account, "include=addresses,currencies,settings,features");
    assert_eq!(complete["addresses"], json!([]));
    let codes: Vec<_> =
        complete["currencies"].as_array().unwrap().iter().map(|row| text(row, "/currencyCode")).collect();
    assert_eq!(codes, ["BHD", "CHF", "EUR", "GBP", "JPY", "USD"]);
    assert_eq!(
        complete["settings"],
        json!({"accountId": client.account, "mfaRequired": true, "uniqueBudgetNames": false})
    );
}

#[test]
fn the_list_has_the_accounts_of_the_key() {
    let server = Server::sandbox();
    let client = server.client();
    let page = list(&client, "");
    assert_eq!(page["count"], 2);
    assert_eq!(ids(&page), ["F50091", "F50092"]);
    assert_eq!(ids(&list(&client, "limit=1&offset=1")), ["F50092"]);
    assert_eq!(list(&client, "include=currencies")["rows"][1]["currencies"].as_array().unwrap().len(), 6);
    assert_eq!(ids(&list(&server.other(), "")), [demo().other_account.as_str()]);
    // A world's key can access its world only. The client's key can access the world, too.
    let (_, world) = create_world(&server, json!({"template": "empty"}));
    assert_eq!(ids(&list(&world, "")), [world.account.as_str()]);
    assert_eq!(list(&client, "")["count"], 3);
    expect_json(&world.get(&format!("/v2/accounts/{}?", world.account)), 200);
    expect_fault(&world.get("/v2/accounts/F50091?"), 404, "path.accountId", "not_found");
}

#[test]
fn foreign_accounts_and_invalid_parameters_are_refused() {
    let server = shared();
    let client = server.client();
    for id in [demo().other_account.as_str(), "F404"] {
        expect_fault(&client.get(&format!("/v2/accounts/{id}?")), 404, "path.accountId", "not_found");
    }
    let faults = [("query.limit", "out_of_range"), ("query.include", "invalid_value")];
    expect_faults(&client.get(&format!("{ACCOUNTS}limit=0&include=market")), 400, &faults);
    expect_fault(&server.limited().get(ACCOUNTS), 403, "header.Authorization", "insufficient_scope");
}
