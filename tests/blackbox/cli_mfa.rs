//! `florin mfa`: enrolment and policy of an account, while a server is running.

use serde_json::json;
use totp_rs::{Algorithm, Builder, Secret};

use crate::support::assert::text;
use crate::support::batches::{confirm_totp, open_session_with};
use crate::support::payments::{confirmed, create, find};
use crate::support::{MFA_SESSIONS, Server, Workspace, confirm_path, demo, expect_fault, expect_json};

/// A validated batch of the other account of the demo data, which has no enrolment.
const BATCH: &str = "0198c0de-0008-7000-8000-000000000065";

/// Returns the current TOTP token of a secret.
fn current_token(secret: &str) -> String {
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_algorithm(Algorithm::SHA1).with_digits(6).with_skew(1).with_secret(secret);
    totp.build_noncompliant().generate(u64::try_from(chrono::Utc::now().timestamp()).unwrap()).to_string()
}

#[test]
fn an_account_is_enrolled_and_confirms_with_its_authenticator() {
    let server = Server::sandbox();
    let (workspace, account, client) = (server.workspace(), &demo().other_account, server.other());
    let shown = |required, enrolled| {
        json!({"accountId": account, "required": required, "enrolled": enrolled,
            "lockedUntil": null})
    };
    assert_eq!(workspace.json(&["mfa", "show", account, "--json"]), shown(true, false));
    let enrolled = workspace.json(&["mfa", "enrol", account, "--json"]);
    let secret = text(&enrolled, "/secret");
    assert_eq!(secret.len(), 32, "160 bits in base 32: {secret}");
    assert!(text(&enrolled, "/uri").starts_with(&format!("otpauth://totp/Florin:{account}?secret={secret}&")));
    assert_eq!(workspace.json(&["mfa", "show", account, "--json"]), shown(true, true));

    let session = open_session_with(&client, BATCH, "totp");
    // A new enrolment invalidates the earlier secret.
    let renewed = workspace.json(&["mfa", "enrol", account, "--json"]);
    assert_ne!(text(&renewed, "/secret"), secret);
    let old = confirm_totp(&client, BATCH, &session, &current_token(secret));
    assert_eq!(old.status, 403, "{old:?}");
    expect_json(&confirm_totp(&client, BATCH, &session, &current_token(text(&renewed, "/secret"))), 200);

    assert_eq!(workspace.json(&["mfa", "remove", account, "--json"]), shown(true, false));
    assert!(workspace.refused(&["mfa", "remove", account]).contains("no enrolment"));
    let body = json!({"paymentBatchId": BATCH, "provider": "totp"}).to_string();
    expect_fault(&client.post(MFA_SESSIONS, body), 409, "body.paymentBatchId", "invalid_state");
}

#[test]
fn mfa_may_be_waived_and_required_again() {
    let server = Server::sandbox();
    let (workspace, account, client) = (server.workspace(), &demo().account, server.client());
    let batch = demo().batch("validated");
    expect_fault(&client.post(&confirm_path(&batch), "{}"), 400, "body.mfa", "mfa_required");
    assert_eq!(workspace.json(&["mfa", "waive", account, "--json"])["required"], false);
    expect_json(&client.post(&confirm_path(&batch), "{}"), 200);
    assert!(find(&client, &batch)["passedMfaCheckAt"].is_null());
    assert_eq!(workspace.json(&["mfa", "require", account, "--json"])["required"], true);
    let next = demo().batches("validated").swap_remove(1);
    expect_fault(&client.post(&confirm_path(&next), "{}"), 400, "body.mfa", "mfa_required");
    confirmed(&client, &next);
    create(&client, "still works");
}

#[test]
fn an_unknown_account_is_named() {
    let workspace = Workspace::demo();
    for action in ["show", "enrol", "remove", "require", "waive"] {
        let refusal = workspace.refused(&["mfa", action, "F404"]);
        assert!(refusal.contains("account F404 does not exist"), "{action}: {refusal}");
    }
}
