//! `GET` and `POST /v2/sandbox/clock`: frozen and running clocks, and their effect on holds, sessions, tokens and
//! limits.

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::openapi::assert_documented;
use crate::support::assert::{members, text, time};
use crate::support::batches::{confirm, confirm_totp, expect_mfa_refusal, open_session, open_session_with, token_of};
use crate::support::wallet::{first_body, follow_body, transaction};
use crate::support::worlds::{CLOCK, clock, create_world, set_clock};
use crate::support::{
    AUTHORIZATION, CLEARING, CREDIT, Client, Server, demo, expect_fault, expect_faults, expect_json, shared, together,
};

/// Starts a server, and creates a world whose clock is frozen at noon on 1 September 2026.
fn frozen() -> (Server, Client) {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"startsAt": "2026-09-01T12:00:00Z"}));
    (server, client)
}

fn card() -> &'static str {
    &demo().active_card("GBP").id
}

fn hold(client: &Client, amount: &str) -> String {
    let hold = transaction(&client.post(AUTHORIZATION, first_body(card(), amount)));
    assert_eq!(text(&hold, "/response/code"), "0000", "{hold}");
    text(&hold, "/token").to_owned()
}

/// Returns available and ledger balance, read by an account check.
fn balance(client: &Client) -> (String, String) {
    let check = transaction(&client.post(AUTHORIZATION, first_body(card(), "0")));
    (text(&check, "/gpa/availableBalance").to_owned(), text(&check, "/gpa/ledgerBalance").to_owned())
}

#[test]
fn an_unchanged_account_uses_real_time() {
    let answer = shared().client().get(CLOCK);
    assert_documented("get", CLOCK, &answer);
    let shown = answer.json();
    assert_eq!(members(&shown), ["now", "realTime", "state"]);
    assert_eq!((&shown["state"], &shown["realTime"]), (&json!("RUNNING"), &json!(true)));
    let date = DateTime::parse_from_rfc2822(answer.header("date").unwrap()).unwrap();
    assert!((time(&shown["now"]) - date.with_timezone(&Utc)).num_seconds().abs() <= 5, "{shown}");
}

#[test]
fn a_clock_freezes_advances_and_resumes() {
    let (server, client) = frozen();
    assert_eq!(clock(&client), json!({"now": "2026-09-01T12:00:00Z", "state": "FROZEN", "realTime": false}));
    assert_eq!(set_clock(&client, json!({"advanceBy": "P1DT2H30M5S"})), "2026-09-02T14:30:05Z");
    assert_eq!(set_clock(&client, json!({"freezeAt": "2026-09-03T00:00:00Z"})), "2026-09-03T00:00:00Z");
    assert_eq!(set_clock(&client, json!({"freeze": true})), "2026-09-03T00:00:00Z");
    let answer = client.post(CLOCK, json!({"resume": true}).to_string());
    assert_documented("post", CLOCK, &answer);
    assert_eq!(answer.json()["state"], "RUNNING");
    assert!(text(&clock(&client), "/now").starts_with("2026-09-03T00:00:"));
    set_clock(&client, json!({"advanceBy": "PT1H"}));
    assert!(text(&clock(&client), "/now").starts_with("2026-09-03T01:00:"));
    assert_eq!(clock(&server.client())["realTime"], true, "the demo account has a clock of its own");
}

#[test]
fn a_clock_returns_to_real_time_unless_it_is_ahead() {
    let (server, client) = frozen();
    let behind = client.post(CLOCK, json!({"realTime": true}).to_string());
    assert_documented("post", CLOCK, &behind);
    let shown = expect_json(&behind, 200);
    assert_eq!((&shown["state"], &shown["realTime"]), (&json!("RUNNING"), &json!(true)), "{shown}");
    let (_, client) = create_world(&server, json!({"startsAt": "2098-09-01T12:00:00Z"}));
    let ahead = client.post(CLOCK, json!({"realTime": true}).to_string());
    expect_fault(&ahead, 409, "body.realTime", "invalid_state");
    assert_eq!(clock(&client), json!({"now": "2098-09-01T12:00:00Z", "state": "FROZEN", "realTime": false}));
}

