//! Tests of the sender against real receivers: good, broken and hostile ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use chrono::TimeDelta;
use florin_domain::access::Environment::Sandbox;
use florin_domain::webhook::{SendError, SigningSecret, WebhookSecrets};
use florin_ports::WebhookSender;
use florin_webhook_http::{EventStream, StreamError};
use standardwebhooks::Webhook as Verifier;
use support::{Receiver, Speaks, answer, names, now, request, sender, tls_sender};

#[tokio::test]
async fn a_delivery_is_signed_for_the_published_library() {
    let receiver = Receiver::start(Speaks::Http, |_| answer("200 OK", "", "thanks")).await;
    let secrets = WebhookSecrets::new(SigningSecret::new(vec![7; 32]), None, Some("Bearer of gifts".into()));
    let old = secrets.current.to_text();
    let secrets = secrets.rotated(SigningSecret::new(vec![8; 32]), Some(now() + TimeDelta::hours(1)));
    let sent = request(&receiver.url("http"), &secrets, r#"{"body":{"messageId":"é"}}"#);
    let outcome = sender(Sandbox, &names()).send(sent.clone()).await;
    assert_eq!((outcome.response, outcome.body.as_deref()), (Ok(200), Some("thanks")));
    let got = receiver.requests().remove(0);
    assert!(got.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", got.head);
    assert_eq!(got.body, sent.body.as_bytes());
    for (name, value) in [
        ("content-type", "application/json"),
        ("user-agent", concat!("Florin/", env!("CARGO_PKG_VERSION"))),
        ("authorization", "Bearer of gifts"),
        ("webhook-id", sent.id.to_string().as_str()),
    ] {
        assert_eq!(got.header(name), Some(value), "{}", got.head);
    }
    assert_eq!(got.header("x-em-signature"), None);
    for secret in [secrets.current.to_text(), old] {
        Verifier::new(&secret).unwrap().verify(&got.body, &got.headers()).unwrap();
    }
    let other = SigningSecret::new(vec![9; 32]).to_text();
    assert!(Verifier::new(&other).unwrap().verify(&got.body, &got.headers()).is_err());
}

/// A client of the original service can verify `x-em-signature`; the same secret also verifies the standard signature.
#[tokio::test]
async fn a_shared_secret_signs_as_the_original_did() {
    let receiver = Receiver::start(Speaks::Http, |_| answer("204 No Content", "", "")).await;
    let shared = "0198C0DE-0000-7000-8000-000000000001";
    let secrets = WebhookSecrets::new(SigningSecret::new(vec![]), Some(shared.into()), None);
    let outcome = sender(Sandbox, &names()).send(request(&receiver.url("http"), &secrets, "{}")).await;
    assert!(outcome.is_success());
    let got = receiver.requests().remove(0);
    // printf '{}' | openssl dgst -sha256 -hmac 0198C0DE-0000-7000-8000-000000000001 -binary | base64
    assert_eq!(got.header("x-em-signature"), Some("bC1vOKQzSxIs535uJZ0osI8+XrkNSIyoYQHOe/IhbCI="));
    Verifier::new(&secrets.current.to_text()).unwrap().verify(&got.body, &got.headers()).unwrap();
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let target = Receiver::start(Speaks::Http, |_| answer("200 OK", "", "")).await;
    for status in [301_u16, 302, 303, 307, 308] {
        let location = format!("Location: {}\r\n", target.url("http"));
        let receiver = Receiver::start(Speaks::Http, move |_| answer(&format!("{status} Moved"), &location, "")).await;
        let outcome = sender(Sandbox, &names()).send(request(&receiver.url("http"), &support::secrets(), "{}")).await;
        assert_eq!(outcome.response, Ok(status));
    }
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn the_receiver_decides_by_its_status() {
    for (status, header, retry_after) in [
        ("410 Gone", "", None),
        ("503 Busy", "Retry-After: 7\r\n", Some(7)),
        ("429 Slow", "Retry-After: soon\r\n", None),
    ] {
        let receiver = Receiver::start(Speaks::Http, move |_| answer(status, header, "no\0")).await;
        let outcome = sender(Sandbox, &names()).send(request(&receiver.url("http"), &support::secrets(), "{}")).await;
        assert_eq!(outcome.response.unwrap().to_string(), status[..3]);
        assert_eq!(outcome.retry_after, retry_after.map(TimeDelta::seconds));
        assert_eq!(outcome.body.as_deref(), Some("no\u{fffd}"));
    }
}

/// Only the start of a body is read, however long it is, and however slowly it arrives.
#[tokio::test]
async fn the_body_of_a_response_does_not_affect_the_outcome() {
    let receiver = Receiver::start(Speaks::EndlessBody, |_| Vec::new()).await;
    let outcome = sender(Sandbox, &names()).send(request(&receiver.url("http"), &support::secrets(), "{}")).await;
    assert_eq!((outcome.response, outcome.body.map(|body| body.len())), (Ok(200), Some(1024)));
    let receiver = Receiver::start(Speaks::DrippingBody, |_| Vec::new()).await;
    let outcome = sender(Sandbox, &names()).send(request(&receiver.url("http"), &support::secrets(), "{}")).await;
    assert_eq!(outcome.response, Ok(200));
    assert!(outcome.body.is_some_and(|body| body.len() < 1024));
}

#[tokio::test]
async fn each_broken_receiver_has_its_error() {
    for (speaks, error) in [
        (Speaks::Nothing, SendError::Timeout),
        (Speaks::DrippingHead, SendError::Timeout),
        (Speaks::Garbage, SendError::InvalidResponse),
        (Speaks::EndlessHead, SendError::InvalidResponse),
        (Speaks::Goodbye, SendError::ConnectionFailed),
    ] {
        let receiver = Receiver::start(speaks, |_| Vec::new()).await;
        let outcome = sender(Sandbox, &names()).send(request(&receiver.url("http"), &support::secrets(), "{}")).await;
        assert_eq!((outcome.response, outcome.body), (Err(error), None), "{speaks:?}");
    }
    let send = async |url| sender(Sandbox, &names()).send(request(url, &support::secrets(), "{}")).await.response;
    assert_eq!(send("http://127.0.0.1:1025/").await, Err(SendError::ConnectionFailed));
    assert_eq!(send("http://missing.test:9000/").await, Err(SendError::DnsFailed));
}

#[tokio::test]
async fn tls_needs_a_trusted_certificate_of_the_right_name() {
    let receiver = Receiver::start(Speaks::Tls, |_| answer("200 OK", "", "")).await;
    let public = names().with("hooks.test", &["127.0.0.2"]).with("other.test", &["127.0.0.2"]);
    let send = async |trusting: bool, url: &str| {
        let sender = tls_sender(&public, trusting.then(|| receiver.authority()));
        sender.send(request(url, &support::secrets(), "{}")).await.response
    };
    assert_eq!(send(true, &receiver.url("https")).await, Ok(200));
    assert_eq!(send(true, &receiver.url("https").replace("hooks.", "other.")).await, Err(SendError::TlsFailed));
    assert_eq!(send(false, &receiver.url("https")).await, Err(SendError::TlsFailed));
    let plain = Receiver::start(Speaks::Garbage, |_| Vec::new()).await;
    assert_eq!(send(true, &plain.url("https")).await, Err(SendError::TlsFailed));
    assert_eq!(receiver.requests().len(), 1);
}

/// The first lookup returns an address that is allowed, the second lookup one that is not.
#[tokio::test]
async fn a_name_that_changes_its_address_is_checked_at_each_connect() {
    let receiver = Receiver::start(Speaks::TlsOnce, |_| answer("200 OK", "Connection: close\r\n", "")).await;
    let changing = names().with("hooks.test", &["127.0.0.2"]).then("hooks.test", &["127.0.0.1"]);
    let sender = tls_sender(&changing, Some(receiver.authority()));
    let send = async || sender.send(request(&receiver.url("https"), &support::secrets(), "{}")).await.response;
    assert_eq!(send().await, Ok(200));
    assert_eq!(send().await, Err(SendError::TargetNotAllowed));
    assert_eq!(receiver.connections(), 1);
}

/// The server ends the stream after two events, and again after a third. Then it is overloaded. It refuses a stream
/// that is to begin after an event that it no longer stores.
#[tokio::test]
async fn a_stream_continues_after_its_last_event() {
    let frame = |id: &str| format!(": comment\n\nid: {id}\nevent: BoxCredited\ndata: {{\"body\":\"{id}\"}}\n\n");
    let server = Receiver::start(Speaks::Http, move |got| match got.header("last-event-id") {
        None => answer("200 OK", "", &[frame("1"), frame("2")].concat()),
        Some("2") => answer("200 OK", "", &frame("3")),
        Some("3") => answer("503 Service Unavailable", "", "later"),
        Some(_) => answer("400 Bad Request", "", "forgotten"),
    })
    .await;
    let mut stream = EventStream::new(&server.url("http"), "secret", None).unwrap();
    let mut ids = Vec::new();
    for _ in 0..2 {
        stream.connect().await.unwrap();
        while let Ok(event) = stream.next().await {
            assert_eq!(event.envelope, format!("{{\"body\":\"{}\"}}", event.id));
            ids.push(event.id);
        }
    }
    assert_eq!(ids, ["1", "2", "3"]);
    assert!(matches!(stream.connect().await, Err(StreamError::Lost(message)) if message.contains("later")));
    let mut stream = EventStream::new(&server.url("http"), "secret", Some("0".into())).unwrap();
    assert!(matches!(stream.connect().await, Err(StreamError::Refused(message)) if message.contains("forgotten")));
    assert!(server.requests().iter().all(|got| got.header("authorization") == Some("ApiKey secret")));
    assert!(!format!("{stream:?}").contains("ApiKey"), "{stream:?}");
}
