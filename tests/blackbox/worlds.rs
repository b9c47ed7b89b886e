//! `/v2/sandbox/worlds`: accounts that are created, snapshotted, restored and deleted over the API.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{expect_invariants, members, text, time};
use crate::support::guards::SetOnDrop;
use crate::support::payments::{confirmed, filled, find, pounds};
use crate::support::protected::ProtectedCard;
use crate::support::wallet::{available, first_body, pay, transaction};
use crate::support::worlds::{WORLDS, below_world, clock, create_world, restore, set_clock, snapshot, world_path};
use crate::support::{
    ABSENT, AUTHORIZATION, Answer, BANKS, CHECKOUTS, Client, REVERSAL, Server, Workspace, demo, expect_fault,
    expect_faults, expect_json, shared, together,
};

const PATH: &str = "/v2/sandbox/worlds";
const SINGLE: &str = "/v2/sandbox/worlds/{accountId}";
const SNAPSHOTS: &str = "/v2/sandbox/worlds/{accountId}/snapshots";
const RESTORE: &str = "/v2/sandbox/worlds/{accountId}/restore";

const RENEW: &str = "/v2/sandbox/worlds/{accountId}/renew";

fn listed(client: &Client) -> Vec<String> {
    let list = expect_json(&client.get(WORLDS), 200);
    list["rows"].as_array().unwrap().iter().map(|world| text(world, "/accountId").to_owned()).collect()
}

#[test]
fn a_world_has_the_demo_data_and_its_own_key() {
    let server = Server::sandbox();
    let answer = server.client().post(WORLDS, "{}");
    assert_documented("post", PATH, &answer);
    let created = answer.json();
    assert_eq!(
        members(&created),
        ["accountId", "apiKey", "clock", "createdAt", "expiresAt", "seed", "template"],
        "{created}"
    );
    assert_eq!((&created["template"], &created["seed"]), (&json!("demo"), &Value::Null));
    assert_eq!((time(&created["expiresAt"]) - time(&created["createdAt"])).num_hours(), 24);
    let client = server.client_of(text(&created, "/apiKey"), text(&created, "/accountId"));
    let own = expect_json(&client.get(&format!("{CHECKOUTS}?accountId={}", client.account)), 200);
    let demos = expect_json(&server.client().get(CHECKOUTS), 200);
    assert_eq!((&own["count"], &own["rows"][7]["id"]), (&demos["count"], &demos["rows"][7]["id"]));
    assert_eq!(available(&client), available(&server.client()), "the same ids, in two worlds");
    pay(&client, "10");
    assert_ne!(available(&client), available(&server.client()));
    expect_json(&client.get(BANKS), 200);
}

#[test]
fn worlds_are_isolated() {
    let server = Server::sandbox();
    let ((_, one), (_, two)) = (create_world(&server, json!({})), create_world(&server, json!({"template": "empty"})));
    for (client, account) in [(&one, &two.account), (&two, &one.account), (&one, &demo().account)] {
        let elsewhere = client.with_account(account);
        expect_fault(&elsewhere.get(CHECKOUTS), 404, "query.accountId", "not_found");
        expect_fault(&elsewhere.post(AUTHORIZATION, first_body(ABSENT, "1")), 404, "query.accountId", "not_found");
        expect_fault(&client.get(&world_path(account)), 404, "path.accountId", "not_found");
        let deleted = client.call("DELETE", &world_path(account)).send();
        expect_fault(&deleted, 404, "path.accountId", "not_found");
    }
    assert_eq!(listed(&one), std::slice::from_ref(&one.account));
    assert_eq!(listed(&two), std::slice::from_ref(&two.account));
    assert_eq!(listed(&server.client()), [two.account.clone(), one.account.clone()]);
    assert!(listed(&server.other()).is_empty());
    let other = server.other();
    for account in [&one.account, &"W0000000000000000".to_owned()] {
        let path = world_path(account);
        expect_fault(&other.get(&path), 404, "path.accountId", "not_found");
        expect_fault(&other.call("DELETE", &path).send(), 404, "path.accountId", "not_found");
        let body = json!({"snapshotId": ABSENT}).to_string();
        expect_fault(&other.post(&below_world(account, "restore"), body), 404, "path.accountId", "not_found");
        expect_fault(&other.post(&below_world(account, "snapshots"), "{}"), 404, "path.accountId", "not_found");
        expect_fault(&other.get(&below_world(account, "snapshots")), 404, "path.accountId", "not_found");
    }
    let from = json!({"snapshotId": snapshot(&one)}).to_string();
    expect_fault(&other.post(WORLDS, &from), 404, "body.snapshotId", "not_found");
    expect_fault(&two.post(WORLDS, &from), 403, "header.Authorization", "insufficient_scope");
    // An account that an operator created is not a world, even for its own client.
    let own = server.client();
    expect_fault(&own.get(&world_path(&own.account)), 404, "path.accountId", "not_found");
    expect_fault(&own.call("DELETE", &world_path(&own.account)).send(), 404, "path.accountId", "not_found");
    expect_fault(&own.post(&below_world(&own.account, "snapshots"), "{}"), 404, "path.accountId", "not_found");
    let restored = own.post(&below_world(&own.account, "restore"), json!({"snapshotId": ABSENT}).to_string());
    expect_fault(&restored, 404, "path.accountId", "not_found");
    available(&own);
}