#[test]
fn records_are_dated_by_the_accounts_clock() {
    let (_server, client) = frozen();
    let message = transaction(&client.post(AUTHORIZATION, first_body(card(), "1")));
    assert_eq!(message["createdTime"], "2026-09-01T12:00:00Z");
    assert_eq!(message["userTransactionTime"], "2026-09-01T12:00:00Z");
    assert_eq!(message["settlementDate"], "2026-09-01T00:00:00Z");
    set_clock(&client, json!({"advanceBy": "P1D"}));
    let message = transaction(&client.post(AUTHORIZATION, first_body(card(), "1")));
    assert_eq!(message["settlementDate"], "2026-09-02T00:00:00Z");
    let batch = expect_json(&client.post("/v2/payment-batches", "{}"), 201);
    assert_eq!(batch["createdAt"], "2026-09-02T12:00:00Z");
}

#[test]
fn holds_that_are_due_have_expired_when_an_advance_is_answered() {
    let (server, client) = frozen();
    let before = balance(&client);
    let first = hold(&client, "10");
    set_clock(&client, json!({"advanceBy": "PT1H"}));
    let second = hold(&client, "5");
    let held = balance(&client);
    assert_ne!(held, before);
    set_clock(&client, json!({"advanceBy": "P6DT22H59M59S"}));
    assert_eq!(balance(&client), held, "one second too early");
    set_clock(&client, json!({"advanceBy": "PT1S"}));
    expect_fault(
        &client.post(CLEARING, follow_body(&first, "10")),
        409,
        "body.precedingRelatedTransactionToken",
        "expired",
    );
    transaction(&client.post(CLEARING, follow_body(&second, "5")));
    let third = hold(&client, "3");
    set_clock(&client, json!({"freezeAt": "2027-01-01T00:00:00Z"}));
    let answer = client.post(CLEARING, follow_body(&third, "3"));
    expect_fault(&answer, 409, "body.precedingRelatedTransactionToken", "expired");
    let (_, ledger) = balance(&client);
    assert_eq!(ledger, "9795.00", "5.00 of the opening 9800.00 was cleared");
    let (_, workspace) = server.stop();
    assert!(workspace.run(&["check"]).status.success());
}

#[test]
fn an_advance_and_a_clearing_have_one_winner() {
    let (server, client) = frozen();
    for round in 0..8 {
        let token = hold(&client, "10");
        let (_, before) = balance(&client);
        let clear = follow_body(&token, "10");
        let week = json!({"advanceBy": "P7D"}).to_string();
        let calls: [(&str, &str); 2] = [(CLEARING, &clear), (CLOCK, &week)];
        let answers = together(2, |place| client.post(calls[place].0, calls[place].1));
        let (cleared, advanced) = (&answers[0], &answers[1]);
        assert_eq!(advanced.status, 200, "round {round}: {advanced:?}");
        let (_, after) = balance(&client);
        if cleared.status == 201 {
            assert_ne!(after, before, "round {round}: cleared, and no money moved");
        } else {
            expect_fault(cleared, 409, "body.precedingRelatedTransactionToken", "expired");
            assert_eq!(after, before, "round {round}: expired, and money moved");
        }
        let late = client.post(CLEARING, &clear);
        assert_eq!(late.status, 409, "round {round}: {late:?}");
    }
    let (_, workspace) = server.stop();
    assert!(workspace.run(&["check"]).status.success());
}

#[test]
fn mfa_sessions_expire_by_the_accounts_clock() {
    let (_server, client) = frozen();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    set_clock(&client, json!({"advanceBy": "PT5M"}));
    expect_mfa_refusal(&confirm(&client, &batch, &session, "000000"), "mfa_expired");
    let session = open_session(&client, &batch);
    set_clock(&client, json!({"advanceBy": "PT4M59S"}));
    expect_json(&confirm(&client, &batch, &session, "000000"), 200);
    let confirmed = expect_json(&client.get(&format!("/v2/payment-batches/{batch}")), 200);
    assert_eq!(confirmed["confirmedAt"], "2026-09-01T12:09:59Z");
}

