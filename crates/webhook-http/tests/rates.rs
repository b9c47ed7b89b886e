//! Tests of the client for shipping rates against real servers: good, broken and hostile ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "the tests of the sender use the rest")]
mod support;

use florin_domain::access::Environment::{Production, Sandbox};
use florin_domain::test_support::CLIENT;
use florin_ports::{ShippingRates, ShippingRatesUnavailable};
use florin_webhook_http::HttpShippingRates;
use std::time::{Duration, Instant};
use support::{Receiver, Speaks, answer, names, rates, session};

async fn refusal(speaks: Speaks, response: Vec<u8>) -> String {
    let receiver = Receiver::start(speaks, move |_| response.clone()).await;
    let ShippingRatesUnavailable(reason) =
        rates(Sandbox, &names()).load(CLIENT, &session(&receiver.url("http"))).await.unwrap_err();
    reason
}

#[tokio::test]
async fn rates_are_read_exactly() {
    let text = r#"[{"description": "Post", "amount": "0", "serviceCode": "a"},
        {"description": "Fast", "amount": "3.50", "serviceCode": "b", "preSelected": true, "new": {}}]"#;
    let receiver = Receiver::start(Speaks::Http, move |_| answer("200 OK", "", text)).await;
    let offered = rates(Sandbox, &names()).load(CLIENT, &session(&receiver.url("http"))).await.unwrap();
    let read: Vec<_> = offered.all().iter().map(|rate| (rate.amount.0, rate.is_preselected)).collect();
    assert_eq!(read, [(0, false), (350, true)]);
    let chosen = offered.chosen("b").unwrap();
    assert_eq!((chosen.description.as_str(), chosen.amount, chosen.service_code.as_deref()), ("Fast", 350, Some("b")));
    assert_eq!(offered.chosen("c"), None);
    let got = receiver.requests().remove(0);
    assert!(got.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", got.head);
    assert_eq!(got.header("content-type"), Some("application/json"));
}

/// A client's URL cannot make Florin connect to a server inside the operator's network.
#[tokio::test]
async fn addresses_are_checked_as_for_webhooks() {
    let receiver = Receiver::start(Speaks::Http, |_| answer("200 OK", "", "[]")).await;
    let port = receiver.url("http").rsplit(':').next().unwrap().trim_end_matches("/hook").to_owned();
    let known = names().with("inside.test", &["10.0.0.7"]).with("mixed.test", &["93.184.216.34", "127.0.0.1"]);
    for (environment, url) in [
        (Production, receiver.url("http")),
        (Production, format!("https://127.0.0.1:{port}/hook")),
        (Production, format!("https://[::1]:{port}/hook")),
        (Production, "https://inside.test/".to_owned()),
        (Production, format!("https://mixed.test:{port}/")),
        (Sandbox, format!("http://10.0.0.7:{port}/")),
        (Sandbox, "http://inside.test/".to_owned()),
        (Sandbox, "http://169.254.169.254/latest/meta-data".to_owned()),
    ] {
        let refused = rates(environment, &known).load(CLIENT, &session(&url)).await.unwrap_err();
        assert_eq!(refused.0, "target_not_allowed", "{url}");
    }
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn redirects_and_errors_are_no_rates() {
    let good = r#"[{"description": "Post", "amount": "1.00", "serviceCode": "a"}]"#;
    let target = Receiver::start(Speaks::Http, move |_| answer("200 OK", "", good)).await;
    let location = format!("Location: {}\r\n", target.url("http"));
    for status in ["301 Moved", "307 Moved", "404 No", "500 No"] {
        assert_eq!(refusal(Speaks::Http, answer(status, &location, good)).await, format!("status {}", &status[..3]));
    }
    assert_eq!(target.connections(), 0);
    assert!(refusal(Speaks::Garbage, Vec::new()).await.contains("invalid_response"));
    assert!(refusal(Speaks::Goodbye, Vec::new()).await.contains("failed"));
}

#[test]
fn a_payer_waits_five_seconds() {
    assert_eq!(HttpShippingRates::TIME_LIMIT, Duration::from_secs(5));
}

#[tokio::test]
async fn answers_are_bounded_in_time_and_size() {
    for speaks in
        [Speaks::Nothing, Speaks::DrippingHead, Speaks::EndlessHead, Speaks::DrippingBody, Speaks::EndlessBody]
    {
        let began = Instant::now();
        let reason = refusal(speaks, Vec::new()).await;
        assert!(began.elapsed() < Duration::from_secs(3), "{speaks:?}: {reason}");
    }
    let padded = |size: usize| {
        let body = r#"[{"description": "Post", "amount": "1.00", "serviceCode": "a"}]"#;
        answer("200 OK", "", &format!("{body}{}", " ".repeat(size - body.len())))
    };
    let largest = Receiver::start(Speaks::Http, move |_| padded(64 * 1024)).await;
    assert!(rates(Sandbox, &names()).load(CLIENT, &session(&largest.url("http"))).await.is_ok());
    assert_eq!(refusal(Speaks::Http, padded(64 * 1024 + 1)).await, "the answer is larger than 64 KiB");
}