#[test]
fn deleting_a_world_deletes_its_key() {
    let server = Server::sandbox();
    let (created, client) = create_world(&server, json!({"seed": "short-lived"}));
    pay(&client, "10");
    let batch = filled(&client, &[pounds("1.00", "one"), pounds("2.00", "SBX-SLOW")]);
    confirmed(&client, &batch);
    snapshot(&client);
    let world = expect_json(&server.client().get(&world_path(&client.account)), 200);
    assert_documented("get", SINGLE, &server.client().get(&world_path(&client.account)));
    assert_eq!((&world["seed"], world.get("apiKey")), (&created["seed"], None));
    let deleted = client.call("DELETE", &world_path(&client.account)).send();
    assert_eq!((deleted.status, deleted.body.len()), (204, 0), "{deleted:?}");
    expect_fault(&server.client().get(&world_path(&client.account)), 404, "path.accountId", "not_found");
    expect_fault(&client.get(BANKS), 403, "header.Authorization", "invalid_credentials");
    assert!(listed(&server.client()).is_empty());
    let (_, again) = create_world(&server, json!({"seed": "short-lived"}));
    assert_eq!(again.account, client.account);
    available(&again);
    let (_, workspace) = server.stop();
    assert!(workspace.run(&["check"]).status.success());
}

/// The key of a world that was replaced, or deleted and created again, never reaches the new world, although it is in
/// constant use and the new world has the same ids.
#[test]
fn an_old_key_never_reaches_the_new_world() {
    let server = Server::sandbox();
    let body = json!({"seed": "reborn", "replace": true});
    let (_, mut current) = create_world(&server, body.clone());
    let untouched = available(&current);
    let card = demo().active_card("GBP").id.clone();
    for round in 0..12 {
        let (is_over, old) = (AtomicBool::new(false), current.clone());
        let next = thread::scope(|scope| {
            let callers: Vec<_> = (0..4)
                .map(|number| {
                    let (is_over, old, card) = (&is_over, &old, &card);
                    scope.spawn(move || {
                        loop {
                            let is_replaced = is_over.load(Ordering::Relaxed);
                            let answer = match number {
                                0 => old.get("/v2/budgets"),
                                1 => old.get(BANKS),
                                _ => old.post(AUTHORIZATION, first_body(card, "1.00")),
                            };
                            // Unknown keys are limited, so a refusal may be a 429.
                            let is_refused = [403, 429].contains(&answer.status);
                            if is_replaced {
                                assert!(is_refused, "{answer:?}");
                                return;
                            }
                            if is_refused {
                                thread::sleep(Duration::from_millis(50));
                            } else {
                                // A request that races the deletion may find no account.
                                assert!([200, 201, 404].contains(&answer.status), "{answer:?}");
                            }
                        }
                    })
                })
                .collect();
            // Ends the callers even if the replacement fails.
            let stop_callers = SetOnDrop(&is_over);
            if round % 2 == 1 {
                assert_eq!(server.client().call("DELETE", &world_path(&old.account)).send().status, 204);
            }
            let (_, next) = create_world(&server, body.clone());
            drop(stop_callers);
            for caller in callers {
                caller.join().unwrap();
            }
            next
        });
        assert_eq!(available(&next), untouched, "round {round}: a message of the old key is in the new world");
        let deleted = old.call("DELETE", &world_path(&old.account)).send();
        assert!([403, 429].contains(&deleted.status), "{deleted:?}");
        current = next;
    }
}

