//! The addresses and networks that a client may call from.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text, time, uuid};
use crate::support::table::{Table, bad};
use crate::support::worlds::create_world;
use crate::support::{ABSENT, Answer, BANKS, Client, Server, Workspace, expect_fault, expect_json, shared};

const ADDRESSES: &str = "/v2/ipaddresses?";

fn add(client: &Client, ip: &str) -> Answer {
    let answer = client.post(ADDRESSES, json!({"ip": ip, "description": "Büro"}).to_string());
    assert_documented("post", "/v2/ipaddresses", &answer);
    answer
}

fn remove(client: &Client, id: &str) -> Answer {
    let answer = client.call("DELETE", &format!("/v2/ipaddresses/{id}?")).send();
    if answer.status != 204 {
        assert_documented("delete", "/v2/ipaddresses/{ipAddressId}", &answer);
    }
    answer
}

fn list(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("{ADDRESSES}{query}"));
    assert_documented("get", "/v2/ipaddresses", &answer);
    expect_json(&answer, 200)
}

fn ips(page: &Value) -> Vec<&str> {
    page["rows"].as_array().unwrap().iter().map(|row| text(row, "/ip")).collect()
}

/// Starts a server whose demo client has no networks.
fn without_networks(workspace: Workspace) -> Server {
    workspace.json(&["clients", "change", "demo", "--any-network", "--json"]);
    Server::on(workspace)
}

#[test]
fn the_demo_client_may_call_from_everywhere() {
    assert_eq!(ips(&list(&shared().client(), "")), ["0.0.0.0/0", "::/0"]);
}

#[test]
fn the_first_address_covers_the_caller() {
    let server = without_networks(Workspace::demo());
    let client = server.client();
    assert_eq!(list(&client, "")["count"], 0);
    expect_fault(&add(&client, "192.0.2.1"), 409, "", "invalid_state");
    let added = expect_json(&add(&client, "127.0.0.1"), 201);
    let mut names = members(&added);
    names.sort_unstable();
    assert_eq!(names, ["createdAt", "description", "id", "ip", "updatedAt"]);
    uuid(&added["id"]);
    time(&added["createdAt"]);
    assert_eq!((&added["ip"], &added["description"]), (&json!("127.0.0.1"), &json!("Büro")));
    assert_eq!(list(&client, "")["rows"], json!([added]));
    expect_fault(&add(&client, "127.0.0.1"), 409, "body.ip", "invalid_state");
    expect_json(&client.get(BANKS), 200);
}

#[test]
fn the_list_is_in_the_order_of_addresses() {
    let server = without_networks(Workspace::demo());
    let client = server.client();
    for ip in ["127.0.0.0/8", "192.0.2.1", "2001:db8::1", "9.0.0.0/8", "10.1.2.3/16", "2001:db8::/64"] {
        expect_json(&add(&client, ip), 201);
    }
    let page = list(&client, "");
    let expected = ["9.0.0.0/8", "10.1.0.0/16", "127.0.0.0/8", "192.0.2.1", "2001:db8::/64", "2001:db8::1"];
    assert_eq!((&page["count"], ips(&page)), (&json!(6), expected.to_vec()));
    assert_eq!(ips(&list(&client, "limit=2&offset=3")), expected[3..5]);
}

#[test]
fn callers_cannot_lock_themselves_out() {
    let server = without_networks(Workspace::demo());
    let client = server.client();
    let own = text(&expect_json(&add(&client, "127.0.0.1"), 201), "/id").to_owned();
    let other = text(&expect_json(&add(&client, "192.0.2.0/24"), 201), "/id").to_owned();
    expect_fault(&remove(&client, &own), 409, "", "invalid_state");
    let wider = text(&expect_json(&add(&client, "127.0.0.0/8"), 201), "/id").to_owned();
    assert_eq!(remove(&client, &own).status, 204);
    expect_fault(&remove(&client, &own), 404, "path.ipAddressId", "not_found");
    assert_eq!(remove(&client, &other).status, 204);
    // Without the last entry, every address would be allowed, which only the operator may decide.
    expect_fault(&remove(&client, &wider), 409, "", "invalid_state");
    expect_fault(&remove(&client, ABSENT), 404, "path.ipAddressId", "not_found");
    expect_fault(&remove(&client, "x"), 400, "path.ipAddressId", "invalid_format");
}

