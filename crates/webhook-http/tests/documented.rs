//! The Rust code of `docs/WEBHOOKS.md` that verifies deliveries, run on real deliveries.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and the code of a receiver uses the machine's clock"
)]

#[allow(dead_code, reason = "the tests of the sender use the rest")]
mod support;

use chrono::TimeDelta;
use florin_domain::access::Environment::Sandbox;
use florin_domain::webhook::{SigningSecret, WebhookSecrets};
use florin_ports::{WebhookRequest, WebhookSender};
use reqwest::header::HeaderMap;
use std::error::Error;
use support::{ReceivedRequest, Receiver, Speaks, answer, names, now, request, sender};

include!("documented/verify.rs");

const PAGE: &str = include_str!("../../../docs/WEBHOOKS.md");

/// The function of the page that uses the library.
fn verify_with_library(signing_secret: &str, headers: &HeaderMap, body: &[u8]) -> Result<(), Box<dyn Error>> {
    standardwebhooks::Webhook::new(signing_secret)?.verify(body, headers)?;
    Ok(())
}

#[test]
fn the_page_shows_the_code_that_these_tests_run() {
    let fences: Vec<_> = PAGE.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(fences.len(), 2);
    let library = fences[0].lines().last().unwrap();
    assert!(include_str!("documented.rs").contains(&format!("\n    {library}\n")), "{library}");
    assert_eq!(fences[1], include_str!("documented/verify.rs"));
}

/// Sends a request and returns what the receiver received.
async fn delivered(secrets: &WebhookSecrets, ago: TimeDelta) -> ReceivedRequest {
    let receiver = Receiver::start(Speaks::Http, |_| answer("200 OK", "", "")).await;
    let sent = WebhookRequest { at: now() - ago, ..request(&receiver.url("http"), secrets, r#"{"body":{}}"#) };
    assert!(sender(Sandbox, &names()).send(sent).await.is_success());
    receiver.requests().remove(0)
}

/// Verifies by hand and with the library, which must agree.
fn is_genuine(got: &ReceivedRequest, secret: &str, body: &str) -> bool {
    let header = |name| got.header(name).unwrap();
    let (id, timestamp, signatures) = ("webhook-id", "webhook-timestamp", "webhook-signature");
    let by_hand = verify(secret, header(id), header(timestamp), header(signatures), body).unwrap();
    assert_eq!(verify_with_library(secret, &got.headers(), body.as_bytes()).is_ok(), by_hand);
    by_hand
}

#[tokio::test]
async fn the_code_of_the_page_verifies_deliveries() {
    let secrets = WebhookSecrets::new(SigningSecret::new(vec![7; 32]), None, None);
    let old = secrets.current.to_text();
    let secrets = secrets.rotated(SigningSecret::new(vec![8; 32]), Some(now() + TimeDelta::hours(1)));
    let got = delivered(&secrets, TimeDelta::zero()).await;
    let body = std::str::from_utf8(&got.body).unwrap();
    for (secret, sent, expected) in [
        (&secrets.current.to_text(), body, true),
        (&old, body, true),
        (&SigningSecret::new(vec![9; 32]).to_text(), body, false),
        (&old, "{\"body\":{} }", false),
    ] {
        assert_eq!(is_genuine(&got, secret, sent), expected, "{secret} {sent}");
    }
    for (minutes, expected) in [(4, true), (6, false), (-4, true), (-6, false)] {
        let got = delivered(&secrets, TimeDelta::minutes(minutes)).await;
        assert_eq!(is_genuine(&got, &secrets.current.to_text(), body), expected, "sent {minutes} minutes ago");
    }
}
