//! Events that are sent on request: redeliveries, recoveries and tests; and deliveries after an import.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::receiver::{Receiver, deliveries, status, wait_for_delivery, webhook_path};
use crate::support::server::SECRET_KEY;
use crate::support::wallet::pay;
use crate::support::worlds::{create_world, set_clock};
use crate::support::{Server, Workspace, expect_fault, expect_json};

#[test]
fn an_event_is_sent_again_immediately() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    receiver.answer(500, "Retry-After: 3600\r\n");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "10");
    let failed = wait_for_delivery(&client, &webhook, status("failed"));
    receiver.answer(200, "");
    let message = text(&failed, "/messageId");
    let path = webhook_path(&webhook, &format!("/deliveries/{message}/redeliver"));
    let answer = client.post_once(&path, "again", "");
    assert_documented("post", "/v2/webhooks/{webhookId}/deliveries/{messageId}/redeliver", &answer);
    assert_eq!(expect_json(&answer, 202), json!({"messageId": message}));
    assert!(client.post_once(&path, "again", "").replayed());
    let delivered = wait_for_delivery(&client, &webhook, status("delivered"));
    assert_eq!(delivered["attempts"].as_array().unwrap().len(), 2);
    // An event that was delivered can be sent again, too.
    expect_json(&client.post(&path, ""), 202);
    let arrived = receiver.wait_for(3);
    assert!(arrived.iter().all(|got| got.body == arrived[0].body && got.id() == message));
    let unknown = webhook_path(&webhook, "/deliveries/0198c0de-0005-7000-8000-000000000099/redeliver");
    expect_fault(&client.post(&unknown, ""), 404, "path.messageId", "not_found");
}

