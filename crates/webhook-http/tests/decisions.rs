//! Tests of questions to real decision endpoints: good, broken and hostile ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "the tests of the sender use the rest")]
mod support;

use async_trait::async_trait;
use florin_domain::access::Environment::{Production, Sandbox};
use florin_domain::card::{DecisionReply, NoDecision};
use florin_domain::webhook::{SendError, SigningSecret};
use florin_ports::{DecisionAsker, DecisionRequest};
use florin_webhook_http::NameLookup;
use standardwebhooks::Webhook;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use support::{Receiver, Speaks, answer, decisions, decisions_with, names, question, secrets};

const APPROVE: &str = r#"{"decision": "APPROVE"}"#;

fn request(url: &str, millis: u64) -> DecisionRequest {
    question(url, Duration::from_millis(millis))
}

async fn reply(speaks: Speaks, response: Vec<u8>) -> Result<DecisionReply, NoDecision> {
    let receiver = Receiver::start(speaks, move |_| response.clone()).await;
    decisions(Sandbox, &names()).ask(request(&receiver.url("http"), 500)).await
}

#[tokio::test]
async fn a_question_is_one_signed_post() {
    let receiver = Receiver::start(Speaks::Http, |_| answer("200 OK", "", APPROVE)).await;
    let asked = request(&receiver.url("http"), 2_000);
    let replied = decisions(Sandbox, &names()).ask(asked.clone()).await;
    assert_eq!(replied, Ok(DecisionReply::Approve));
    let [got] = &receiver.requests()[..] else { panic!("one request") };
    assert!(got.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", got.head);
    assert_eq!((got.header("content-type"), &got.body[..]), (Some("application/json"), asked.body.as_bytes()));
    assert_eq!(got.header("webhook-id"), Some(asked.id.to_string().as_str()));
    let library = Webhook::new(&secrets().current.to_text()).unwrap();
    library.verify(&got.body, &got.headers()).unwrap();
    let other = Webhook::new(&SigningSecret::new(vec![2; 32]).to_text()).unwrap();
    assert!(other.verify(&got.body, &got.headers()).is_err());
}

#[tokio::test]
async fn addresses_are_checked_as_for_webhooks() {
    let receiver = Receiver::start(Speaks::Http, |_| answer("200 OK", "", APPROVE)).await;
    let port = receiver.url("http").rsplit(':').next().unwrap().trim_end_matches("/hook").to_owned();
    let known = names().with("inside.test", &["10.0.0.7"]).with("mixed.test", &["93.184.216.34", "127.0.0.1"]);
    for (environment, url) in [
        (Production, receiver.url("http")),
        (Production, format!("https://127.0.0.1:{port}/hook")),
        (Production, "https://inside.test/".to_owned()),
        (Production, format!("https://mixed.test:{port}/")),
        (Sandbox, format!("http://10.0.0.7:{port}/")),
        (Sandbox, "http://inside.test/".to_owned()),
        (Sandbox, "http://169.254.169.254/latest/meta-data".to_owned()),
    ] {
        let refused = decisions(environment, &known).ask(request(&url, 500)).await;
        assert_eq!(refused, Err(NoDecision::Send(SendError::TargetNotAllowed)), "{url}");
    }
    assert_eq!(receiver.connections(), 0);
    let unknown = decisions(Sandbox, &known).ask(request("http://nowhere.test/", 500)).await;
    assert_eq!(unknown, Err(NoDecision::Send(SendError::DnsFailed)));
}

#[tokio::test]
async fn every_failure_to_decide_has_its_reason() {
    let target = Receiver::start(Speaks::Http, |_| answer("200 OK", "", APPROVE)).await;
    let location = format!("Location: {}\r\n", target.url("http"));
    for status in ["301 Moved", "302 Found", "307 Moved", "402 Pay", "404 No", "500 No"] {
        assert_eq!(
            reply(Speaks::Http, answer(status, &location, APPROVE)).await,
            Err(NoDecision::BadStatus),
            "{status}"
        );
    }
    assert_eq!(target.connections(), 0, "redirects are not followed");
    assert_eq!(reply(Speaks::Http, answer("200 OK", "", "yes")).await, Err(NoDecision::BadReply));
    assert_eq!(reply(Speaks::Http, answer("204 No Content", "", "")).await, Err(NoDecision::BadReply));
    assert_eq!(reply(Speaks::Http, answer("201 Created", "", APPROVE)).await, Ok(DecisionReply::Approve));
    assert_eq!(reply(Speaks::Garbage, Vec::new()).await, Err(NoDecision::Send(SendError::InvalidResponse)));
    assert_eq!(reply(Speaks::Goodbye, Vec::new()).await, Err(NoDecision::Send(SendError::ConnectionFailed)));
    let cut = format!("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{APPROVE}").into_bytes();
    let receiver = Receiver::start(Speaks::HttpOnce, move |_| cut.clone()).await;
    let ended = decisions(Sandbox, &names()).ask(request(&receiver.url("http"), 500)).await;
    assert_eq!(ended, Err(NoDecision::EndedEarly));
}

#[tokio::test]
async fn replies_are_bounded_in_time_and_size() {
    for (speaks, expected) in [
        (Speaks::Nothing, NoDecision::Send(SendError::Timeout)),
        (Speaks::DrippingHead, NoDecision::Send(SendError::Timeout)),
        (Speaks::DrippingBody, NoDecision::Send(SendError::Timeout)),
        (Speaks::EndlessBody, NoDecision::TooLarge),
    ] {
        let began = Instant::now();
        assert_eq!(reply(speaks, Vec::new()).await, Err(expected), "{speaks:?}");
        assert!(began.elapsed() < Duration::from_secs(2), "{speaks:?}");
    }
    let began = Instant::now();
    assert!(reply(Speaks::EndlessHead, Vec::new()).await.is_err());
    assert!(began.elapsed() < Duration::from_secs(2));
    let padded = |size: usize| answer("200 OK", "", &format!("{APPROVE}{}", " ".repeat(size - APPROVE.len())));
    assert_eq!(reply(Speaks::Http, padded(16 * 1024)).await, Ok(DecisionReply::Approve));
    assert_eq!(reply(Speaks::Http, padded(16 * 1024 + 1)).await, Err(NoDecision::TooLarge));
}

/// An account with an endpoint that hangs uses up only its own places, so questions of other accounts are still sent.
#[tokio::test]
async fn one_account_leaves_places_for_others() {
    let hanging = Receiver::start(Speaks::Nothing, |_| Vec::new()).await;
    let good = Receiver::start(Speaks::Http, |_| answer("200 OK", "", APPROVE)).await;
    let decisions = Arc::new(decisions(Sandbox, &names()));
    let asked = request(&hanging.url("http"), 1_000);
    let waiting: Vec<_> = (0..64)
        .map(|_| {
            let (decisions, asked) = (Arc::clone(&decisions), asked.clone());
            tokio::spawn(async move { decisions.ask(asked).await })
        })
        .collect();
    while hanging.connections() < 64 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let began = Instant::now();
    assert_eq!(decisions.ask(asked.clone()).await, Err(NoDecision::TooMany));
    let mut other = request(&good.url("http"), 1_000);
    let mut question = (*other.question).clone();
    question.message.account = florin_domain::ids::AccountId::parse("OTHER").unwrap();
    other.question = Arc::new(question);
    assert_eq!(decisions.ask(other).await, Ok(DecisionReply::Approve));
    assert!(began.elapsed() < Duration::from_millis(900), "neither waits for the others");
    for waited in waiting {
        assert_eq!(waited.await.unwrap(), Err(NoDecision::Send(SendError::Timeout)));
    }
    assert_eq!(decisions.ask(request(&good.url("http"), 1_000)).await, Ok(DecisionReply::Approve));
}

/// A resolver that keeps its thread busy.
struct Busy(Mutex<mpsc::Receiver<()>>);

#[async_trait]
impl NameLookup for Busy {
    async fn lookup(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        self.0.lock().unwrap().recv().map_err(|_| io::ErrorKind::NotFound)?;
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn the_time_limit_includes_the_wait_for_the_thread_that_sends() {
    let (free_the_thread, busy) = mpsc::channel::<()>();
    let decisions = decisions_with(Sandbox, Arc::new(Busy(Mutex::new(busy))));
    let receiver = Receiver::start(Speaks::Http, |_| answer("200 OK", "", APPROVE)).await;
    let (named, literal) = (request("http://receiver.example/hook", 100), request(&receiver.url("http"), 100));
    let late = Err(NoDecision::Send(SendError::Timeout));
    assert_eq!(tokio::join!(decisions.ask(named), decisions.ask(literal)), (late, late));
    drop(free_the_thread);
}
