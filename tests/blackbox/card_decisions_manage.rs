//! `/v2/card-decisions`: how the decision endpoint of an account is set, and who can read it.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text};
use crate::support::decisions::{APPROVE, DECISIONS, buy, put, start_endpoint};
use crate::support::payments::fresh_sandbox;
use crate::support::receiver::Receiver;
use crate::support::worlds::{create_world, restore, snapshot};
use crate::support::{Client, Server, Workspace, demo, expect_fault, expect_faults, expect_json};

const ROTATE: &str = "/v2/card-decisions/rotate-secret";

fn delete(client: &Client) -> crate::support::Answer {
    client.call("DELETE", DECISIONS).send()
}

fn gbp_card() -> String {
    demo().active_card("GBP").id.clone()
}

#[test]
fn the_secret_is_shown_once() {
    let (_server, client) = fresh_sandbox();
    expect_fault(&client.get(DECISIONS), 404, "query.accountId", "not_found");
    expect_fault(&delete(&client), 404, "query.accountId", "not_found");
    let body = json!({"url": "https://example.com/decisions"});
    let answer = put(&client, &body);
    assert_documented("put", DECISIONS, &answer);
    let created = expect_json(&answer, 201);
    let all = ["accountId", "createdAt", "enabled", "fallback", "signingSecret", "timeoutMs", "updatedAt", "url"];
    assert_eq!(members(&created), all);
    assert_eq!(
        (&created["enabled"], &created["timeoutMs"], &created["fallback"]),
        (&json!(true), &json!(2000), &json!("DECLINE"))
    );
    assert_eq!((text(&created, "/accountId"), &created["url"]), (client.account.as_str(), &body["url"]));
    assert!(text(&created, "/signingSecret").starts_with("whsec_"));

    let answer = client.get(DECISIONS);
    assert_documented("get", DECISIONS, &answer);
    let mut shown = created.clone();
    shown.as_object_mut().unwrap().remove("signingSecret");
    assert_eq!(expect_json(&answer, 200), shown);
    let other = json!({"url": "http://localhost:9000/d", "enabled": false, "timeoutMs": 100, "fallback": "APPROVE"});
    let answer = put(&client, &other);
    assert_documented("put", DECISIONS, &answer);
    let changed = expect_json(&answer, 200);
    assert_eq!(members(&changed), members(&shown));
    for member in ["url", "enabled", "timeoutMs", "fallback"] {
        assert_eq!(changed[member], other[member], "{member}");
    }
    assert_eq!(changed["createdAt"], created["createdAt"]);
    assert_eq!(expect_json(&client.get(DECISIONS), 200), changed);
    // A change replaces all settings.
    assert_eq!(expect_json(&put(&client, &body), 200)["timeoutMs"], 2000);
    let answer = delete(&client);
    assert_eq!((answer.status, answer.body.len()), (204, 0));
    expect_fault(&client.get(DECISIONS), 404, "query.accountId", "not_found");
    let again = expect_json(&put(&client, &body), 201);
    assert_ne!(again["signingSecret"], created["signingSecret"]);
}