#[test]
fn events_from_before_the_subscription_are_recovered_too() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"startsAt": "2026-09-01T12:00:00Z"}));
    pay(&client, "1");
    set_clock(&client, json!({"advanceBy": "PT1H"}));
    pay(&client, "2");
    let receiver = Receiver::start();
    receiver.answer(500, "");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "3");
    wait_for_delivery(&client, &webhook, status("failed"));
    receiver.answer(200, "");
    let path = webhook_path(&webhook, "/recover");
    for (since, code) in
        [("2026-09-01T13:00:01Z", "out_of_range"), ("2026-08-02T12:59:59Z", "out_of_range"), ("x", "invalid_format")]
    {
        expect_fault(&client.post(&path, json!({"since": since}).to_string()), 400, "body.since", code);
    }
    // The failed delivery is already waiting.
    let answer = client.post(&path, r#"{"since": "2026-09-01T12:00:01Z"}"#);
    assert_documented("post", "/v2/webhooks/{webhookId}/recover", &answer);
    assert_eq!(expect_json(&answer, 202), json!({"count": 1}));
    assert_eq!(receiver.wait_for(2)[1].event()["transaction"]["amount"], "2.00");
    wait_for_delivery(&client, &webhook, status("delivered"));
    let recover = || client.post_once(&path, "recover", r#"{"since": "2026-09-01T12:00:00Z"}"#);
    let (first, second) = (recover(), recover());
    assert_eq!((first.replayed(), second.replayed()), (false, true));
    assert_eq!([expect_json(&first, 202), expect_json(&second, 202)], [json!({"count": 1}), json!({"count": 1})]);
    assert_eq!(receiver.wait_for(3)[2].event()["transaction"]["amount"], "1.00");
    // A repeated request is replayed even if a new one with the same time is refused.
    set_clock(&client, json!({"advanceBy": "P31D"}));
    assert!(recover().replayed());
    let late = client.post(&path, r#"{"since": "2026-09-01T12:00:00Z"}"#);
    expect_fault(&late, 400, "body.since", "out_of_range");
}

#[test]
fn a_test_of_every_type_is_sent_once_and_is_no_event() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    receiver.answer(410, "");
    let types = expect_json(&client.get("/v2/webhooks/event-types?"), 200);
    for (number, event_type) in (1..).zip(types.as_array().unwrap()) {
        let name = text(event_type, "/name");
        let webhook = receiver.subscribe(&client, name, &json!({}));
        let answer = client.post(&webhook_path(&webhook, "/test"), "");
        if number == 1 {
            assert_documented("post", "/v2/webhooks/{webhookId}/test", &answer);
        }
        let sent = expect_json(&answer, 202);
        let got = receiver.wait_for(number).pop().unwrap();
        got.verify(text(&webhook, "/signingSecret")).unwrap();
        let event = got.event();
        assert_eq!(
            (&event["messageId"], &event["test"], &event["sequence"]),
            (&sent["messageId"], &json!(true), &json!(0))
        );
        assert_eq!(
            (&event["webhookEventTypeName"], text(&event, "/accountId")),
            (&json!(name), client.account.as_str())
        );
        let delivery = wait_for_delivery(&client, &webhook, status("exhausted"));
        assert_eq!((&delivery["test"], &delivery["nextAttemptAt"]), (&json!(true), &Value::Null));
        assert_eq!(
            expect_json(&client.get(&webhook_path(&webhook, "")), 200)["enabled"],
            true,
            "the test disabled the subscription"
        );
        assert_eq!(event_type["enabled"], true, "events of the type {name} do not occur");
    }
    assert_eq!(expect_json(&client.get("/v2/events"), 200)["count"], 0);
}

#[test]
fn a_test_is_sent_whatever_the_clock_shows() {
    let server = Server::sandbox();
    let client = server.client();
    set_clock(&client, json!({"freeze": true}));
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({"accountId": null}));
    let test = || client.post_once(&webhook_path(&webhook, "/test"), "test", "");
    let (first, second) = (test(), test());
    assert_eq!((first.replayed(), second.replayed()), (false, true));
    assert_eq!(expect_json(&first, 202), expect_json(&second, 202));
    receiver.wait_for(1);
    wait_for_delivery(&client, &webhook, status("delivered"));
    // The log of the test has real times.
    let later = set_clock(&client, json!({"advanceBy": "P9D"}));
    expect_json(&client.post(&webhook_path(&webhook, "/test"), ""), 202);
    receiver.wait_for(2);
    let delivered = wait_for_delivery(&client, &webhook, status("delivered"));
    assert!(text(&delivered, "/attempts/0/at") < later.as_str(), "{delivered}");
    assert_eq!(deliveries(&client, &webhook).len(), 2, "a repeated request sends no second test");
}

#[test]
fn an_import_sends_no_old_events_and_a_rotated_key_decrypts_secrets() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "1");
    receiver.wait_for(1);
    wait_for_delivery(&client, &webhook, status("delivered"));
    receiver.answer(500, "");
    pay(&client, "2");
    wait_for_delivery(&client, &webhook, status("failed"));
    let (_, workspace) = server.stop();
    let file = workspace.path().join("all.florin").display().to_string();
    assert!(workspace.run(&["export", &file]).status.success());
    let workspace = Workspace::empty().set("FLORIN_SECRET_KEY", SECRET_KEY);
    assert!(workspace.run(&["migrate"]).status.success());
    let imported = workspace.run(&["import", &file]);
    assert!(imported.status.success(), "{imported:?}");
    let workspace = workspace.set("FLORIN_SECRET_KEY", &"ab".repeat(32)).set("FLORIN_SECRET_KEY_PREVIOUS", SECRET_KEY);
    let rotated = workspace.json(&["secrets", "rotate", "--json"]);
    assert!(rotated["rotated"].as_u64() > Some(0), "{rotated}");
    receiver.answer(200, "");
    let server = Server::on(workspace.unset("FLORIN_SECRET_KEY_PREVIOUS"));
    let client = server.client();
    let log = deliveries(&client, &webhook);
    assert_eq!((&log[0]["status"], &log[1]["status"]), (&json!("cancelled"), &json!("delivered")));
    pay(&client, "3");
    let got = receiver.wait_for(3).pop().unwrap();
    got.verify(text(&webhook, "/signingSecret")).unwrap();
    assert_eq!(got.event()["transaction"]["amount"], "3.00");
}
