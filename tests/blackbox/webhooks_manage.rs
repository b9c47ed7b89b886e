//! `/v2/webhooks`: subscriptions.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text, uuid};
use crate::support::receiver::{Receiver, WEBHOOKS, webhook_path};
use crate::support::worlds::create_world;
use crate::support::{Client, Server, expect_fault, expect_faults, expect_json, shared};

const URL: &str = "https://example.com/hooks";

fn body(more: &Value) -> String {
    let mut body = json!({"enabled": true, "url": URL, "webhookEventTypeName": "CardTransaction"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body.to_string()
}

fn send(client: &Client, method: &str, path: &str, body: &str) -> crate::support::client::Answer {
    client.call(method, path).json(body).send()
}

#[test]
fn a_subscription_is_created_read_changed_and_deleted() {
    let server = Server::sandbox();
    let client = server.client();
    let shared_secret = "0198C0DE-0000-7000-8000-00000000000A";
    let secrets =
        json!({"sharedSecret": shared_secret, "authorizationHeader": "Bearer of gifts", "accountId": client.account});
    let answer = client.post(WEBHOOKS, body(&secrets));
    assert_documented("post", "/v2/webhooks", &answer);
    let created = expect_json(&answer, 201);
    let mut expected = vec![
        "accountId",
        "createdAt",
        "disabledAt",
        "disabledReason",
        "enabled",
        "filters",
        "id",
        "ordered",
        "productId",
        "signingSecret",
        "updatedAt",
        "url",
        "webhookEventTypeId",
        "webhookEventTypeName",
    ];
    assert_eq!(members(&created), expected);
    assert_eq!(text(&created, "/signingSecret"), "whsec_MDE5OEMwREUtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDBB");
    assert_eq!(text(&created, "/webhookEventTypeId"), "da153b21-9c8d-46d2-8911-83c6da10655a");
    assert_eq!(
        (&created["enabled"], &created["ordered"], &created["filters"]),
        (&json!(true), &json!(false), &Value::Null)
    );
    uuid(&created["id"]);
    uuid(&created["productId"]);
    expected.retain(|member| *member != "signingSecret");

    let path = webhook_path(&created, "");
    let answer = client.get(&path);
    assert_documented("get", "/v2/webhooks/{webhookId}", &answer);
    let found = expect_json(&answer, 200);
    assert_eq!(members(&found), expected);
    let answer = client.get(WEBHOOKS);
    assert_documented("get", "/v2/webhooks", &answer);
    let list = expect_json(&answer, 200);
    assert_eq!((&list["count"], &list["rows"][0]), (&json!(1), &found));
    for answer in [&answer, &client.get(&path)] {
        assert!(!answer.text().contains("whsec_") && !answer.text().contains("Bearer"), "{answer:?}");
    }

    let change =
        r#"{"enabled": false, "url": "http://localhost:9000/x", "ordered": true, "authorizationHeader": null}"#;
    let answer = send(&client, "PATCH", &path, change);
    assert_documented("patch", "/v2/webhooks/{webhookId}", &answer);
    let changed = expect_json(&answer, 200);
    assert_eq!((&changed["enabled"], text(&changed, "/url")), (&json!(false), "http://localhost:9000/x"));
    assert_eq!((&changed["disabledReason"], changed["disabledAt"].is_string()), (&Value::Null, true));
    assert_eq!(expect_json(&send(&client, "PATCH", &path, "{}"), 200)["url"], changed["url"]);
    let enabled = expect_json(&send(&client, "PATCH", &path, r#"{"enabled": true}"#), 200);
    assert_eq!((&enabled["enabled"], &enabled["disabledAt"]), (&json!(true), &Value::Null));

    let answer = client.call("DELETE", &path).send();
    assert_eq!((answer.status, answer.body.len()), (204, 0));
    for answer in [client.get(&path), client.call("DELETE", &path).send(), send(&client, "PATCH", &path, "{}")] {
        expect_fault(&answer, 404, "path.webhookId", "not_found");
    }
}

#[test]
fn wrong_members_are_reported_together() {
    let client = shared().client();
    let long = format!("https://example.com/{}", "x".repeat(493));
    for (sent, path, code) in [
        (json!({"url": "http://10.0.0.1/"}), "body.url", "invalid_value"),
        (json!({"url": "https://user@example.com/"}), "body.url", "invalid_value"),
        (json!({"url": "https://example.com/#a"}), "body.url", "invalid_value"),
        (json!({"url": "https://2852039166/"}), "body.url", "invalid_value"),
        (json!({"url": "https://example.com:22/"}), "body.url", "invalid_value"),
        (json!({"url": "ftp://example.com/"}), "body.url", "invalid_value"),
        (json!({"url": "example.com"}), "body.url", "invalid_format"),
        (json!({"url": long}), "body.url", "too_long"),
        (json!({"url": null}), "body.url", "required"),
        (json!({"enabled": null}), "body.enabled", "required"),
        (json!({"enabled": "yes"}), "body.enabled", "invalid_type"),
        (json!({"webhookEventTypeName": null}), "body.webhookEventTypeName", "required"),
        (json!({"webhookEventTypeName": "CardMoved"}), "body.webhookEventTypeName", "invalid_value"),
        (
            json!({"webhookEventTypeId": "25d5b682-7449-4d07-b6fc-7c9bf1239561"}),
            "body.webhookEventTypeId",
            "invalid_value",
        ),
        (json!({"webhookEventTypeId": "x"}), "body.webhookEventTypeId", "invalid_format"),
        (json!({"sharedSecret": "secret"}), "body.sharedSecret", "invalid_format"),
        (json!({"authorizationHeader": "a\nb"}), "body.authorizationHeader", "invalid_format"),
        (json!({"authorizationHeader": "x".repeat(513)}), "body.authorizationHeader", "too_long"),
        (
            json!({"filters": {"checkoutId": {"in": ["0198c0de-0003-7000-8000-000000000001"]}}}),
            "body.filters",
            "invalid_value",
        ),
        (json!({"filters": {"cardId": {"in": []}}}), "body.filters.cardId", "unknown_field"),
        (json!({"productId": "x"}), "body.productId", "unknown_field"),
    ] {
        let answer = client.post(WEBHOOKS, body(&sent));
        let faults = crate::support::assert::expect_error(&answer, 400);
        assert!(faults.iter().any(|fault| fault.path == path && fault.code == code), "{sent}: {faults:?}");
    }
    let answer = client.post(WEBHOOKS, r#"{"url": "x", "filters": 1}"#);
    expect_faults(
        &answer,
        400,
        &[("body.url", "invalid_format"), ("body.filters", "invalid_type"), ("body.enabled", "required")],
    );
    expect_fault(&client.post(WEBHOOKS, body(&json!({"accountId": "F404"}))), 404, "body.accountId", "not_found");
}

#[test]
fn types_have_ids_and_merchant_types_have_filters() {
    let server = Server::sandbox();
    let client = server.client();
    let checkout = "0198c0de-0003-7000-8000-000000000001";
    let merchant = json!({
        "webhookEventTypeName": "RoqqettPaymentFailed", "filters": {"checkoutId": {"in": [checkout]}}
    });
    let created = expect_json(&client.post(WEBHOOKS, body(&merchant)), 201);
    assert_eq!(text(&created, "/webhookEventTypeName"), "RoqqettPaymentFailed");
    assert_eq!((text(&created, "/filters/checkoutId/in/0"), &created["accountId"]), (checkout, &Value::Null));
    let changed = expect_json(&send(&client, "PATCH", &webhook_path(&created, ""), r#"{"filters": null}"#), 200);
    assert_eq!(changed["filters"], Value::Null);
    let by_id = json!({"webhookEventTypeName": null, "webhookEventTypeId": "fc05160e-0f0c-44e0-87a8-e2f093b09ff4"});
    let created = expect_json(&client.post(WEBHOOKS, body(&by_id)), 201);
    assert_eq!(text(&created, "/webhookEventTypeName"), "BoxDebited");
    let filters = r#"{"filters": {"checkoutId": {"in": ["0198c0de-0003-7000-8000-000000000001"]}}}"#;
    expect_fault(&send(&client, "PATCH", &webhook_path(&created, ""), filters), 400, "body.filters", "invalid_value");
}

#[test]
fn a_key_of_one_account_sees_its_subscriptions_only() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, world) = create_world(&server, json!({"template": "empty"}));
    expect_fault(&world.post(WEBHOOKS, body(&json!({}))), 400, "body.accountId", "required");
    expect_fault(
        &world.post(WEBHOOKS, body(&json!({"accountId": client.account}))),
        404,
        "body.accountId",
        "not_found",
    );
    let of_all = expect_json(&client.post(WEBHOOKS, body(&json!({}))), 201);
    let of_world = expect_json(&world.post(WEBHOOKS, body(&json!({"accountId": world.account}))), 201);
    let of_account = expect_json(&client.post(WEBHOOKS, body(&json!({"accountId": client.account}))), 201);
    let count = |client: &Client, path: &str| expect_json(&client.get(path), 200)["count"].clone();
    assert_eq!(count(&client, WEBHOOKS), 3);
    assert_eq!(count(&client, "/v2/webhooks"), 1, "the list shows the subscription of the account in the query");
    assert_eq!(count(&world, WEBHOOKS), 1);
    let stranger = server.other();
    assert_eq!(count(&stranger, WEBHOOKS), 0);
    for webhook in [&of_all, &of_account] {
        expect_fault(&world.get(&webhook_path(webhook, "")), 404, "path.webhookId", "not_found");
    }
    for (webhook, below) in [(&of_all, ""), (&of_account, ""), (&of_world, ""), (&of_world, "/deliveries")] {
        expect_fault(&stranger.get(&webhook_path(webhook, below)), 404, "path.webhookId", "not_found");
    }
    let path = webhook_path(&of_all, "");
    for answer in [send(&stranger, "PATCH", &path, r#"{"enabled": false}"#), stranger.call("DELETE", &path).send()] {
        expect_fault(&answer, 404, "path.webhookId", "not_found");
    }
    let again = webhook_path(&of_all, "/deliveries/0198c0de-0005-7000-8000-000000000098/redeliver");
    expect_fault(&stranger.post(&again, ""), 404, "path.webhookId", "not_found");
    assert_eq!(expect_json(&client.get(&path), 200)["enabled"], true);
    let since = json!({"since": chrono::Utc::now().format("%Y-%m-%dT00:00:00Z").to_string()}).to_string();
    for (below, sent) in [("/test", ""), ("/rotate-secret", "{}"), ("/recover", &since)] {
        let answer = stranger.post(&webhook_path(&of_all, below), sent);
        expect_fault(&answer, 404, "path.webhookId", "not_found");
        expect_json(&client.get(&webhook_path(&of_all, "")), 200);
    }
    let named = format!("/v2/webhooks/{}?accountId={}", text(&of_world, "/id"), client.account);
    expect_fault(&client.get(&named), 404, "path.webhookId", "not_found");
}

/// Clients of the original service send `accountId` with every request.
#[test]
fn a_subscription_without_an_account_is_found_whatever_account_is_sent() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    let (_, world) = create_world(&server, json!({"template": "empty"}));
    let created = receiver.subscribe(&client, "CardTransaction", &json!({"accountId": null}));
    let since = json!({"since": chrono::Utc::now().format("%Y-%m-%dT00:00:00Z").to_string()}).to_string();
    let redeliver = "/deliveries/0198c0de-0005-7000-8000-000000000098/redeliver";
    for account in [&client.account, &world.account] {
        let path = |below: &str| format!("/v2/webhooks/{}{below}?accountId={account}", text(&created, "/id"));
        for (method, below, sent, status) in [
            ("GET", "", "", 200),
            ("PATCH", "", r#"{"ordered": true}"#, 200),
            ("GET", "/deliveries", "", 200),
            ("POST", "/test", "", 202),
            ("POST", "/rotate-secret", "{}", 200),
            ("POST", "/recover", &since, 202),
        ] {
            let send_as = |client: &Client| {
                let call = client.call(method, &path(below));
                if method == "GET" {
                    return call.send();
                }
                call.header("Idempotency-Key", &path(below)).json(sent).send()
            };
            expect_json(&send_as(&client), status);
            // A key for the world only does not get the stored response either.
            let absent = if *account == world.account { "path.webhookId" } else { "query.accountId" };
            expect_fault(&send_as(&world), 404, absent, "not_found");
        }
        expect_fault(&client.post(&path(redeliver), ""), 404, "path.messageId", "not_found");
        let list = expect_json(&client.get(&format!("/v2/webhooks?accountId={account}")), 200);
        assert_eq!(list["count"], 0, "a list shows the subscriptions of the account");
    }
    assert_eq!(expect_json(&client.get(WEBHOOKS), 200)["count"], 1);
    let path = format!("/v2/webhooks/{}?accountId={}", text(&created, "/id"), world.account);
    expect_fault(&world.call("DELETE", &path).send(), 404, "path.webhookId", "not_found");
    assert_eq!(client.call("DELETE", &path).send().status, 204);
}

#[test]
fn a_repeated_request_has_one_effect() {
    let server = Server::sandbox();
    let client = server.client();
    let created = expect_json(&client.post_once(WEBHOOKS, "make", body(&json!({}))), 201);
    let again = client.post_once(WEBHOOKS, "make", body(&json!({})));
    expect_fault(&again, 409, "header.Idempotency-Key", "invalid_state");
    let other = client.post_once(WEBHOOKS, "make", body(&json!({"enabled": false})));
    expect_fault(&other, 422, "body", "idempotency_mismatch");
    assert_eq!(expect_json(&client.get(WEBHOOKS), 200)["count"], 1);

    let rotate = webhook_path(&created, "/rotate-secret");
    let answer = client.post_once(&rotate, "rotate", r#"{"overlapHours": 168}"#);
    assert_documented("post", "/v2/webhooks/{webhookId}/rotate-secret", &answer);
    let rotated = expect_json(&answer, 200);
    assert_eq!(members(&rotated), ["previousSecretExpiresAt", "signingSecret"]);
    assert_ne!(rotated["signingSecret"], created["signingSecret"]);
    let again = client.post_once(&rotate, "rotate", r#"{"overlapHours": 168}"#);
    expect_fault(&again, 409, "header.Idempotency-Key", "invalid_state");
    let last = expect_json(&client.post(&rotate, r#"{"overlapHours": 0}"#), 200);
    assert_eq!(last["previousSecretExpiresAt"], Value::Null);
    expect_fault(&client.post(&rotate, r#"{"overlapHours": 169}"#), 400, "body.overlapHours", "out_of_range");

    let path = webhook_path(&created, "");
    let edit = || client.call("PATCH", &path).header("Idempotency-Key", "edit").json(r#"{"ordered": true}"#).send();
    let (first, second) = (edit(), edit());
    assert_eq!((first.status, first.replayed(), second.replayed()), (200, false, true));
    assert_eq!(first.body, second.body);
    let header = |client: &Client| {
        let call = client.call("PATCH", &path).header("Idempotency-Key", "header");
        call.json(r#"{"authorizationHeader": "Bearer x"}"#).send()
    };
    let first = header(&client);
    assert_eq!((first.status, first.replayed()), (200, false));
    let delete = || client.call("DELETE", &path).header("Idempotency-Key", "delete").send();
    let (first, second) = (delete(), delete());
    assert_eq!((first.status, second.status, second.replayed()), (204, 204, true));
    let again = header(&client);
    assert_eq!((again.status, again.replayed()), (200, true), "after the deletion");
}

/// A stored response is returned only to keys that can access the subscription.
#[test]
fn a_limited_key_gets_no_stored_answer_of_another_account() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, world) = create_world(&server, json!({"template": "empty"}));
    let created = expect_json(&client.post(WEBHOOKS, body(&json!({"accountId": client.account}))), 201);
    let path = webhook_path(&created, "");
    let edit = |client: &Client| {
        client.call("PATCH", &path).header("Idempotency-Key", "edit").json(r#"{"ordered": true}"#).send()
    };
    assert_eq!(edit(&client).status, 200);
    expect_fault(&edit(&world), 404, "path.webhookId", "not_found");
    assert!(edit(&client).replayed());
    assert_eq!(client.call("DELETE", &path).send().status, 204);
    expect_fault(&edit(&world), 404, "path.webhookId", "not_found");
}

#[test]
fn the_body_of_a_rotation_may_be_left_out() {
    let server = Server::sandbox();
    let client = server.client();
    let created = expect_json(&client.post(WEBHOOKS, body(&json!({}))), 201);
    let rotated = expect_json(&client.post(&webhook_path(&created, "/rotate-secret"), ""), 200);
    assert_ne!(rotated["previousSecretExpiresAt"], Value::Null);
    let unknown = "/v2/webhooks/0198c0de-0005-7000-8000-000000000099/deliveries/\
        0198c0de-0005-7000-8000-000000000098/redeliver?";
    expect_fault(&client.post(unknown, ""), 404, "path.webhookId", "not_found");
}

#[test]
fn a_client_has_at_most_100_subscriptions() {
    let server = Server::sandbox();
    let client = server.client();
    for _ in 0..100 {
        expect_json(&client.post(WEBHOOKS, body(&json!({}))), 201);
    }
    expect_fault(&client.post(WEBHOOKS, body(&json!({}))), 409, "", "invalid_state");
    let first = expect_json(&client.get("/v2/webhooks?limit=1"), 200)["rows"][0].clone();
    assert_eq!(client.call("DELETE", &webhook_path(&first, "")).send().status, 204);
    expect_json(&client.post(WEBHOOKS, body(&json!({}))), 201);
}

#[test]
fn secrets_are_neither_shown_nor_logged_nor_stored_in_clear() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    receiver.answer(500, "");
    let shared_secret = "0198c0de-5ec1-7000-8000-00000000000b";
    let secrets = json!({"sharedSecret": shared_secret, "authorizationHeader": "Bearer of-hidden-gifts"});
    let created = receiver.subscribe(&client, "CardStateUpdated", &secrets);
    expect_json(&client.post(&webhook_path(&created, "/test"), ""), 202);
    receiver.wait_for(1);
    let listed = client.get(&webhook_path(&created, "/deliveries")).text();
    let (_, workspace) = server.stop();
    // The log names the delivery that failed, but neither its receiver nor a secret.
    let log = workspace.log();
    let line = log.lines().find(|line| line.contains("an event was not delivered")).unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains(text(&created, "/id")) && line.contains("refused"), "{line}");
    assert!(!log.contains(&receiver.url()));
    let stored: Vec<u8> = workspace.stored().into_iter().flat_map(|(_, bytes)| bytes).collect();
    let hex: Vec<_> = "of-hidden-gifts".bytes().map(|byte| format!("{byte:02x}")).collect();
    let hex = hex.concat();
    for secret in [shared_secret, "of-hidden-gifts", &hex, &text(&created, "/signingSecret")[6..]] {
        assert!(!listed.contains(secret) && !workspace.log().contains(secret), "{secret}");
        assert!(!stored.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret} is stored in clear");
    }
}
