//! Confirmation of payment batches: MFA sessions, the fixed tokens of the sandbox, TOTP tokens.

use chrono::Utc;
use serde_json::json;
use totp_rs::{Algorithm, Builder, Secret, Totp};

use super::assert::text;
use super::wallet::credit_body;
use super::{Answer, CREDIT, Client, MFA_SESSIONS, Server, confirm_path, demo, expect_error, expect_json};

/// Starts a separate sandbox whose budgets can pay for every validated batch.
pub(crate) fn funded_server() -> Server {
    let server = Server::sandbox();
    for currency in ["GBP", "EUR", "JPY"] {
        let credit = credit_body(&demo().budget(currency), "100000000", currency);
        expect_json(&server.client().post(CREDIT, credit), 200);
    }
    server
}

/// Opens an MFA session of the default provider, and returns its id.
pub(crate) fn open_session(client: &Client, batch: &str) -> String {
    let answer = client.post(MFA_SESSIONS, json!({"paymentBatchId": batch}).to_string());
    text(&expect_json(&answer, 201), "/sessionId").to_owned()
}

pub(crate) fn mfa_body(provider: &str, session: &str, token: &str) -> String {
    json!({"mfa": {"provider": provider, "sessionId": session, "token": token}}).to_string()
}

/// Confirms a batch with an MFA token of the sandbox's provider.
pub(crate) fn confirm(client: &Client, batch: &str, session: &str, token: &str) -> Answer {
    client.post(&confirm_path(batch), mfa_body("sandbox", session, token))
}

fn totp() -> Totp {
    let secret = Secret::try_from_base32(&demo().totp_secret).unwrap();
    Builder::new().with_algorithm(Algorithm::SHA1).with_digits(6).with_skew(1).with_secret(secret).build_noncompliant()
}

fn unix_seconds() -> u64 {
    u64::try_from(Utc::now().timestamp()).unwrap()
}

/// Returns the TOTP token of a step: 0 is the current step, and 1 the next one.
pub(crate) fn token_at(step: i64) -> String {
    totp().generate(unix_seconds().checked_add_signed(step * 30).unwrap()).to_string()
}

/// Returns the TOTP token of a time, in seconds since 1970.
pub(crate) fn token_of(seconds: u64) -> String {
    totp().generate(seconds).to_string()
}

/// Returns a well-formed TOTP token that does not match any step near the present.
pub(crate) fn wrong_token() -> String {
    let near: Vec<_> = (-5..=5).map(token_at).collect();
    (0..20).map(|number| format!("{:06}", 111_111 + number)).find(|token| !near.contains(token)).unwrap()
}

/// Opens an MFA session of a provider, and returns its id.
pub(crate) fn open_session_with(client: &Client, batch: &str, provider: &str) -> String {
    let answer = client.post(MFA_SESSIONS, json!({"paymentBatchId": batch, "provider": provider}).to_string());
    text(&expect_json(&answer, 201), "/sessionId").to_owned()
}

/// Confirms a batch with a TOTP token.
pub(crate) fn confirm_totp(client: &Client, batch: &str, session: &str, token: &str) -> Answer {
    client.post(&confirm_path(batch), mfa_body("totp", session, token))
}

/// Expects an MFA refusal with this code, with a path inside `body.mfa`.
pub(crate) fn expect_mfa_refusal(answer: &Answer, code: &str) {
    let faults = expect_error(answer, 403);
    assert_eq!(faults.len(), 1, "{answer:?}");
    assert_eq!(faults[0].code, code, "{answer:?}");
    assert!(faults[0].path.starts_with("body.mfa"), "{answer:?}");
}
