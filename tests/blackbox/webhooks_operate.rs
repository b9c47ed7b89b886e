//! `florin webhooks`: lists, shows, disables and enables subscriptions while a server is running.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::assert::{expect_error, members, text, time};
use crate::support::receiver::{Receiver, deliveries, status, wait_for_delivery, webhook_path};
use crate::support::server::MAX_WAIT;
use crate::support::wallet::pay;
use crate::support::worlds::create_world;
use crate::support::{ABSENT, Server, Workspace, demo, expect_json};

fn listed(workspace: &Workspace, filter: &[&str]) -> Vec<Value> {
    workspace.json(&[&["webhooks", "list", "--json"], filter].concat())["rows"].as_array().unwrap().clone()
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| text(row, "/id")).collect()
}

#[test]
fn operators_see_the_webhooks_of_all_clients_without_secrets() {
    let server = Server::sandbox();
    let (workspace, client) = (server.workspace(), server.client());
    let receiver = Receiver::start();
    let url = format!("{}/secret?key=secret", receiver.url());
    let secret = json!({"url": url, "authorizationHeader": "secret", "accountId": null, "ordered": true});
    let all = receiver.subscribe(&client, "CardTransaction", &secret);
    let (_, world) = create_world(&server, json!({"startsAt": "2099-01-01T00:00:00Z"}));
    let one = receiver.subscribe(&world, "BoxCredited", &json!({"enabled": false}));
    let [all_id, one_id] = [&all, &one].map(|webhook| text(webhook, "/id"));

    let rows = listed(workspace, &[]);
    assert_eq!(ids(&rows), [all_id, one_id]);
    let expected = [
        "accountId",
        "clientId",
        "clientName",
        "disabledAt",
        "disabledReason",
        "enabled",
        "failed",
        "failingSince",
        "id",
        "url",
        "waiting",
        "webhookEventTypeName",
    ];
    assert_eq!(members(&rows[0]), expected);
    assert_eq!((&rows[0]["clientId"], &rows[0]["accountId"]), (&all["productId"], &Value::Null));
    assert_eq!((&rows[1]["accountId"], &rows[1]["enabled"]), (&json!(world.account), &json!(false)));
    assert_eq!(text(&rows[0], "/url"), receiver.url().replace("/hook", "/…"));
    let name = text(&rows[0], "/clientName");
    for (filter, found) in [
        (&["--disabled"][..], &[one_id][..]),
        (&["--account", &client.account], &[all_id]),
        (&["--account", &world.account], &[all_id, one_id]),
        (&["--client", name], &[all_id, one_id]),
        (&["--client", text(&all, "/productId"), "--disabled"], &[one_id]),
    ] {
        assert_eq!(ids(&listed(workspace, filter)), found, "{filter:?}");
    }
    workspace.json(&["clients", "create", "--name", "Eve", "--json"]);
    assert!(listed(workspace, &["--client", "Eve"]).is_empty());
    assert!(workspace.refused(&["webhooks", "list", "--client", "Nobody"]).contains("client Nobody does not exist"));
    assert!(workspace.refused(&["webhooks", "list", "--account", "F404"]).contains("account F404 does not exist"));

    // With this header, no retry is due during the test.
    receiver.answer(500, "Retry-After: 3600\r\n");
    pay(&client, "1");
    let failed = wait_for_delivery(&client, &all, status("failed"));
    let shown = workspace.json(&["webhooks", "show", all_id, "--json"]);
    assert_eq!((&shown["waiting"], &shown["failed"], &shown["ordered"]), (&json!(1), &json!(1), &json!(true)));
    time(&shown["failingSince"]);
    let delivery = &shown["deliveries"][0];
    assert_eq!((&delivery["messageId"], &delivery["status"]), (&failed["messageId"], &json!("failed")));
    assert_eq!((&delivery["responseStatus"], &delivery["error"]), (&json!(500), &Value::Null));
    for arguments in [&["webhooks", "list"][..], &["webhooks", "show", all_id]] {
        let printed = String::from_utf8(workspace.run(arguments).stdout).unwrap();
        assert!(printed.contains(all_id) && printed.contains("failing since 2"), "{printed}");
        assert!(!printed.contains("secret") && !printed.contains("whsec_"), "{printed}");
    }
    assert!(!shown.to_string().contains("secret"), "{shown}");
}