#[test]
fn the_operator_and_the_callers_change_one_list() {
    let server = Server::sandbox();
    let (client, workspace) = (server.client(), server.workspace());
    workspace.json(&[
        "clients",
        "change",
        "demo",
        "--allow-network",
        "127.0.0.1",
        "--allow-network",
        "192.0.2.0/24",
        "--json",
    ]);
    let page = list(&client, "");
    assert_eq!(ips(&page), ["127.0.0.1", "192.0.2.0/24"]);
    assert_eq!([&page["rows"][0]["description"], &page["rows"][0]["createdAt"]], [&Value::Null; 2]);
    assert_eq!(remove(&client, text(&page["rows"][1], "/id")).status, 204);
    expect_json(&add(&client, "198.51.100.0/24"), 201);
    let clients = workspace.json(&["clients", "list", "--json"]);
    let demo = clients["rows"].as_array().unwrap().iter().find(|row| row["name"] == "demo").unwrap();
    assert_eq!(demo["allowedNetworks"], json!(["127.0.0.1/32", "198.51.100.0/24"]));
    // The audit log contains the changes of callers, but not refused requests.
    expect_fault(&remove(&client, text(&page["rows"][0], "/id")), 409, "", "invalid_state");
    let audit = workspace.json(&["audit", "list", "--json"]);
    let acts: Vec<_> = audit["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| text(row, "/action").starts_with("ipaddresses"))
        .collect();
    let seen: Vec<_> = acts.iter().map(|row| (text(row, "/action"), text(row, "/outcome"))).collect();
    assert_eq!(seen, [("ipaddresses remove", "done"), ("ipaddresses add", "done")]);
    for act in acts {
        assert!(text(act, "/actor").starts_with("key ") && text(act, "/source") == "127.0.0.1", "{act}");
    }
    workspace.json(&["audit", "verify", "--json"]);
}

#[test]
fn a_change_is_in_effect_when_it_is_answered() {
    let server = without_networks(Workspace::demo());
    let client = server.client();
    let key = server.workspace().json(&["keys", "issue", "--client", "demo", "--all-scopes", "--json"]);
    let second = server.client_of(text(&key, "/key"), &client.account);
    expect_json(&second.get(BANKS), 200);
    let everywhere = expect_json(&add(&client, "0.0.0.0/0"), 201);
    expect_json(&add(&client, "127.0.0.1"), 201);
    assert_eq!(remove(&client, text(&everywhere, "/id")).status, 204);
    expect_json(&second.get(BANKS), 200);
    // The other client is not affected.
    assert_eq!(list(&server.other(), "")["count"], 0);
}

#[test]
fn one_idempotency_key_adds_one_address() {
    let server = Server::sandbox();
    let client = server.client();
    let body = json!({"ip": "127.0.0.1", "description": "here"}).to_string();
    let first = client.post_once(ADDRESSES, "ip", &body);
    let second = client.post_once(ADDRESSES, "ip", &body);
    assert!(second.replayed() && !first.replayed());
    assert_eq!((first.status, first.body), (201, second.body));
    let other = json!({"ip": "127.0.0.2"}).to_string();
    expect_fault(&client.post_once(ADDRESSES, "ip", other), 422, "body", "idempotency_mismatch");
}

#[test]
fn invalid_requests_are_refused() {
    let server = shared();
    let client = server.client();
    let mut table = Table::default();
    for (body, path, code) in [
        (json!({}), "body.ip", "required"),
        (json!({"ip": "10.0.0"}), "body.ip", "invalid_format"),
        (json!({"ip": "10.0.0.0/33"}), "body.ip", "invalid_format"),
        (json!({"ip": "localhost"}), "body.ip", "invalid_format"),
        (json!({"ip": 7}), "body.ip", "invalid_type"),
        (json!({"ip": "127.0.0.1", "description": "a".repeat(257)}), "body.description", "too_long"),
        (json!({"ip": "127.0.0.1", "personId": ABSENT}), "body.personId", "unknown_field"),
    ] {
        table.check(&bad(body.to_string(), path, code), &client.post(ADDRESSES, body.to_string()));
    }
    table.assert_passed(7);
    for answer in [server.limited().get(ADDRESSES), server.limited().post(ADDRESSES, "{}")] {
        expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
    }
}

#[test]
fn a_key_for_one_account_cannot_change_the_networks_of_its_client() {
    let server = without_networks(Workspace::demo());
    let (_, world) = create_world(&server, json!({"template": "empty"}));
    expect_fault(&add(&world, "127.0.0.1"), 403, "header.Authorization", "insufficient_scope");
    assert_eq!(list(&world, "")["count"], 0);
}

#[test]
fn a_setting_limits_the_number_of_networks() {
    let server = without_networks(Workspace::demo().set("FLORIN_MAX_NETWORKS", "1"));
    let client = server.client();
    expect_json(&add(&client, "127.0.0.1"), 201);
    let fault = expect_fault(&add(&client, "127.0.0.2"), 409, "", "invalid_state");
    assert!(fault.message.contains('1'), "{fault:?}");
}