#[test]
fn all_faults_are_reported_together() {
    let (_server, client) = fresh_sandbox();
    let wrong = json!({"url": "ftp://x", "enabled": 1, "timeoutMs": 99, "fallback": "decline", "secret": "x"});
    let expected = [
        ("body.url", "invalid_value"),
        ("body.enabled", "invalid_type"),
        ("body.timeoutMs", "out_of_range"),
        ("body.fallback", "invalid_value"),
        ("body.secret", "unknown_field"),
    ];
    expect_faults(&put(&client, &wrong), 400, &expected);
    expect_fault(&put(&client, &json!({})), 400, "body.url", "required");
    for (millis, is_valid) in [(100, true), (5000, true), (5001, false), (0, false), (-1, false)] {
        let body = json!({"url": "https://example.com/", "timeoutMs": millis});
        assert_eq!(put(&client, &body).status < 300, is_valid, "{millis}");
    }
    for url in ["http://10.0.0.1/", "http://user@localhost/", "https://example.com:22/", "http://169.254.169.254/"] {
        let answer = put(&client, &json!({"url": url}));
        expect_fault(&answer, 400, "body.url", "invalid_value");
    }
    expect_fault(
        &client
            .call("PUT", &format!("{DECISIONS}?accountId={}&dryRun=true", client.account))
            .json(r#"{"url": "https://a.example/"}"#)
            .send(),
        400,
        "query.dryRun",
        "invalid_value",
    );
}

#[test]
fn repeats_show_no_secret() {
    let (_server, client) = fresh_sandbox();
    let send = |key: &str, body: &Value| {
        client.call("PUT", DECISIONS).header("Idempotency-Key", key).json(body.to_string()).send()
    };
    let body = json!({"url": "https://example.com/"});
    expect_json(&send("create", &body), 201);
    let again = send("create", &body);
    expect_fault(&again, 409, "header.Idempotency-Key", "invalid_state");
    assert!(!again.text().contains("whsec_"));
    let other = send("create", &json!({"url": "https://example.org/"}));
    assert_eq!(other.status, 422, "{other:?}");
    let (first, second) = (send("change", &body), send("change", &body));
    assert_eq!((first.status, second.status, second.replayed()), (200, 200, true));
    assert_eq!(first.body, second.body);
    let rotate = || client.post_once(ROTATE, "rotate", "{}");
    let rotated = rotate();
    assert_documented("post", ROTATE, &rotated);
    assert!(text(&expect_json(&rotated, 200), "/signingSecret").starts_with("whsec_"));
    expect_fault(&rotate(), 409, "header.Idempotency-Key", "invalid_state");
    let remove = || client.call("DELETE", DECISIONS).header("Idempotency-Key", "delete").send();
    let (first, second) = (remove(), remove());
    assert_eq!((first.status, second.status, second.replayed()), (204, 204, true));
    expect_fault(&client.post(ROTATE, "{}"), 404, "query.accountId", "not_found");
}

#[test]
fn both_secrets_sign_during_an_overlap() {
    let (_server, client) = fresh_sandbox();
    let (endpoint, created) = start_endpoint(&client, APPROVE, &json!({}));
    let rotated = expect_json(&client.post(ROTATE, r#"{"overlapHours": 1}"#), 200);
    assert!(rotated["previousSecretExpiresAt"].is_string(), "{rotated}");
    buy(&client, &gbp_card(), "0.01");
    let got = endpoint.wait_for(1).remove(0);
    let [old, new] = [&created, &rotated].map(|answer| text(answer, "/signingSecret"));
    assert_eq!((got.verify(old), got.verify(new)), (Ok(()), Ok(())));
    let last = expect_json(&client.post(ROTATE, r#"{"overlapHours": 0}"#), 200);
    // A change keeps the secret.
    expect_json(&put(&client, &json!({"url": endpoint.url(), "timeoutMs": 1000})), 200);
    buy(&client, &gbp_card(), "0.01");
    let got = endpoint.wait_for(2).remove(1);
    assert!(got.verify(old).is_err() && got.verify(new).is_err());
    got.verify(text(&last, "/signingSecret")).unwrap();
}

/// A change applies to the next message that the same instance of Florin receives.
#[test]
fn changes_take_effect_immediately() {
    let (_server, client) = fresh_sandbox();
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({}));
    let asks = |record: &Value| record.get("decision").is_some();
    assert!(asks(&buy(&client, &gbp_card(), "0.01")));
    for _ in 0..5 {
        expect_json(&put(&client, &json!({"url": endpoint.url(), "enabled": false})), 200);
        assert!(!asks(&buy(&client, &gbp_card(), "0.01")), "it is disabled");
        expect_json(&put(&client, &json!({"url": endpoint.url()})), 200);
        assert!(asks(&buy(&client, &gbp_card(), "0.01")));
        assert_eq!(delete(&client).status, 204);
        assert!(!asks(&buy(&client, &gbp_card(), "0.01")), "it is removed");
        expect_json(&put(&client, &json!({"url": endpoint.url()})), 201);
        assert!(asks(&buy(&client, &gbp_card(), "0.01")));
    }
}

#[test]
fn accounts_and_scopes_are_checked() {
    let (server, client) = fresh_sandbox();
    let (_, created) = start_endpoint(&client, APPROVE, &json!({}));
    let body = json!({"url": "https://example.com/"}).to_string();
    let foreign = server.other().with_account(&client.account);
    for client in [&foreign, &client.with_account("F404")] {
        for (method, path, body) in [
            ("GET", DECISIONS, ""),
            ("PUT", DECISIONS, body.as_str()),
            ("DELETE", DECISIONS, ""),
            ("POST", ROTATE, "{}"),
        ] {
            let call = client.call(method, path);
            let answer = if body.is_empty() { call.send() } else { call.json(body).send() };
            expect_fault(&answer, 404, "query.accountId", "not_found");
        }
    }
    for (method, path) in [("GET", DECISIONS), ("PUT", DECISIONS), ("DELETE", DECISIONS), ("POST", ROTATE)] {
        assert_eq!(server.limited().call(method, path).send().status, 403, "{method} {path}");
    }
    let shown = expect_json(&client.get(DECISIONS), 200);
    assert_eq!(shown["updatedAt"], created["updatedAt"]);
}

#[test]
fn secrets_are_neither_shown_nor_logged_nor_stored_in_clear() {
    let server = Server::sandbox();
    let client = server.client();
    let (endpoint, created) = start_endpoint(&client, APPROVE, &json!({}));
    let rotated = expect_json(&client.post(ROTATE, "{}"), 200);
    buy(&client, &gbp_card(), "0.01");
    endpoint.answer(500, "");
    let failed = buy(&client, &gbp_card(), "0.01");
    assert_eq!(failed["decision"]["fallbackReason"], "bad_status");
    let shown = client.get(DECISIONS).text();
    let (_, workspace) = server.stop();
    let stored: Vec<u8> = workspace.stored().into_iter().flat_map(|(_, bytes)| bytes).collect();
    for secret in [&created, &rotated].map(|answer| &text(answer, "/signingSecret")[6..]) {
        assert!(!shown.contains(secret) && !workspace.log().contains(secret), "{secret}");
        assert!(!stored.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret} is stored in clear");
    }
    assert!(workspace.log().contains("the decision endpoint did not decide"), "the log says why");
}

/// The endpoint belongs to the account, not to the contents of a world.
#[test]
fn a_restore_leaves_the_endpoint_and_a_copy_has_none() {
    let server = Server::sandbox();
    let (_, world) = create_world(&server, json!({"template": "demo"}));
    let before = snapshot(&world);
    let (endpoint, _) = start_endpoint(&world, APPROVE, &json!({}));
    restore(&world, &before);
    assert_eq!(text(&expect_json(&world.get(DECISIONS), 200), "/url"), endpoint.url());
    let (_, copy) = create_world(&server, json!({"snapshotId": before}));
    expect_fault(&copy.get(DECISIONS), 404, "query.accountId", "not_found");
    assert_eq!(world.call("DELETE", &crate::support::worlds::world_path(&world.account)).send().status, 204);
}

/// Production sends questions to public addresses over https only. It has no simulated messages, so no endpoint is
/// asked there.
#[test]
fn production_accepts_https_only() {
    let workspace = Workspace::empty().production();
    assert!(workspace.run(&["init"]).status.success());
    let client = workspace.json(&["clients", "create", "--name", "Live", "--json"]);
    let client = text(&client, "/id").to_owned();
    workspace.json(&["accounts", "create", "P10001", "--client", &client, "--json"]);
    let key = workspace.json(&["keys", "issue", "--client", &client, "--all-scopes", "--json"]);
    let server = Server::on(workspace);
    let client = server.client_of(text(&key, "/key"), "P10001");
    let receiver = Receiver::start();
    for url in [
        receiver.url().as_str(),
        "http://example.com/",
        "https://127.0.0.1/",
        "https://[::1]:8443/",
        "https://10.1.2.3/",
    ] {
        expect_fault(&put(&client, &json!({"url": url})), 400, "body.url", "invalid_value");
    }
    let created = expect_json(&put(&client, &json!({"url": "https://example.com/"})), 201);
    assert!(text(&created, "/signingSecret").starts_with("whsec_"));
    assert_eq!(receiver.connections(), 0);
}
