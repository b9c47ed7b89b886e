//! Access across instances: API keys, MFA sessions and wrong MFA tokens that one instance stores count on the other.

use crate::pair::{Pair, prevent_restarts};
use crate::support::assert::text;
use crate::support::batches::{
    confirm, confirm_totp, expect_mfa_refusal, open_session, open_session_with, token_at, wrong_token,
};
use crate::support::{BANKS, Workspace, demo, expect_fault, expect_json, together, while_requesting};

#[test]
fn a_revoked_key_is_refused_on_both() {
    let _undisturbed = prevent_restarts();
    let workspace = Workspace::demo();
    let clients = workspace.json(&["clients", "list", "--json"]);
    let client = clients["rows"].as_array().unwrap().iter().find(|client| client["name"] == "demo").unwrap();
    let issued = workspace.json(&["keys", "issue", "--client", text(client, "/id"), "--all-scopes", "--json"]);
    let key = text(&issued, "/key").to_owned();
    let pair = Pair::on(workspace);
    let callers = [&pair.first, &pair.second].map(|server| server.client_of(&key, &demo().account));
    let revoke = || pair.first.workspace().run(&["keys", "revoke", text(&issued, "/id")]);
    // Continuous requests, so that every cache contains the key.
    let revoked = while_requesting(&callers, BANKS, revoke);
    assert!(revoked.status.success(), "{}", String::from_utf8_lossy(&revoked.stderr));
    for caller in &callers {
        expect_fault(&caller.get(BANKS), 403, "header.Authorization", "invalid_credentials");
    }
}

#[test]
fn a_disabled_client_is_refused_on_both() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let callers = [pair.client(0), pair.client(1)];
    let disable = || pair.first.workspace().run(&["clients", "disable", "demo"]);
    assert!(while_requesting(&callers, BANKS, disable).status.success());
    for caller in &callers {
        expect_fault(&caller.get(BANKS), 403, "header.Authorization", "invalid_credentials");
    }
}

#[test]
fn the_key_of_a_world_is_refused_on_both_after_the_key_that_created_it_is_revoked() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let workspace = pair.first.workspace();
    let key = workspace.json(&["keys", "issue", "--client", "demo", "--all-scopes", "--json"]);
    let creator = pair.first.client_of(text(&key, "/key"), &demo().account);
    let world = expect_json(&creator.post("/v2/sandbox/worlds?", r#"{"template": "empty"}"#), 201);
    let (secret, account) = (text(&world, "/apiKey"), text(&world, "/accountId"));
    let callers = [&pair.first, &pair.second].map(|server| server.client_of(secret, account));
    let revoke = || workspace.run(&["keys", "revoke", text(&key, "/id")]);
    assert!(while_requesting(&callers, BANKS, revoke).status.success());
    for caller in &callers {
        expect_fault(&caller.get(BANKS), 403, "header.Authorization", "invalid_credentials");
    }
}

#[test]
fn a_key_issued_later_works_on_both() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let workspace = pair.second.workspace();
    let client = workspace.json(&["clients", "create", "--name", "Late", "--json"]);
    let id = text(&client, "/id").to_owned();
    workspace.json(&["accounts", "create", "F70001", "--client", &id, "--json"]);
    let key = workspace.json(&["keys", "issue", "--client", &id, "--all-scopes", "--json"]);
    for server in [&pair.first, &pair.second] {
        expect_json(&server.client_of(text(&key, "/key"), "F70001").get(BANKS), 200);
    }
}

#[test]
fn five_wrong_tokens_over_both_lock_a_session() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::funded();
    let batch = demo().batch("validated");
    let session = open_session(&pair.client(0), &batch);
    let answers = together(12, |number| confirm(&pair.client(number), &batch, &session, "000001"));
    let count =
        |code: &str| answers.iter().filter(|answer| crate::support::expect_error(answer, 403)[0].code == code).count();
    assert_eq!((count("mfa_failed"), count("mfa_locked")), (5, 7), "{answers:?}");
}

#[test]
fn twenty_wrong_totp_tokens_over_both_lock_totp() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::funded();
    let batch = demo().batch("validated");
    for round in 0..4 {
        let session = open_session_with(&pair.client(round), &batch, "totp");
        for number in 0..5 {
            expect_mfa_refusal(&confirm_totp(&pair.client(number), &batch, &session, &wrong_token()), "mfa_failed");
        }
    }
    for number in 0..2 {
        let fresh = open_session_with(&pair.client(number), &batch, "totp");
        expect_mfa_refusal(&confirm_totp(&pair.client(number), &batch, &fresh, &token_at(0)), "mfa_locked");
    }
}

#[test]
fn a_totp_step_is_used_once_over_both() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::funded();
    let batches = demo().batches("validated");
    let token = token_at(0);
    let sessions = [
        open_session_with(&pair.client(0), &batches[0], "totp"),
        open_session_with(&pair.client(1), &batches[1], "totp"),
    ];
    let answers = together(2, |number| confirm_totp(&pair.client(number), &batches[number], &sessions[number], &token));
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    expect_mfa_refusal(answers.iter().find(|answer| answer.status != 200).unwrap(), "mfa_failed");
}

#[test]
fn both_instances_are_ready() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    assert_eq!((pair.first.readiness(), pair.second.readiness()), (200, 200));
}
