//! Administration of clients, accounts and keys, while a server is running.

use serde_json::{Value, json};

use crate::support::assert::{text, time};
use crate::support::management::new_budget;
use crate::support::worlds::{WORLDS, create_world};
use crate::support::{BANKS, Client, Server, Workspace, demo, expect_fault, expect_json};

/// A client with an account and a key.
struct TestClient {
    client: String,
    account: String,
    key: Value,
}

fn test_client(workspace: &Workspace, account: &str) -> TestClient {
    let client = workspace.json(&["clients", "create", "--name", "Ada", "--json"]);
    let client = text(&client, "/id").to_owned();
    workspace.json(&["accounts", "create", account, "--client", &client, "--json"]);
    let key = workspace.json(&["keys", "issue", "--client", &client, "--all-scopes", "--json"]);
    TestClient { client, account: account.to_owned(), key }
}

impl TestClient {
    fn caller(&self, server: &Server) -> Client {
        server.client_of(text(&self.key, "/key"), &self.account)
    }
}

fn row(workspace: &Workspace, list: &str, id: &str) -> Value {
    let list = workspace.json(&[list, "list", "--json"]);
    list["rows"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone()
}

fn expect_invalid_key(client: &Client) {
    expect_fault(&client.get(BANKS), 403, "header.Authorization", "invalid_credentials");
}

#[test]
fn a_disabled_client_has_no_valid_keys_until_it_is_enabled() {
    let server = Server::sandbox();
    let workspace = server.workspace();
    let ada = test_client(workspace, "F70001");
    let caller = ada.caller(&server);
    expect_json(&caller.get(BANKS), 200);
    let disabled = workspace.json(&["clients", "disable", "Ada", "--json"]);
    expect_invalid_key(&caller);
    expect_json(&server.client().get(BANKS), 200);
    let again = workspace.json(&["clients", "disable", "Ada", "--json"]);
    assert_eq!(disabled["disabledAt"], again["disabledAt"], "the second command keeps the first time");
    time(&row(workspace, "clients", &ada.client)["disabledAt"]);
    workspace.json(&["clients", "enable", "Ada", "--json"]);
    assert!(row(workspace, "clients", &ada.client).get("disabledAt").is_none());
    expect_json(&caller.get(BANKS), 200);
    for action in ["disable", "enable"] {
        assert!(workspace.refused(&["clients", action, "Nobody"]).contains("client Nobody does not exist"));
    }
}

#[test]
fn an_account_holds_the_currencies_that_it_was_created_with() {
    let server = Server::sandbox();
    let workspace = server.workspace();
    let ada = test_client(workspace, "F70001");
    workspace.json(&["accounts", "create", "F70002", "--client", "Ada", "--currency", "GBP,JPY", "--json"]);
    let caller = ada.caller(&server).with_account("F70002");
    let budgets = expect_json(&caller.get("/v2/budgets"), 200);
    assert_eq!((&budgets["count"], &budgets["rows"][0]["type"]), (&json!(1), &json!("accountBalance")));
    let held = budgets["rows"][0]["currency"].as_array().unwrap();
    assert_eq!(held.iter().map(|row| text(row, "/currencyCode")).collect::<Vec<_>>(), ["GBP", "JPY"]);
    let create = |currency: &str| caller.post("/v2/budgets", new_budget("Main", &[currency]).to_string());
    expect_fault(&create("EUR"), 400, "body.currencies[0]", "invalid_value");
    expect_json(&create("JPY"), 201);
    assert!(
        workspace
            .refused(&["accounts", "create", "F70003", "--client", "Ada", "--currency", "XXX"])
            .contains("--currency")
    );
}

#[test]
fn operators_change_names_and_networks() {
    let server = Server::sandbox();
    let workspace = server.workspace();
    let ada = test_client(workspace, "F70001");
    let caller = ada.caller(&server);
    workspace.json(&["clients", "change", "Ada", "--allow-network", "192.0.2.1", "--json"]);
    expect_fault(&caller.get(BANKS), 403, "header.Authorization", "address_not_allowed");
    assert_eq!(row(workspace, "clients", &ada.client)["allowedNetworks"], json!(["192.0.2.1/32"]));
    workspace.json(&[
        "clients",
        "change",
        "Ada",
        "--allow-network",
        "192.0.2.0/24",
        "--allow-network",
        "127.0.0.0/8",
        "--json",
    ]);
    expect_json(&caller.get(BANKS), 200);
    let renamed = workspace.json(&["clients", "change", &ada.client, "--name", "Countess", "--any-network", "--json"]);
    assert_eq!((text(&renamed, "/name"), &renamed["allowedNetworks"]), ("Countess", &json!([])));
    workspace.json(&["accounts", "change", "F70001", "--name", "Savings", "--json"]);
    assert_eq!(text(&row(workspace, "accounts", "F70001"), "/name"), "Savings");

    assert!(workspace.refused_as_invalid(&["clients", "change", "Countess"]).contains("--allow-network"));
    workspace.refused_as_invalid(&["clients", "change", "Countess", "--allow-network", "nowhere"]);
    workspace.refused_as_invalid(&["clients", "change", "Countess", "--name", ""]);
    workspace.refused_as_invalid(&["accounts", "change", "F70001", "--name", ""]);
    assert!(workspace.refused(&["accounts", "change", "F404", "--name", "x"]).contains("account F404 does not exist"));
}

#[test]
fn a_rotated_key_is_valid_during_the_overlap() {
    let server = Server::sandbox();
    let workspace = server.workspace();
    let ada = test_client(workspace, "F70001");
    let (old, id) = (ada.caller(&server), text(&ada.key, "/id"));
    let rotated = workspace.json(&["keys", "rotate", id, "--json"]);
    let new = server.client_of(text(&rotated, "/key"), &ada.account);
    for caller in [&old, &new] {
        expect_json(&caller.get(BANKS), 200);
    }
    assert_eq!(rotated["scopes"], ada.key["scopes"]);
    assert_eq!((text(&rotated, "/replaces"), &rotated["expiresAt"]), (id, &Value::Null));
    let (ends, issued) = (time(&rotated["replacedExpiresAt"]), time(&rotated["createdAt"]));
    assert_eq!(ends - issued, chrono::TimeDelta::hours(24));
    assert!(row(workspace, "keys", id)["expiresSoon"].is_null(), "a key that has a successor is not reported");

    // A key that was replaced cannot be rotated again.
    let again = workspace.refused(&["keys", "rotate", id, "--overlap", "7d"]);
    assert!(again.contains("was already replaced by key") && again.contains(text(&rotated, "/id")), "{again}");
    assert_eq!(time(&row(workspace, "keys", id)["expiresAt"]), ends);
    let past = workspace.refused(&["keys", "rotate", text(&rotated, "/id"), "--expires-at", "2026-01-01T00:00:00Z"]);
    assert!(past.contains("its successor must not expire before that"), "{past}");
    // Without an overlap, the old key stops working before the command returns.
    let last = workspace.json(&[
        "keys",
        "rotate",
        text(&rotated, "/id"),
        "--overlap",
        "0m",
        "--expires-at",
        "2099-01-01T00:00:00Z",
        "--json",
    ]);
    expect_invalid_key(&new);
    expect_json(&server.client_of(text(&last, "/key"), &ada.account).get(BANKS), 200);
    assert_eq!(text(&last, "/expiresAt"), "2099-01-01T00:00:00Z");

    assert!(workspace.refused(&["keys", "rotate", text(&rotated, "/id")]).contains("has expired"));
    workspace.json(&["keys", "revoke", text(&last, "/id"), "--json"]);
    assert!(workspace.refused(&["keys", "rotate", text(&last, "/id")]).contains("is revoked"));
    assert!(workspace.refused(&["keys", "rotate", crate::support::ABSENT]).contains("does not exist"));
    assert!(workspace.refused_as_invalid(&["keys", "rotate", id, "--overlap", "soon"]).contains("--overlap"));
}

#[test]
fn a_key_shows_when_it_was_last_used() {
    let server = Server::sandbox();
    let ada = test_client(server.workspace(), "F70001");
    let idle = server.workspace().json(&["keys", "issue", "--client", "Ada", "--json"]);
    let before = chrono::Utc::now() - chrono::TimeDelta::seconds(1);
    expect_json(&ada.caller(&server).get(BANKS), 200);
    // The use is recorded at the latest when the server stops.
    let (_, workspace) = server.stop();
    let used = time(&row(&workspace, "keys", text(&ada.key, "/id"))["lastUsedAt"]);
    assert!(before <= used && used <= chrono::Utc::now(), "{used}");
    assert!(row(&workspace, "keys", text(&idle, "/id")).get("lastUsedAt").is_none());
    let table = String::from_utf8(workspace.run(&["keys", "list"]).stdout).unwrap();
    assert!(table.contains("LAST USED"), "{table}");
}

#[test]
fn keys_that_expire_soon_are_reported() {
    let workspace = Workspace::demo();
    let soon = (chrono::Utc::now() + chrono::TimeDelta::days(13)).to_rfc3339();
    let later = (chrono::Utc::now() + chrono::TimeDelta::days(15)).to_rfc3339();
    let client = workspace.json(&["clients", "create", "--name", "Ada", "--json"]);
    let issue =
        |end: &str| workspace.json(&["keys", "issue", "--client", text(&client, "/id"), "--expires-at", end, "--json"]);
    let (soon, later) = (issue(&soon), issue(&later));
    assert_eq!(soon["expiresSoon"], true);
    assert!(later.get("expiresSoon").is_none());
    assert!(String::from_utf8(workspace.run(&["keys", "list"]).stdout).unwrap().contains("EXPIRES SOON"));
    let server = Server::on(workspace.set("FLORIN_METRICS", "true").set("FLORIN_ADMIN_LISTEN", "off"));
    // The first check for expiring keys runs when the server starts.
    let start = std::time::Instant::now();
    while !server.client().with_authorization(None).get("/metrics?").text().contains("florin_keys_expiring 1") {
        assert!(start.elapsed() < crate::support::server::MAX_WAIT, "no metric");
    }
    let (_, workspace) = server.stop();
    let log = workspace.log();
    assert_eq!(log.matches("API keys expire soon").count(), 1, "{log}");
    assert!(log.contains(text(&soon, "/id")) && !log.contains(text(&later, "/id")), "{log}");
}

#[test]
fn the_keys_of_worlds_end_with_the_key_that_created_them() {
    let server = Server::sandbox();
    let workspace = server.workspace();
    let ada = test_client(workspace, "F70001");
    let create = |client: &Client| {
        let world = expect_json(&client.post(WORLDS, json!({"template": "empty"}).to_string()), 201);
        server.client_of(text(&world, "/apiKey"), text(&world, "/accountId"))
    };
    let first = create(&ada.caller(&server));
    let (_, other) = create_world(&server, json!({"template": "empty"}));
    let rotated = workspace.json(&["keys", "rotate", text(&ada.key, "/id"), "--json"]);
    let second = create(&server.client_of(text(&rotated, "/key"), &ada.account));
    // After the rotation, the first world belongs to the new key.
    workspace.json(&["keys", "revoke", text(&ada.key, "/id"), "--json"]);
    expect_json(&first.get(BANKS), 200);
    workspace.json(&["keys", "revoke", text(&rotated, "/id"), "--json"]);
    expect_invalid_key(&first);
    expect_invalid_key(&second);
    expect_json(&other.get(BANKS), 200);
    expect_json(&server.client_of(&demo().api_key, &demo().account).get(BANKS), 200);
}
