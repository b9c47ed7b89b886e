//! `POST /v2/mfa/sessions`, the ends of a session (used, expired, locked), and the lock of an account's TOTP
//! enrolment.

use chrono::DateTime;
use serde_json::json;

use crate::support::assert::{members, time, uuid};
use crate::support::batches::{
    confirm, confirm_totp, expect_mfa_refusal, funded_server, open_session, open_session_with, token_at, wrong_token,
};
use crate::support::{ABSENT, Client, MFA_SESSIONS, Server, demo, expect_fault, expect_json, shared};

#[test]
fn a_session_has_every_member() {
    for (provider, shown) in
        [(None, "sandbox"), (Some("sandbox"), "sandbox"), (Some("fx-mfa-service"), "sandbox"), (Some("totp"), "totp")]
    {
        let mut body = json!({"paymentBatchId": demo().batch("validated")});
        if let Some(provider) = provider {
            body["provider"] = json!(provider);
        }
        let answer = shared().client().post(MFA_SESSIONS, body.to_string());
        let session = expect_json(&answer, 201);
        assert_eq!(members(&session), ["expiresAt", "provider", "sessionId"]);
        uuid(&session["sessionId"]);
        assert_eq!(session["provider"], shown);
        let date = DateTime::parse_from_rfc2822(answer.header("date").unwrap()).unwrap();
        let lifetime = time(&session["expiresAt"]).signed_duration_since(date).num_seconds();
        assert!((240..=360).contains(&lifetime), "the session lasts {lifetime} seconds, not five minutes");
    }
}

#[test]
fn an_optional_provider_may_be_null() {
    let body = json!({"paymentBatchId": demo().batch("validated"), "provider": null});
    let session = expect_json(&shared().client().post(MFA_SESSIONS, body.to_string()), 201);
    assert_eq!(session["provider"], "sandbox");
}

#[test]
fn a_session_is_only_opened_for_a_validated_batch_of_the_account() {
    let client = shared().client();
    let open = |client: &Client, batch: &str| client.post(MFA_SESSIONS, json!({"paymentBatchId": batch}).to_string());
    expect_fault(&open(&client, ABSENT), 404, "body.paymentBatchId", "not_found");
    expect_fault(&open(&shared().other(), &demo().batch("validated")), 404, "body.paymentBatchId", "not_found");
    for status in ["draft", "confirmed", "started", "completed", "failed", "cancelled"] {
        let fault = expect_fault(&open(&client, &demo().batch(status)), 409, "body.paymentBatchId", "invalid_state");
        assert!(fault.message.contains(status), "{}", fault.message);
    }
}

#[test]
fn an_unknown_session_fails() {
    let batch = demo().batch("validated");
    expect_mfa_refusal(&confirm(&shared().client(), &batch, ABSENT, "000000"), "mfa_failed");
}

#[test]
fn a_session_belongs_to_its_batch() {
    let client = shared().client();
    let batches = demo().batches("validated");
    let session = open_session(&client, &batches[0]);
    expect_mfa_refusal(&confirm(&client, &batches[1], &session, "000000"), "mfa_failed");
}

#[test]
fn a_session_belongs_to_its_provider() {
    let client = shared().client();
    let batch = demo().batch("validated");
    let in_sandbox = open_session(&client, &batch);
    expect_mfa_refusal(&confirm_totp(&client, &batch, &in_sandbox, &token_at(0)), "mfa_failed");
    let by_totp = open_session_with(&client, &batch, "totp");
    expect_mfa_refusal(&confirm(&client, &batch, &by_totp, "000000"), "mfa_failed");
}

#[test]
fn a_wrong_token_fails_and_the_session_stays_open() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    expect_mfa_refusal(&confirm(&client, &batch, &session, "000001"), "mfa_failed");
    expect_mfa_refusal(&confirm(&client, &batch, &session, "123456"), "mfa_failed");
    expect_json(&confirm(&client, &batch, &session, "000000"), 200);
}

#[test]
fn an_expired_session_stays_expired() {
    let client = shared().client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    expect_mfa_refusal(&confirm(&client, &batch, &session, "000002"), "mfa_expired");
    expect_mfa_refusal(&confirm(&client, &batch, &session, "000000"), "mfa_expired");
}

#[test]
fn a_locked_session_stays_locked() {
    let client = shared().client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    expect_mfa_refusal(&confirm(&client, &batch, &session, "000003"), "mfa_locked");
    expect_mfa_refusal(&confirm(&client, &batch, &session, "000000"), "mfa_locked");
}