#[test]
fn totp_uses_the_accounts_clock() {
    let (_server, client) = frozen();
    let batch = demo().batch("validated");
    let noon = u64::try_from("2026-09-01T12:00:00Z".parse::<DateTime<Utc>>().unwrap().timestamp()).unwrap();
    let session = open_session_with(&client, &batch, "totp");
    expect_mfa_refusal(&confirm_totp(&client, &batch, &session, &token_of(noon + 300)), "mfa_failed");
    expect_json(&confirm_totp(&client, &batch, &session, &token_of(noon)), 200);
}

#[test]
fn spending_windows_use_the_accounts_clock() {
    let (_server, client) = frozen();
    let limited = demo().json["cards"].as_array().unwrap().iter().find(|card| card["limited"] == true).unwrap();
    let pay = |amount: &str| {
        let message = transaction(&client.post(AUTHORIZATION, first_body(text(limited, "/id"), amount)));
        text(&message, "/response/code").to_owned()
    };
    assert_eq!([pay("100"), pay("1")], ["0000", "1817"]);
    set_clock(&client, json!({"freezeAt": "2026-09-01T23:59:59Z"}));
    assert_eq!(pay("1"), "1817");
    set_clock(&client, json!({"advanceBy": "PT1S"}));
    assert_eq!(pay("100"), "0000");
}

#[test]
fn invalid_changes_are_reported() {
    let (_server, client) = frozen();
    for (body, path, code) in [
        ("{}", "body", "required"),
        (r#"{"freeze": true, "resume": true}"#, "body", "invalid_value"),
        (r#"{"freeze": false}"#, "body.freeze", "invalid_value"),
        (r#"{"resume": "yes"}"#, "body.resume", "invalid_type"),
        (r#"{"freezeAt": "2026-09-01"}"#, "body.freezeAt", "invalid_format"),
        (r#"{"freezeAt": "2100-01-01T00:00:00Z"}"#, "body.freezeAt", "out_of_range"),
        (r#"{"advanceBy": "P1M"}"#, "body.advanceBy", "invalid_format"),
        (r#"{"advanceBy": "P0D"}"#, "body.advanceBy", "out_of_range"),
        (r#"{"advanceBy": 5}"#, "body.advanceBy", "invalid_type"),
        (r#"{"resume": true, "x": 1}"#, "body.x", "unknown_field"),
    ] {
        expect_faults(&client.post(CLOCK, body), 400, &[(path, code)]);
    }
    let back = client.post(CLOCK, r#"{"freezeAt": "2026-09-01T11:59:59Z"}"#);
    expect_fault(&back, 409, "body.freezeAt", "invalid_state");
    assert_documented("post", CLOCK, &back);
    let far = client.post(CLOCK, r#"{"advanceBy": "P36600D"}"#);
    expect_fault(&far, 409, "body.advanceBy", "invalid_state");
    assert_eq!(text(&clock(&client), "/now"), "2026-09-01T12:00:00Z");
}

#[test]
fn a_repeated_advance_advances_once() {
    let (_server, client) = frozen();
    let body = r#"{"advanceBy": "P1D"}"#;
    let [first, second] = [(); 2].map(|()| client.post_once(CLOCK, "once", body));
    assert_eq!((first.status, second.status, &first.body), (200, 200, &second.body));
    assert!(!first.replayed() && second.replayed());
    assert_eq!(text(&clock(&client), "/now"), "2026-09-02T12:00:00Z");
}

#[test]
fn clocks_of_other_accounts_are_absent() {
    let server = Server::sandbox();
    let foreign = server.client().with_account(&demo().other_account);
    expect_fault(&foreign.get(CLOCK), 404, "query.accountId", "not_found");
    expect_fault(&foreign.post(CLOCK, r#"{"freeze": true}"#), 404, "query.accountId", "not_found");
    let limited = server.limited();
    expect_fault(&limited.get(CLOCK), 403, "header.Authorization", "insufficient_scope");
    set_clock(&server.client(), json!({"freeze": true}));
    assert_eq!(clock(&server.client())["state"], "FROZEN");
    assert_eq!(clock(&server.other())["realTime"], true);
    let body = crate::support::wallet::credit_body(&demo().budget("GBP"), "1", "GBP");
    expect_json(&server.client().post(CREDIT, body), 200);
}
