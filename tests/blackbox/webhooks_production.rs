//! Receivers in production: which URLs are refused, which addresses are not connected to, and which certificates are
//! trusted.

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::management::{budget, card};
use crate::support::receiver::{Receiver, WEBHOOKS, attempts, deliveries, status, wait_for_delivery, webhook_path};
use crate::support::{Client, Server, Workspace, expect_fault, expect_json};

const ACCOUNT: &str = "P20001";

/// Returns a workspace in production with an account, and a key for it. Its client has no features.
fn production_workspace() -> (Workspace, String) {
    let workspace = Workspace::empty().production();
    assert!(workspace.run(&["init"]).status.success());
    let owner = text(&workspace.json(&["clients", "create", "--name", "Live", "--json"]), "/id").to_owned();
    workspace.json(&["accounts", "create", ACCOUNT, "--client", &owner, "--json"]);
    let key = workspace.json(&["keys", "issue", "--client", &owner, "--all-scopes", "--json"]);
    (workspace, text(&key, "/key").to_owned())
}

/// Sends a test to a subscription, and returns the delivery after its only attempt.
fn send_test(client: &Client, webhook: &Value) -> Value {
    let sent = expect_json(&client.post(&webhook_path(webhook, "/test"), ""), 202);
    let is_done = |delivery: &Value| {
        delivery["messageId"] == sent["messageId"] && delivery["nextAttemptAt"].is_null() && attempts(delivery) == 1
    };
    wait_for_delivery(client, webhook, is_done)
}

/// Checks that a delivery had one attempt, which ended with this error. The log of a failure shows nothing of the
/// receiver.
fn assert_failed_with(delivery: &Value, error: &str) {
    let attempt = &delivery["attempts"][0];
    assert_eq!((&delivery["status"], &attempt["error"]), (&json!("exhausted"), &json!(error)), "{delivery}");
    assert_eq!((&attempt["responseStatus"], &attempt["responseBody"]), (&Value::Null, &Value::Null), "{delivery}");
}

#[test]
fn production_connects_where_the_operator_allows_it_and_trusts_the_authorities_of_the_machine() {
    let (receiver, authority) = Receiver::start_tls();
    let (workspace, key) = production_workspace();
    let authority = workspace.write("authority.pem", &authority);

    let server = Server::on(workspace);
    let client = server.client_of(&key, ACCOUNT);
    let webhook = receiver.subscribe(&client, "CardStateUpdated", &json!({}));
    assert_failed_with(&send_test(&client, &webhook), "target_not_allowed");
    assert_eq!(receiver.connections(), 0);

    let workspace = server.stop().1.set("FLORIN_WEBHOOK_ALLOWED_NETWORKS", "127.0.0.0/8, ::1/128");
    let server = Server::on(workspace);
    let client = server.client_of(&key, ACCOUNT);
    assert_failed_with(&send_test(&client, &webhook), "tls_failed");
    assert!(receiver.connections() > 0);
    assert!(receiver.arrived().is_empty());

    let server = Server::on(server.stop().1.set("SSL_CERT_FILE", &authority));
    let client = server.client_of(&key, ACCOUNT);
    assert_eq!(send_test(&client, &webhook)["status"], "delivered");
    let created = card(&client, &budget(&client, "One"));
    let got = receiver.wait_for(2).pop().unwrap();
    got.verify(text(&webhook, "/signingSecret")).unwrap();
    let event = got.event();
    assert_eq!((text(&event, "/cardId"), &event["previousState"]), (created.as_str(), &Value::Null));
    wait_for_delivery(&client, &webhook, status("delivered"));
    assert_eq!(deliveries(&client, &webhook).len(), 4);
}

#[test]
fn production_refuses_urls_with_addresses_other_ports_or_without_tls() {
    let (workspace, key) = production_workspace();
    // Allowed networks do not allow URLs with addresses, or without TLS.
    let server = Server::on(workspace.set("FLORIN_WEBHOOK_ALLOWED_NETWORKS", "0.0.0.0/0, ::/0"));
    let client = server.client_of(&key, ACCOUNT);
    let body = |url: &str| json!({"enabled": true, "url": url, "webhookEventTypeName": "CardTransaction"}).to_string();
    for url in [
        "http://example.com/",
        "http://example.com:443/",
        "http://localhost:9000/",
        "https://example.com:80/",
        "https://example.com:22/",
        "https://127.0.0.1/",
        "https://127.0.0.1:9000/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://0/",
        "https://%31%32%37.0.0.1/",
        "https://10.0.0.1./",
        "https://8.8.8.8/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::1]:9000/",
        "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[fd00:ec2::254]/",
        "https://user@example.com/",
        "https://example.com@127.0.0.1:9000/",
        "https://example.com/#fragment",
        "ftp://example.com/",
    ] {
        expect_fault(&client.post(WEBHOOKS, body(url)), 400, "body.url", "invalid_value");
    }
    for url in ["https://example.com", "https://example.com:8443/hooks"] {
        let created = expect_json(&client.post(WEBHOOKS, body(url)), 201);
        let change = json!({"url": "http://127.0.0.1:9000/"}).to_string();
        let answer = client.call("PATCH", &webhook_path(&created, "")).json(change).send();
        expect_fault(&answer, 400, "body.url", "invalid_value");
    }
}