/// The metrics count attempts by outcome, and waiting deliveries in total and by subscription.
#[test]
fn metrics_show_attempts_and_waiting_deliveries() {
    let server = Server::on(Workspace::demo().set("FLORIN_METRICS", "true"));
    let client = server.client();
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "1");
    wait_for_delivery(&client, &webhook, status("delivered"));
    receiver.answer(500, "Retry-After: 3600\r\n");
    pay(&client, "2");
    wait_for_delivery(&client, &webhook, status("failed"));
    let id = text(&webhook, "/id");
    let expected = [
        "florin_webhook_attempts_total{outcome=\"delivered\"} 1".to_owned(),
        "florin_webhook_attempts_total{outcome=\"refused\"} 1".to_owned(),
        "florin_webhook_deliveries_waiting 1".to_owned(),
        format!("florin_webhook_subscription_waiting{{webhook=\"{id}\"}} 1"),
        format!("florin_webhook_subscription_failed{{webhook=\"{id}\"}} 1"),
        "florin_webhook_subscription_waiting{webhook=\"other\"} 0".to_owned(),
    ];
    let start = Instant::now();
    loop {
        let metrics = client.with_authorization(None).get("/metrics?").text();
        let lines: Vec<_> = metrics.lines().collect();
        let missing = expected.iter().find(|line| !lines.contains(&line.as_str()));
        let age = lines.iter().find_map(|line| line.strip_prefix("florin_webhook_oldest_waiting_seconds "));
        if missing.is_none() && age.is_some_and(|age| age.parse::<f64>().unwrap() > 0.0) {
            return;
        }
        assert!(start.elapsed() < MAX_WAIT, "{missing:?} is not in {metrics}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn an_operator_disables_and_enables_a_webhook() {
    let server = Server::sandbox();
    let (workspace, client) = (server.workspace(), server.client());
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    let id = text(&webhook, "/id");
    receiver.answer(500, "Retry-After: 3600\r\n");
    pay(&client, "1");
    let failed = wait_for_delivery(&client, &webhook, status("failed"));

    let disabled = workspace.json(&["webhooks", "disable", id, "--json"]);
    assert_eq!((&disabled["enabled"], &disabled["waiting"]), (&json!(false), &json!(1)));
    // The subscription looks as if its client had disabled it.
    let seen = expect_json(&client.get(&webhook_path(&webhook, "")), 200);
    assert_eq!((&seen["enabled"], &seen["disabledReason"]), (&json!(false), &Value::Null));
    time(&seen["disabledAt"]);
    receiver.answer(200, "");
    pay(&client, "2");
    assert_eq!(deliveries(&client, &webhook).len(), 1, "new events are not queued");
    let again = webhook_path(&webhook, &format!("/deliveries/{}/redeliver", text(&failed, "/messageId")));
    expect_error(&client.post(&again, ""), 409);

    let enabled = workspace.json(&["webhooks", "enable", id, "--json"]);
    assert_eq!((&enabled["enabled"], &enabled["disabledAt"]), (&json!(true), &Value::Null));
    pay(&client, "3");
    let amounts = receiver.wait_for(2).into_iter().map(|got| got.event()["transaction"]["amount"].clone());
    assert_eq!(amounts.collect::<Vec<_>>(), ["1.00", "3.00"]);
    expect_json(&client.post(&again, ""), 202);
    receiver.wait_for(3);

    let acts = workspace.json(&["audit", "list", "--json"]);
    for state in ["disabled", "enabled"] {
        let note = format!("webhook {id} of client {}: {state}", text(&webhook, "/productId"));
        assert!(acts.to_string().contains(&note), "{note}: {acts}");
    }
    for action in ["show", "disable", "enable"] {
        let refusal = workspace.refused(&["webhooks", action, ABSENT]);
        assert!(refusal.contains(&format!("webhook {ABSENT} does not exist")), "{refusal}");
        workspace.refused_as_invalid(&["webhooks", action, "everything"]);
    }
    assert_eq!(client.call("DELETE", &webhook_path(&webhook, "")).send().status, 204);
    workspace.refused(&["webhooks", "show", id]);
    assert!(!listed(workspace, &["--account", &demo().account]).iter().any(|row| row["id"] == id));
}
