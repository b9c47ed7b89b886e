//! Deliveries of events to real receivers.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text};
use crate::support::management::transition_card;
use crate::support::receiver::{Receiver, WEBHOOKS, attempts, deliveries, status, wait_for_delivery, webhook_path};
use crate::support::shop::{shop, sold};
use crate::support::wallet::pay;
use crate::support::worlds::{frozen_world, restore, set_clock, snapshot, world_path};
use crate::support::{ABSENT, AUTHORIZATION, Server, Workspace, demo, expect_fault, expect_json};

#[test]
fn a_purchase_is_delivered_signed_and_logged() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    let secrets = json!({"sharedSecret": "0198c0de-0000-7000-8000-00000000000a", "authorizationHeader": "Bearer x y"});
    let webhook = receiver.subscribe(&client, "CardTransaction", &secrets);
    let paid = pay(&client, "10");
    let got = receiver.wait_for(1).remove(0);
    got.verify(text(&webhook, "/signingSecret")).unwrap();
    assert!(got.verify("whsec_MDE5OGMwZGUtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDBi").is_err());
    assert_eq!((got.header("authorization"), got.header("content-type")), ("Bearer x y", "application/json"));
    assert_eq!((got.header("user-agent"), got.header("x-em-signature").len()), ("Florin/0.1.0", 44));
    let event = got.event();
    assert_eq!((text(&event, "/messageId"), text(&event, "/webhookEventTypeName")), (got.id(), "CardTransaction"));
    assert_eq!((&event["transaction"], &event["sequence"]), (&paid, &json!(1)));
    let listed = expect_json(&client.get("/v2/events?types=CardTransaction"), 200);
    assert_eq!(listed["rows"][0].to_string(), serde_json::from_str::<Value>(&got.body).unwrap().to_string());

    let delivery = wait_for_delivery(&client, &webhook, status("delivered"));
    assert_documented(
        "get",
        "/v2/webhooks/{webhookId}/deliveries",
        &client.get(&webhook_path(&webhook, "/deliveries")),
    );
    assert_eq!(text(&delivery, "/messageId"), got.id());
    assert_eq!((&delivery["nextAttemptAt"], &delivery["test"]), (&Value::Null, &json!(false)));
    let attempt = &delivery["attempts"][0];
    assert_eq!(members(attempt), ["at", "durationMs", "error", "number", "responseBody", "responseStatus"]);
    assert_eq!(
        (&attempt["responseStatus"], &attempt["responseBody"], &attempt["number"]),
        (&json!(200), &json!("hello"), &json!(1))
    );
    // A decline is an event like an approval; another type is not sent.
    pay(&client, "1000000");
    assert!(transition_card(&client, &demo().active_card("GBP").id, "SUSPENDED").status < 300);
    let all = receiver.wait_for(2);
    assert_eq!(all[1].event()["transaction"]["state"], "DECLINED");
    wait_for_delivery(&client, &webhook, status("delivered"));
    assert_eq!(receiver.arrived().len(), 2);
    // Sequence 1 was the creation of the card in the demo data, which has no event in the list.
    let moved = expect_json(&client.get("/v2/events?types=CardStateUpdated"), 200);
    assert_eq!(moved["rows"][0]["body"]["sequence"], 2);
}

#[test]
fn a_merchant_event_reaches_the_subscriptions_whose_filters_match() {
    let (_server, client, checkout) = shop();
    let receiver = Receiver::start();
    let types = ["MerchantCheckoutSessionCompleted", "RoqqettCheckoutSessionCompleted"];
    let other_checkout = json!({"filters": {"checkoutId": {"in": [ABSENT]}}});
    let unmatched = types.map(|name| {
        receiver.subscribe(&client, name, &json!({"filters": {"checkoutId": {"in": [ABSENT, checkout]}}}));
        receiver.subscribe(&client, name, &other_checkout)
    });
    let session = sold(&client, &checkout, "1");
    let arrived = receiver.wait_for(2);
    let names: BTreeSet<_> = arrived.iter().map(|got| text(&got.event(), "/webhookEventTypeName").to_owned()).collect();
    assert_eq!(names, types.map(str::to_owned).into());
    let event = arrived[0].event();
    assert_eq!(event["checkoutSession"]["id"], session["id"]);
    assert!(event["checkoutSession"].get("checkoutUrl").is_none(), "{event}");
    for webhook in unmatched {
        assert!(deliveries(&client, &webhook).is_empty(), "{webhook}");
    }
}