#[test]
fn a_restore_brings_back_the_exact_state() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"startsAt": "2026-09-01T12:00:00Z"}));
    let batch = filled(&client, &[pounds("1.00", "kept")]);
    pay(&client, "10");
    let state = |client: &Client| {
        let batches = format!("/v2/payment-batches?accountId={}&includeHidden=true", client.account);
        (available(client), expect_json(&client.get(&batches), 200), find(client, &batch), clock(client))
    };
    let before = state(&client);
    let saved = snapshot(&client);
    for round in 0..2 {
        pay(&client, "25");
        set_clock(&client, json!({"advanceBy": "P30D"}));
        confirmed(&client, &batch);
        filled(&client, &[pounds("9.00", "gone")]);
        assert_ne!(state(&client), before);
        let path = below_world(&client.account, "restore");
        let answer = client.post(&path, json!({"snapshotId": saved}).to_string());
        assert_documented("post", RESTORE, &answer);
        assert_eq!(answer.json()["clock"]["now"], "2026-09-01T12:00:00Z");
        assert_eq!(state(&client), before, "round {round}");
    }
    let (_, workspace) = server.stop();
    assert!(workspace.run(&["check"]).status.success());
}

#[test]
fn controls_and_pins_are_restored_and_copied() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"template": "empty"}));
    let protected = ProtectedCard::create(&client);
    let saved = snapshot(&client);
    protected.change(&client);
    restore(&client, &saved);
    protected.expect_protected(&client);
    let (_, copy) = create_world(&server, json!({"snapshotId": saved}));
    protected.expect_protected(&copy);
}

#[test]
fn a_restore_keeps_its_own_idempotency_record() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({}));
    let empty = snapshot(&client);
    let body = first_body(&demo().active_card("GBP").id, "10");
    transaction(&client.post_once(AUTHORIZATION, "one", &body));
    let full = snapshot(&client);
    let path = below_world(&client.account, "restore");
    let restore = |snapshot: &str| client.post_once(&path, "one", json!({"snapshotId": snapshot}).to_string());
    let mismatch =
        |answer: &Answer| assert_eq!(expect_json(answer, 422)["errors"][0]["errorCode"], "idempotency_mismatch");
    mismatch(&restore(&full));
    expect_json(&client.post(&path, json!({"snapshotId": empty}).to_string()), 200);
    let answer = restore(&full);
    expect_json(&answer, 200);
    assert!(!answer.replayed());
    assert!(restore(&full).replayed());
    mismatch(&client.post_once(AUTHORIZATION, "one", &body));
}

