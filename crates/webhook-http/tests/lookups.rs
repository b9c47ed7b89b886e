//! Tests of lookups: name servers that do not respond delay the requests of their client only.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "the tests of the sender use the rest")]
mod support;

use async_trait::async_trait;
use florin_domain::access::Environment::Sandbox;
use florin_domain::card::{DecisionReply, NoDecision};
use florin_domain::checkout::{CheckoutSession, OfferedRates};
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::webhook::{AttemptOutcome, TargetPolicy};
use florin_ports::{
    DecisionAsker, DecisionRequest, ShippingRates, ShippingRatesUnavailable, WebhookRequest, WebhookSender,
};
use florin_webhook_http::{
    HttpDecisions, HttpShippingRates, HttpWebhookSender, NameLookup, SenderSettings, TrustedRoots,
};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Receiver, Speaks, answer, question, request, secrets, session};
use tokio::task::JoinSet;

/// Maximum number of concurrent lookups of one client for deliveries.
const FOR_DELIVERIES_MAX: usize = 32;
/// Maximum number of concurrent lookups of one client for requests that a card message or a payer waits for.
const WHILE_WAITING_MAX: usize = 8;
/// The time limit of requests. It is longer than the tests.
const LONG: Duration = Duration::from_secs(30);

/// A resolver that never responds, except for one name.
#[derive(Default)]
struct Silent(AtomicUsize);

#[async_trait]
impl NameLookup for Silent {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        if name == "answers.test" {
            return Ok(vec![[127, 0, 0, 1].into()]);
        }
        self.0.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }
}

impl Silent {
    fn begun(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// Waits until this number of lookups have begun.
    async fn reach(&self, count: usize) {
        let start = Instant::now();
        while self.begun() < count {
            assert!(start.elapsed() < Duration::from_secs(20), "{} of {count} lookups", self.begun());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Checks that no more lookups than these begin.
    async fn stay_at(&self, count: usize) {
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(self.begun(), count);
    }
}

fn settings(names: &Arc<Silent>) -> SenderSettings {
    SenderSettings {
        policy: TargetPolicy::new(Sandbox, Vec::new()),
        names: names.clone(),
        roots: TrustedRoots::Given(Vec::new()),
        time_limit: LONG,
    }
}

const fn client(number: u128) -> ClientId {
    ClientId(uuid::Uuid::from_u128(number))
}

#[tokio::test]
async fn silent_name_servers_delay_deliveries_of_their_client_only() {
    let receiver = Receiver::start(Speaks::Http, |_| answer("200 OK", "", "")).await;
    let names = Arc::new(Silent::default());
    let sender = Arc::new(HttpWebhookSender::new(settings(&names)).unwrap());
    let url = |host: &str| receiver.url("http").replace("127.0.0.1", host);
    let send = |host: &str, number: u128| {
        let client = Some(client(number));
        let (sender, request) =
            (Arc::clone(&sender), WebhookRequest { client, ..request(&url(host), &secrets(), "{}") });
        async move { sender.send(request).await }
    };
    let mut stuck = JoinSet::<AttemptOutcome>::new();
    for number in 0..2 * FOR_DELIVERIES_MAX {
        // Two requests for each name, which have one lookup.
        stuck.spawn(send(&format!("{number}.test"), 1));
        stuck.spawn(send(&format!("{number}.test"), 1));
    }
    names.reach(FOR_DELIVERIES_MAX).await;
    assert_eq!(send("answers.test", 2).await.response, Ok(200));
    names.stay_at(FOR_DELIVERIES_MAX).await;
}

#[tokio::test]
async fn silent_name_servers_delay_decisions_of_their_client_only() {
    let receiver = Receiver::start(Speaks::Http, |_| answer("200 OK", "", r#"{"decision": "APPROVE"}"#)).await;
    let names = Arc::new(Silent::default());
    let decisions = Arc::new(HttpDecisions::new(settings(&names)).unwrap());
    let ask = |host: &str, number: u128| {
        let url = receiver.url("http").replace("127.0.0.1", host);
        let request = DecisionRequest { client: client(number), ..question(&url, LONG) };
        let decisions = Arc::clone(&decisions);
        async move { decisions.ask(request).await }
    };
    let mut stuck = JoinSet::<Result<DecisionReply, NoDecision>>::new();
    for number in 0..2 * WHILE_WAITING_MAX {
        stuck.spawn(ask(&format!("{number}.test"), 1));
    }
    names.reach(WHILE_WAITING_MAX).await;
    assert_eq!(ask("answers.test", 2).await, Ok(DecisionReply::Approve));
    names.stay_at(WHILE_WAITING_MAX).await;
}

#[tokio::test]
async fn silent_name_servers_delay_shipping_rates_of_their_client_only() {
    let rate = r#"[{"description": "Post", "amount": "1.00", "serviceCode": "a"}]"#;
    let receiver = Receiver::start(Speaks::Http, move |_| answer("200 OK", "", rate)).await;
    let names = Arc::new(Silent::default());
    let rates = Arc::new(HttpShippingRates::new(settings(&names)).unwrap());
    let load = |host: &str, account: &str, number: u128| {
        let url = receiver.url("http").replace("127.0.0.1", host);
        let session = CheckoutSession { account: AccountId::parse(account).unwrap(), ..session(&url) };
        let rates = Arc::clone(&rates);
        async move { rates.load(client(number), &session).await }
    };
    let mut stuck = JoinSet::<Result<OfferedRates, ShippingRatesUnavailable>>::new();
    for number in 0..2 * WHILE_WAITING_MAX {
        // Each account has a limit of its own on its requests.
        stuck.spawn(load(&format!("{number}.test"), &format!("MINE{number}"), 1));
    }
    names.reach(WHILE_WAITING_MAX).await;
    assert_eq!(load("answers.test", "OTHER", 2).await.unwrap().all().len(), 1);
    names.stay_at(WHILE_WAITING_MAX).await;
}