#[test]
fn one_jump_of_the_clock_causes_one_attempt() {
    let server = Server::sandbox();
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    receiver.answer(500, "");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "10");
    let failed = wait_for_delivery(&client, &webhook, |delivery| attempts(delivery) == 1);
    assert_eq!((&failed["status"], text(&failed, "/createdAt")), (&json!("failed"), "2026-09-01T12:00:00Z"));
    let next = text(&failed, "/nextAttemptAt");
    assert!(("2026-09-01T12:00:04Z".."2026-09-01T12:00:07Z").contains(&next), "{next}");
    for (jump, count) in [("P1D", 2), ("P5D", 3)] {
        set_clock(&client, json!({"advanceBy": jump}));
        let failed = wait_for_delivery(&client, &webhook, |delivery| attempts(delivery) >= count);
        assert_eq!(attempts(&failed), count, "{failed}");
    }
    // Five days without a success disable the subscription.
    let disabled = expect_json(&client.get(&webhook_path(&webhook, "")), 200);
    assert_eq!((&disabled["enabled"], &disabled["disabledReason"]), (&json!(false), &json!("failing")));
    assert_eq!(text(&disabled, "/disabledAt"), "2026-09-07T12:00:00Z");
    assert_eq!(deliveries(&client, &webhook)[0]["nextAttemptAt"], Value::Null);
    receiver.answer(204, "");
    let path = webhook_path(&webhook, "");
    expect_json(&client.call("PATCH", &path).json(r#"{"enabled": true}"#).send(), 200);
    set_clock(&client, json!({"advanceBy": "PT2H"}));
    let delivered = wait_for_delivery(&client, &webhook, status("delivered"));
    assert_eq!(attempts(&delivered), 4);
    let ids: BTreeSet<_> = receiver.arrived().iter().map(|got| (got.id().to_owned(), got.body.clone())).collect();
    assert_eq!(ids.len(), 1, "every attempt has the same id and the same bytes");
    // The library that verifies accepts only timestamps near real time, so deliveries are not stamped by the account's
    // clock.
    receiver.arrived().iter().for_each(|got| got.verify(text(&webhook, "/signingSecret")).unwrap());
}

#[test]
fn every_delivery_verifies_through_a_rotation() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    let old = text(&webhook, "/signingSecret");
    pay(&client, "1");
    receiver.wait_for(1)[0].verify(old).unwrap();
    let rotated = expect_json(&client.post(&webhook_path(&webhook, "/rotate-secret"), "{}"), 200);
    let new = text(&rotated, "/signingSecret");
    pay(&client, "2");
    let both = receiver.wait_for(2).remove(1);
    both.verify(old).unwrap();
    both.verify(new).unwrap();
    assert_eq!(both.header("webhook-signature").split(' ').count(), 2);
    let rotated = expect_json(&client.post(&webhook_path(&webhook, "/rotate-secret"), r#"{"overlapHours": 0}"#), 200);
    pay(&client, "3");
    let last = receiver.wait_for(3).remove(2);
    last.verify(text(&rotated, "/signingSecret")).unwrap();
    assert!(last.verify(new).is_err() && last.verify(old).is_err());
    assert!(!last.header("webhook-signature").contains(' '));
}

/// Waits until the log contains a text, at most 10 seconds, and returns the log. A change is visible over the API
/// before its log line is written.
fn log_with(server: &Server, text: &str) -> String {
    let start = Instant::now();
    loop {
        let log = server.workspace().log();
        if log.contains(text) || start.elapsed() > Duration::from_secs(10) {
            return log;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn status_410_disables_a_subscription_which_then_sends_nothing() {
    let server = Server::sandbox();
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    receiver.answer(410, "");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "10");
    wait_for_delivery(&client, &webhook, status("failed"));
    let disabled = expect_json(&client.get(&webhook_path(&webhook, "")), 200);
    assert_eq!((&disabled["enabled"], &disabled["disabledReason"]), (&json!(false), &json!("gone")));
    assert_eq!(disabled["updatedAt"], disabled["disabledAt"]);
    let log = log_with(&server, "disabled a webhook");
    let warning = log.lines().find(|line| line.contains("disabled a webhook")).unwrap_or_else(|| panic!("{log}"));
    assert!(
        warning.contains("WARN") && warning.contains(text(&webhook, "/id")) && warning.contains("gone"),
        "{warning}"
    );
    pay(&client, "11");
    let queued = deliveries(&client, &webhook);
    assert_eq!(queued.len(), 1, "an event was queued for a disabled subscription");
    let path = webhook_path(&webhook, &format!("/deliveries/{}/redeliver", text(&queued[0], "/messageId")));
    expect_fault(&client.post(&path, ""), 409, "path.webhookId", "invalid_state");
    for below in ["/test", "/recover"] {
        let sent = if below == "/test" { "" } else { r#"{"since": "2026-09-01T11:00:00Z"}"# };
        expect_fault(&client.post(&webhook_path(&webhook, below), sent), 409, "path.webhookId", "invalid_state");
    }
    assert_eq!(receiver.arrived().len(), 1);
}

#[test]
fn a_receiver_that_hangs_delays_no_other() {
    let server = Server::on(Workspace::demo().set("FLORIN_SHUTDOWN_SECONDS", "1"));
    let client = server.client();
    let (hanging, quick) = (Receiver::start(), Receiver::start());
    hanging.hang(true);
    hanging.subscribe(&client, "CardTransaction", &json!({}));
    let webhook = quick.subscribe(&client, "CardTransaction", &json!({}));
    for _ in 0..6 {
        pay(&client, "1");
    }
    quick.wait_for(6);
    wait_for_delivery(&client, &webhook, status("delivered"));
    assert_eq!(hanging.wait_for(4).len(), 4, "a subscription has at most four attempts at a time");
    assert_eq!(
        client.with_authorization(None).get("/readyz?").status,
        200,
        "the server is ready while a receiver hangs"
    );
    // A stop waits for this receiver no longer than the limit, and the next start does not wait for a lease.
    let (ended, workspace) = server.stop();
    assert!(ended.success());
    assert!(workspace.log().contains("abandoning deliveries"));
    hanging.hang(false);
    let server = Server::on(workspace);
    hanging.wait_for(10);
    drop(server);
}

#[test]
fn a_failure_of_a_previous_receiver_does_not_disable_a_subscription() {
    let server = Server::sandbox();
    let client = server.client();
    let (old, new) = (Receiver::start(), Receiver::start());
    old.answer(410, "");
    old.hang(true);
    let webhook = old.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "1");
    old.wait_for(1);
    let path = webhook_path(&webhook, "");
    expect_json(&client.call("PATCH", &path).json(json!({"url": new.url()}).to_string()).send(), 200);
    old.hang(false);
    wait_for_delivery(&client, &webhook, status("failed"));
    assert_eq!(expect_json(&client.get(&path), 200)["enabled"], true);
    pay(&client, "2");
    new.wait_for(1);
}

/// After the URL of a subscription changes, only attempts in flight still reach the earlier receiver.
#[test]
fn events_that_were_not_sent_yet_go_to_the_new_receiver() {
    let server = Server::sandbox();
    let client = server.client();
    let (old, new) = (Receiver::start(), Receiver::start());
    old.hang(true);
    let webhook = old.subscribe(&client, "CardTransaction", &json!({}));
    for _ in 0..9 {
        pay(&client, "1");
    }
    old.wait_for(4);
    let path = webhook_path(&webhook, "");
    expect_json(&client.call("PATCH", &path).json(json!({"url": new.url()}).to_string()).send(), 200);
    old.hang(false);
    new.wait_for(5);
    assert_eq!(old.arrived().len(), 4);
}

#[test]
fn deliveries_of_a_disabled_client_are_not_sent() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    receiver.answer(500, "");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "1");
    let failed = wait_for_delivery(&client, &webhook, status("failed"));
    let operator = |verb: &str| {
        let output = server.workspace().run(&["clients", verb, text(&webhook, "/productId")]);
        assert!(output.status.success(), "{output:?}");
    };
    operator("disable");
    // The delivery is due immediately, but its client is disabled.
    let message = text(&failed, "/messageId");
    server
        .workspace()
        .sql(&format!("UPDATE webhook_deliveries SET due_at = NULL WHERE message_id = '{message}'"))
        .unwrap();
    let other = server.other();
    let witness = Receiver::start();
    let theirs = witness.subscribe(&other, "CardStateUpdated", &json!({}));
    for _ in 0..3 {
        expect_json(&other.post(&webhook_path(&theirs, "/test"), ""), 202);
    }
    witness.wait_for(3);
    assert_eq!(receiver.arrived().len(), 1, "a delivery of a disabled client was sent");
    receiver.answer(200, "");
    operator("enable");
    receiver.wait_for(2);
}

#[test]
fn a_test_event_ends_the_pause_of_a_receiver() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    receiver.answer(500, "");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    for _ in 0..16 {
        pay(&client, "1");
    }
    // The pauses grow from 1 to 32 seconds.
    receiver.wait_for(12);
    receiver.answer(200, "");
    let before = receiver.arrived().len();
    let sent = expect_json(&client.post(&webhook_path(&webhook, "/test"), ""), 202);
    let arrived = receiver.wait_for(before + 1);
    assert!(arrived.len() > before);
    let path = webhook_path(&webhook, "/deliveries").replace('?', &format!("?messageId={}", text(&sent, "/messageId")));
    let start = Instant::now();
    while expect_json(&client.get(&path), 200)["rows"][0]["status"] != "delivered" {
        assert!(start.elapsed() < crate::support::server::MAX_WAIT);
        thread::sleep(Duration::from_millis(20));
    }
}

/// Deliveries survive a crash: an event is sent at most once more, with the same id and the same bytes.
#[test]
fn a_crash_loses_no_event() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    receiver.hang(true);
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    for _ in 0..5 {
        pay(&client, "1");
    }
    receiver.wait_for(4);
    let workspace = server.kill();
    receiver.hang(false);
    // Ends the leases of the killed process, as if their time had passed.
    let lapse = if crate::support::store::is_sqlite() {
        "leased_until - 120000000"
    } else {
        "leased_until - INTERVAL '2 minutes'"
    };
    workspace
        .sql(&format!("UPDATE webhook_deliveries SET leased_until = {lapse} WHERE leased_until IS NOT NULL"))
        .unwrap();
    let server = Server::on(workspace);
    let client = server.client();
    receiver.wait_for(9);
    wait_for_delivery(&client, &webhook, status("delivered"));
    let log = deliveries(&client, &webhook);
    assert!(log.iter().all(|delivery| delivery["status"] == "delivered"), "{log:?}");
    let sent: BTreeSet<_> = receiver.arrived().iter().map(|got| (got.id().to_owned(), got.body.clone())).collect();
    assert_eq!((sent.len(), log.len()), (5, 5));
}