#[test]
fn the_fifth_wrong_token_locks_only_its_session() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    for _ in 0..5 {
        expect_mfa_refusal(&confirm(&client, &batch, &session, "000001"), "mfa_failed");
    }
    expect_mfa_refusal(&confirm(&client, &batch, &session, "000000"), "mfa_locked");
    expect_mfa_refusal(&confirm(&client, &batch, &session, "000001"), "mfa_locked");
    let fresh = open_session(&client, &batch);
    expect_json(&confirm(&client, &batch, &fresh, "000000"), 200);
}

#[test]
fn four_wrong_tokens_do_not_lock() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    for _ in 0..4 {
        expect_mfa_refusal(&confirm(&client, &batch, &session, "000001"), "mfa_failed");
    }
    expect_json(&confirm(&client, &batch, &session, "000000"), 200);
}

#[test]
fn attempts_on_a_batch_in_another_state_do_not_count() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    for _ in 0..10 {
        let answer = confirm(&client, &demo().batch("draft"), &session, "000001");
        expect_fault(&answer, 409, "path.paymentBatchId", "invalid_state");
    }
    expect_json(&confirm(&client, &batch, &session, "000000"), 200);
}

#[test]
fn attempts_survive_a_restart() {
    let server = funded_server();
    let batch = demo().batch("validated");
    let session = open_session(&server.client(), &batch);
    for _ in 0..5 {
        expect_mfa_refusal(&confirm(&server.client(), &batch, &session, "000001"), "mfa_failed");
    }
    let server = Server::on(server.kill());
    expect_mfa_refusal(&confirm(&server.client(), &batch, &session, "000000"), "mfa_locked");
}

#[test]
fn totp_confirms_and_each_step_is_used_once() {
    let server = funded_server();
    let client = server.client();
    let batches = demo().batches("validated");
    let token = token_at(0);
    let first = open_session_with(&client, &batches[0], "totp");
    let answer = confirm_totp(&client, &batches[0], &first, &token);
    assert_eq!(expect_json(&answer, 200), json!({"status": "confirmed"}));
    let second = open_session_with(&client, &batches[1], "totp");
    expect_mfa_refusal(&confirm_totp(&client, &batches[1], &second, &token), "mfa_failed");
    let next = token_at(1);
    let answer = confirm_totp(&client, &batches[1], &second, &next);
    assert_eq!(expect_json(&answer, 200), json!({"status": "confirmed"}), "the next step's token");
}

#[test]
fn totp_refuses_steps_outside_the_window() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session_with(&client, &batch, "totp");
    expect_mfa_refusal(&confirm_totp(&client, &batch, &session, &token_at(-6)), "mfa_failed");
    expect_mfa_refusal(&confirm_totp(&client, &batch, &session, &token_at(6)), "mfa_failed");
    expect_mfa_refusal(&confirm_totp(&client, &batch, &session, &wrong_token()), "mfa_failed");
    expect_json(&confirm_totp(&client, &batch, &session, &token_at(0)), 200);
}

#[test]
fn twenty_wrong_totp_tokens_lock_totp_and_leave_the_sandbox_provider() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    for _ in 0..4 {
        let session = open_session_with(&client, &batch, "totp");
        for _ in 0..5 {
            expect_mfa_refusal(&confirm_totp(&client, &batch, &session, &wrong_token()), "mfa_failed");
        }
    }
    let fresh = open_session_with(&client, &batch, "totp");
    expect_mfa_refusal(&confirm_totp(&client, &batch, &fresh, &token_at(0)), "mfa_locked");
    let in_sandbox = open_session(&client, &batch);
    expect_json(&confirm(&client, &batch, &in_sandbox, "000000"), 200);
}

#[test]
fn wrong_tokens_of_the_sandbox_provider_never_lock_totp() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    for _ in 0..5 {
        let session = open_session(&client, &batch);
        for _ in 0..5 {
            expect_mfa_refusal(&confirm(&client, &batch, &session, "000001"), "mfa_failed");
        }
    }
    let session = open_session_with(&client, &batch, "totp");
    expect_json(&confirm_totp(&client, &batch, &session, &token_at(0)), 200);
}

#[test]
fn sessions_require_a_scope() {
    let body = json!({"paymentBatchId": demo().batch("validated")}).to_string();
    let fault =
        expect_fault(&shared().limited().post(MFA_SESSIONS, body), 403, "header.Authorization", "insufficient_scope");
    assert!(fault.message.contains("payment-batches:confirm:any"), "{}", fault.message);
}

#[test]
fn totp_requires_an_enrolment() {
    // A validated batch of the other account, which has no enrolment.
    let body = json!({"paymentBatchId": "0198c0de-0008-7000-8000-000000000065", "provider": "totp"}).to_string();
    expect_fault(&shared().other().post(MFA_SESSIONS, body), 409, "body.provider", "mfa_not_enrolled");
}
