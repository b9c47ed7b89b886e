//! Tests of lookups through the sender: name servers that do not respond delay the requests of their client only.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "the tests of the sender use the rest")]
mod support;

use async_trait::async_trait;
use florin_domain::access::Environment::Sandbox;
use florin_domain::ids::ClientId;
use florin_domain::webhook::{AttemptOutcome, TargetPolicy};
use florin_ports::{WebhookRequest, WebhookSender};
use florin_webhook_http::{HttpWebhookSender, NameLookup, SenderSettings, TrustedRoots};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Receiver, Speaks, answer, request, secrets};
use tokio::task::JoinSet;

/// The lookups of one client that are concurrent.
const OF_CLIENT_MAX: usize = 32;

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

#[tokio::test]
async fn silent_name_servers_delay_their_client_only() {
    let receiver = Receiver::start(Speaks::Http, |_| answer("200 OK", "", "")).await;
    let names = Arc::new(Silent::default());
    let settings = SenderSettings {
        policy: TargetPolicy::new(Sandbox, Vec::new()),
        names: names.clone(),
        roots: TrustedRoots::Given(Vec::new()),
        time_limit: Duration::from_secs(30),
    };
    let sender = Arc::new(HttpWebhookSender::new(settings).unwrap());
    let url = |host: &str| receiver.url("http").replace("127.0.0.1", host);
    let send = |host: &str, client: u128| {
        let client = Some(ClientId(uuid::Uuid::from_u128(client)));
        let (sender, request) =
            (Arc::clone(&sender), WebhookRequest { client, ..request(&url(host), &secrets(), "{}") });
        async move { sender.send(request).await }
    };
    let mut stuck = JoinSet::<AttemptOutcome>::new();
    for number in 0..2 * OF_CLIENT_MAX {
        // Two requests for each name, which have one lookup.
        stuck.spawn(send(&format!("{number}.test"), 1));
        stuck.spawn(send(&format!("{number}.test"), 1));
    }
    let start = Instant::now();
    while names.0.load(Ordering::SeqCst) < OF_CLIENT_MAX {
        assert!(start.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(send("answers.test", 2).await.response, Ok(200));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(names.0.load(Ordering::SeqCst), OF_CLIENT_MAX);
}