#[test]
fn an_ordered_subscription_holds_back_later_events_of_the_same_object() {
    let server = Server::sandbox();
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    receiver.answer(503, "");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({"ordered": true}));
    let token = text(&pay(&client, "10"), "/token").to_owned();
    wait_for_delivery(&client, &webhook, status("failed"));
    receiver.answer(200, "");
    let follow = json!({"precedingRelatedTransactionToken": token, "amount": 10.0}).to_string();
    expect_json(&client.post(&format!("{AUTHORIZATION}/clearing"), follow), 201);
    // Events of another object are not held back.
    pay(&client, "7");
    let sequences = |count| -> Vec<_> {
        receiver
            .wait_for(count)
            .iter()
            .map(|got| (got.event()["transaction"]["amount"].clone(), got.event()["sequence"].clone()))
            .collect()
    };
    assert_eq!(sequences(2)[1], (json!("7.00"), json!(1)));
    set_clock(&client, json!({"advanceBy": "PT1M"}));
    let all = sequences(4);
    assert_eq!(all[2..], [(json!("10.00"), json!(1)), (json!("10.00"), json!(2))]);
}

#[test]
fn proxies_of_the_environment_are_ignored() {
    let proxy = Receiver::start();
    let address = proxy.url().replace("/hook", "");
    let workspace =
        Workspace::demo().set("http_proxy", &address).set("HTTP_PROXY", &address).set("ALL_PROXY", &address);
    let server = Server::on(workspace);
    let client = server.client();
    let receiver = Receiver::start();
    receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "1");
    receiver.wait_for(1);
    assert_eq!(proxy.connections(), 0);
}