#[test]
fn snapshots_are_listed_deleted_and_used_for_new_worlds() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"startsAt": "2026-09-01T12:00:00Z"}));
    pay(&client, "10");
    let path = below_world(&client.account, "snapshots");
    let answer = client.post_once(&path, "once", r#"{"name": "a hold"}"#);
    assert_documented("post", SNAPSHOTS, &answer);
    assert!(client.post_once(&path, "once", r#"{"name": "a hold"}"#).replayed());
    assert_documented("get", SNAPSHOTS, &client.get(&path));
    let saved = answer.json();
    let list = expect_json(&client.get(&path), 200);
    assert_eq!((&list["count"], &list["rows"][0]), (&json!(1), &saved));
    assert_eq!((&saved["name"], &saved["createdAt"]), (&json!("a hold"), &json!("2026-09-01T12:00:00Z")));
    let id = text(&saved, "/id");
    let (copy, other) = create_world(&server, json!({"snapshotId": id}));
    assert_eq!((&copy["template"], &copy["clock"]["now"]), (&json!("snapshot"), &json!("2026-09-01T12:00:00Z")));
    assert_eq!(available(&other), available(&client));
    set_clock(&other, json!({"advanceBy": "P7D"}));
    assert_ne!(available(&other), available(&client), "the hold of the copy has expired");
    let one = below_world(&client.account, &format!("snapshots/{id}"));
    assert_eq!(client.call("DELETE", &one).send().status, 204);
    expect_fault(&client.call("DELETE", &one).send(), 404, "path.snapshotId", "not_found");
    let body = json!({"snapshotId": id}).to_string();
    let answer = client.post(&below_world(&client.account, "restore"), &body);
    expect_fault(&answer, 404, "body.snapshotId", "not_found");
    expect_fault(&server.client().post(WORLDS, &body), 404, "body.snapshotId", "not_found");
    for _ in 0..20 {
        snapshot(&client);
    }
    expect_fault(&client.post(&path, "{}"), 409, "", "invalid_state");
}

#[test]
fn a_client_has_one_world_per_seed() {
    let server = Server::sandbox();
    let (created, client) = create_world(&server, json!({"seed": "x"}));
    assert_eq!(created["clock"], json!({"now": "2026-01-05T12:00:00Z", "state": "FROZEN", "realTime": false}));
    let again = server.client().post(WORLDS, r#"{"seed": "x"}"#);
    expect_fault(&again, 409, "body.seed", "invalid_state");
    assert_documented("post", PATH, &again);
    pay(&client, "10");
    let (replaced, new) = create_world(&server, json!({"seed": "x", "replace": true}));
    assert_eq!((&replaced["accountId"], &replaced["clock"]), (&created["accountId"], &created["clock"]));
    assert_ne!(replaced["apiKey"], created["apiKey"]);
    assert_eq!(available(&new), available(&server.client()));
    let (other, _) = create_world(&server, json!({"seed": "y"}));
    assert_ne!(other["accountId"], created["accountId"]);
    let foreign = expect_json(&server.other().post(WORLDS, r#"{"seed": "x"}"#), 201);
    assert_ne!(
        foreign["accountId"], created["accountId"],
        "the world of another client with this seed is another world"
    );
}

#[test]
fn one_idempotency_key_creates_one_world_whose_key_is_not_stored() {
    let server = Server::sandbox();
    let client = server.client();
    let first = client.post_once(WORLDS, "made", r#"{"template": "empty"}"#);
    let secret = text(&expect_json(&first, 201), "/apiKey").to_owned();
    let second = client.post_once(WORLDS, "made", r#"{ "template":"empty" }"#);
    let fault = expect_fault(&second, 409, "header.Idempotency-Key", "invalid_state");
    let account = text(&first.json(), "/accountId").to_owned();
    assert!(fault.message.contains(&account), "{fault:?}");
    let other = client.post_once(WORLDS, "made", "{}");
    expect_fault(&other, 422, "body", "idempotency_mismatch");
    assert_eq!(listed(&client).len(), 1);
    assert_eq!(client.call("DELETE", &world_path(&account)).send().status, 204);
    expect_json(&client.post_once(WORLDS, "made", "{}"), 201);
    let (_, workspace) = server.stop();
    for (name, bytes) in workspace.stored() {
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "the secret is in {name}");
    }
}

#[test]
fn a_key_for_some_accounts_cannot_create_or_detect_worlds() {
    let server = Server::sandbox();
    let (created, of_world) = create_world(&server, json!({"seed": "victim"}));
    for body in ["{}", r#"{"seed": "victim"}"#, r#"{"seed": "victim", "template": "empty", "replace": true}"#, "[]"] {
        expect_fault(&of_world.post(WORLDS, body), 403, "header.Authorization", "insufficient_scope");
    }
    expect_json(&of_world.get(&world_path(text(&created, "/accountId"))), 200);
}

#[test]
fn invalid_requests_are_reported() {
    let client = shared().client();
    for (body, faults) in [
        ("[]", &[("body", "invalid_type")][..]),
        (r#"{"template": "snapshot"}"#, &[("body.template", "invalid_value")]),
        (r#"{"seed": ""}"#, &[("body.seed", "invalid_format")]),
        (r#"{"replace": true}"#, &[("body.replace", "invalid_value")]),
        (
            r#"{"template": "demo", "snapshotId": "x", "replace": true}"#,
            &[
                ("body.snapshotId", "invalid_format"),
                ("body.template", "invalid_value"),
                ("body.replace", "invalid_value"),
            ],
        ),
        (r#"{"startsAt": "now", "x": 1}"#, &[("body.startsAt", "invalid_format"), ("body.x", "unknown_field")]),
        (
            concat!(
                r#"{"template": "demo", "snapshotId": "0190a1b2-0000-7000-8000-00000000dead", "#,
                r#""startsAt": "2026-01-01T00:00:00Z"}"#
            ),
            &[("body.template", "invalid_value"), ("body.startsAt", "invalid_value")],
        ),
    ] {
        expect_faults(&client.post(WORLDS, body), 400, faults);
    }
    let long = json!({"seed": "x".repeat(65)}).to_string();
    expect_faults(&client.post(WORLDS, long), 400, &[("body.seed", "too_long")]);
    expect_faults(&client.call("POST", WORLDS).send(), 400, &[("body", "required")]);
    let path = below_world(&"x".repeat(37), "restore");
    let expected = [("path.accountId", "too_long"), ("body.snapshotId", "invalid_format")];
    expect_faults(&client.post(&path, r#"{"snapshotId": "x"}"#), 400, &expected);
    let limited = shared().limited();
    expect_fault(&limited.post(WORLDS, "{}"), 403, "header.Authorization", "insufficient_scope");
    expect_fault(&client.call("PUT", WORLDS).send(), 405, "", "method_not_allowed");
}

#[test]
fn production_refuses_worlds() {
    let workspace = Workspace::empty().production();
    assert!(workspace.run(&["init"]).status.success());
    let client = workspace.json(&["clients", "create", "--name", "Live", "--json"]);
    let client = text(&client, "/id").to_owned();
    workspace.json(&["accounts", "create", "P1", "--client", &client, "--json"]);
    let key = workspace.json(&["keys", "issue", "--client", &client, "--json", "--all-scopes"]);
    workspace.grant_simulations();
    let server = Server::on(workspace);
    let client = server.client_of(text(&key, "/key"), "P1");
    for (method, path) in [
        ("GET", "/v2/sandbox/clock".to_owned()),
        ("POST", "/v2/sandbox/clock".to_owned()),
        ("GET", WORLDS.to_owned()),
        ("POST", WORLDS.to_owned()),
        ("GET", world_path("P1")),
        ("DELETE", world_path("P1")),
        ("GET", below_world("P1", "snapshots")),
        ("POST", below_world("P1", "snapshots")),
        ("DELETE", below_world("P1", &format!("snapshots/{ABSENT}"))),
        ("POST", below_world("P1", "restore")),
    ] {
        expect_fault(&client.call(method, &path).send(), 403, "", "sandbox_only");
    }
}

#[test]
fn a_client_can_create_a_hundred_worlds_concurrently() {
    let server = Server::sandbox();
    let client = server.client();
    let created = together(4, |_| {
        (0..25).map(|_| client.post(WORLDS, r#"{"template": "empty"}"#).status).filter(|status| *status == 201).count()
    });
    assert_eq!(created.iter().sum::<usize>(), 100);
    expect_fault(&client.post(WORLDS, "{}"), 409, "", "invalid_state");
    expect_json(&server.other().post(WORLDS, "{}"), 201);
    let list = expect_json(&client.get(&format!("{PATH}?limit=10&offset=95")), 200);
    assert_eq!((list["count"].as_i64(), list["rows"].as_array().unwrap().len()), (Some(100), 5));
    assert_documented("get", PATH, &client.get(WORLDS));
}

#[test]
fn calls_that_race_a_restore_see_a_complete_world() {
    let server = shared();
    let (_, client) = create_world(server, json!({"seed": "races a restore"}));
    let card = demo().active_card("GBP").id.clone();
    let snapshot = snapshot(&client);
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let sent = client.post(AUTHORIZATION, first_body(&card, "1.00"));
                    let token = text(&expect_json(&sent, 201), "/transaction/token").to_owned();
                    // A restore may have removed the authorization, and its token may name another message since.
                    let body = json!({"precedingRelatedTransactionToken": token});
                    let followed = client.post(REVERSAL, body.to_string());
                    assert!([201, 404, 409].contains(&followed.status), "{followed:?}");
                    expect_json(&client.get("/v2/budgets"), 200);
                }
            });
        }
        // Ends the callers even if a restore fails.
        let _done = SetOnDrop(&is_done);
        for _ in 0..25 {
            restore(&client, &snapshot);
        }
    });
    expect_invariants(&client);
}

#[test]
fn a_world_is_renewed_and_never_shortened() {
    let server = Server::sandbox();
    let (created, client) = create_world(&server, json!({}));
    let path = below_world(&client.account, "renew");
    let answer = client.post_once(&path, "renewal", json!({"hours": 48}).to_string());
    assert_documented("post", RENEW, &answer);
    let renewed = expect_json(&answer, 200);
    let hours = (time(&renewed["expiresAt"]) - time(&created["createdAt"])).num_hours();
    assert!((48..=49).contains(&hours), "{renewed}");
    assert!(client.post_once(&path, "renewal", json!({"hours": 48}).to_string()).replayed());
    let shorter = expect_json(&client.post(&path, json!({"hours": 1}).to_string()), 200);
    assert_eq!(shorter["expiresAt"], renewed["expiresAt"]);
    let found = expect_json(&client.get(&world_path(&client.account)), 200);
    assert_eq!(found["expiresAt"], renewed["expiresAt"]);
    for (body, code) in [
        (json!({"hours": 0}), "out_of_range"),
        (json!({"hours": 721}), "out_of_range"),
        (json!({"hours": "1"}), "invalid_type"),
        (json!({}), "required"),
    ] {
        expect_faults(&client.post(&path, body.to_string()), 400, &[("body.hours", code)]);
    }
    let no_world = server.client();
    let answer = no_world.post(&below_world(&no_world.account, "renew"), json!({"hours": 1}).to_string());
    expect_fault(&answer, 404, "path.accountId", "not_found");
}