#[test]
fn a_restored_world_does_not_send_again_and_a_deleted_one_stops() {
    let server = Server::sandbox();
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    let of_all = json!({"accountId": null});
    let all = receiver.subscribe(&server.client(), "CardStateUpdated", &of_all);
    pay(&client, "1");
    receiver.wait_for(1);
    wait_for_delivery(&client, &webhook, status("delivered"));
    let before = snapshot(&client);
    receiver.answer(500, "");
    pay(&client, "2");
    wait_for_delivery(&client, &webhook, status("failed"));
    restore(&client, &before);
    let log = deliveries(&client, &webhook);
    assert_eq!((&log[0]["status"], &log[1]["status"]), (&json!("cancelled"), &json!("delivered")));
    let path = webhook_path(&webhook, &format!("/deliveries/{}/redeliver", text(&log[0], "/messageId")));
    expect_fault(&client.post(&path, ""), 409, "path.messageId", "invalid_state");
    receiver.answer(200, "");
    set_clock(&client, json!({"advanceBy": "P1D"}));
    pay(&client, "3");
    let arrived = receiver.wait_for(3);
    assert_eq!((arrived[2].event()["sequence"].clone(), arrived.len()), (json!(1), 3));
    assert_eq!(server.client().call("DELETE", &world_path(&client.account)).send().status, 204);
    let left = expect_json(&server.client().get(WEBHOOKS), 200);
    assert_eq!((&left["count"], &left["rows"][0]["id"]), (&json!(1), &all["id"]));
}
