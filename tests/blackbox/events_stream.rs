//! `GET /v2/events/stream`: order, resuming, limits and the end of a stream.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::events::{assert_no_gaps, events, name};
use crate::support::assert::{text, uuid};
use crate::support::management::funded;
use crate::support::payments::fresh_sandbox;
use crate::support::receiver::{Receiver, webhook_path};
use crate::support::server::MAX_WAIT;
use crate::support::stream::{Received, STREAM, Stream};
use crate::support::{AUTHORIZATION, Client, INCREMENT, Wallet, expect_fault, expect_json};

#[test]
fn a_stream_sends_what_the_list_shows() {
    let (_server, client) = fresh_sandbox();
    funded(&client, "Before", "1.00");
    let mut stream = Stream::open(&client, "", None);
    let mut of_type = Stream::open(&client, "types=BoxDebited", None);
    funded(&client, "One", "1.00");
    funded(&client, "Two", "2.00");
    let received: Vec<_> = (0..2).map(|_| stream.next(MAX_WAIT).unwrap()).collect();
    let listed = events(&client, "").split_off(1);
    for (received, listed) in received.iter().zip(&listed) {
        assert_eq!((&received.body, &received.id), (listed, &uuid(&listed["messageId"])));
        assert_eq!(received.kind, name(listed));
    }
    assert_eq!(stream.next(Duration::from_millis(300)), None);
    assert_eq!(of_type.next(Duration::from_millis(300)), None);
    let mut resumed = Stream::open(&client, "", Some(&received[0].id));
    assert_eq!(resumed.next(MAX_WAIT).as_ref(), Some(&received[1]));
    assert_eq!(resumed.next(Duration::from_millis(300)), None);
}

/// Redeliveries have their own ids, and a stream resumes after each of them.
#[test]
fn a_stream_can_contain_redeliveries() {
    let (server, client) = fresh_sandbox();
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "BoxCredited", &json!({}));
    funded(&client, "One", "1.00");
    funded(&client, "Two", "2.00");
    receiver.wait_for(2);
    let listed = events(&client, "types=BoxCredited");
    let (one, two) = (text(&listed[0], "/messageId"), text(&listed[1], "/messageId"));
    let mut stream = Stream::open(&client, "redeliveries=true&types=BoxCredited", Some(one));
    let mut plain = Stream::open(&client, "types=BoxCredited", Some(one));
    let mut of_others = Stream::open(&client, "redeliveries=true&types=BoxDebited", Some(one));
    assert_eq!(stream.next(MAX_WAIT).unwrap().id, two);
    for message in [one, two, one] {
        let path = webhook_path(&webhook, &format!("/deliveries/{message}/redeliver"));
        expect_json(&client.post(&path, ""), 202);
    }
    funded(&client, "Three", "3.00");
    let again: Vec<_> = (0..3).map(|_| stream.next(MAX_WAIT).unwrap()).collect();
    for (received, expected) in again.iter().zip([&listed[0], &listed[1], &listed[0]]) {
        assert_eq!((&received.body, received.kind.as_str()), (expected, "BoxCredited"));
        assert!(![one, two].contains(&received.id.as_str()), "{}", received.id);
    }
    let three = stream.next(MAX_WAIT).unwrap();
    assert_eq!(three.id, text(&three.body, "/messageId"));
    assert_eq!(stream.next(Duration::from_millis(300)), None);
    // A stream that resumes after each of these ids misses and repeats nothing. A stream without redeliveries resumes
    // there, too.
    let mut rest = [&again[..], std::slice::from_ref(&three)].concat();
    while !rest.is_empty() {
        let last = rest.remove(0);
        let mut resumed = Stream::open(&client, "redeliveries=true&types=BoxCredited", Some(&last.id));
        for expected in &rest {
            assert_eq!(resumed.next(MAX_WAIT).as_ref(), Some(expected));
        }
        assert_eq!(resumed.next(Duration::from_millis(300)), None);
    }
    let mut resumed = Stream::open(&client, "", Some(&again[0].id));
    assert_eq!(resumed.next(MAX_WAIT), Some(three.clone()));
    assert_eq!([plain.next(MAX_WAIT).unwrap().id.as_str(), &plain.next(MAX_WAIT).unwrap().id], [two, &three.id]);
    assert_eq!((plain.next(Duration::from_millis(300)), of_others.next(Duration::from_millis(300))), (None, None));
    let foreign = server.other().call("GET", STREAM).header("Last-Event-ID", &again[0].id).send();
    expect_fault(&foreign, 400, "header.Last-Event-ID", "invalid_value");
    // The list has each event once.
    assert_eq!(events(&client, "types=BoxCredited").len(), 3);
}

#[test]
fn an_unknown_last_event_is_refused() {
    let (server, client) = fresh_sandbox();
    let call = |id: &str| client.call("GET", STREAM).header("Last-Event-ID", id).send();
    expect_fault(&call("0198c0de-0000-7000-8000-000000000001"), 400, "header.Last-Event-ID", "invalid_value");
    expect_fault(&call("yesterday"), 400, "header.Last-Event-ID", "invalid_format");
    funded(&client, "One", "1.00");
    let id = uuid(&events(&client, "")[0]["messageId"]);
    let foreign = server.other().call("GET", STREAM).header("Last-Event-ID", &id).send();
    expect_fault(&foreign, 400, "header.Last-Event-ID", "invalid_value");
    expect_fault(&server.limited().get(STREAM), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn a_client_can_have_eight_streams() {
    let (_server, client) = fresh_sandbox();
    let mut open: Vec<_> = (0..8).map(|_| Stream::open(&client, "", None)).collect();
    expect_fault(&client.get(STREAM), 429, "", "rate_limited");
    open.pop();
    // The server notices the closed connection when it next sends something.
    let began = Instant::now();
    while Stream::try_open(&client, "", None).1 != 200 {
        funded(&client, "One", "1.00");
        assert!(began.elapsed() < MAX_WAIT);
    }
}

#[test]
fn a_stream_ends_when_the_server_stops() {
    let (server, client) = fresh_sandbox();
    let mut stream = Stream::open(&client, "", None);
    let (status, _workspace) = server.stop();
    assert!(status.success());
    let mut rest = Vec::new();
    stream.0.read_to_end(&mut rest).unwrap();
    assert!(rest.ends_with(b"0\r\n\r\n"), "{}", String::from_utf8_lossy(&rest));
}

/// The server sends a comment every 15 seconds on a stream without events. Within this time, it ends a stream whose key
/// was revoked.
#[test]
fn a_silent_stream_is_kept_alive_and_ends_with_its_key() {
    let (server, client) = fresh_sandbox();
    let owner = Receiver::start().subscribe(&client, "BoxCredited", &json!({}))["productId"].clone();
    let issue = ["keys", "issue", "--client", owner.as_str().unwrap(), "--all-scopes", "--json"];
    let issued = server.workspace().json(&issue);
    let other = server.client_of(text(&issued, "/key"), &client.account);
    let (mut valid, mut revoked) = (Stream::open(&client, "", None), Stream::open(&other, "", None));
    assert!(server.workspace().run(&["keys", "revoke", text(&issued, "/id")]).status.success());
    while valid.line(MAX_WAIT).expect("a comment") != ": keep-alive" {}
    assert!(revoked.ends());
    funded(&client, "One", "1.00");
    assert_eq!(valid.next(MAX_WAIT).expect("an event").kind, "BoxCredited");
}

/// Reads until all events are written and read, and reconnects after every 23 events.
fn read_with_reconnects(client: &Client, first: Stream, is_over: &AtomicBool) -> Vec<Received> {
    let (mut stream, mut seen) = (first, Vec::<Received>::new());
    loop {
        let was_over = is_over.load(Ordering::Relaxed);
        match stream.next(Duration::from_millis(500)) {
            Some(received) => {
                seen.push(received);
                if seen.len() % 23 == 0 {
                    stream = Stream::open(client, "", seen.last().map(|last| last.id.as_str()));
                }
            }
            None if was_over => return seen,
            None => {}
        }
    }
}

#[test]
fn a_reader_that_reconnects_sees_every_event_once_in_order() {
    let (server, _) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 10_000_000);
    let before = events(&wallet.client, "").len();
    let chains: Vec<_> = (0..4).map(|_| wallet.token(AUTHORIZATION, "100")).collect();
    let last = text(&events(&wallet.client, "")[before + 3], "/messageId").to_owned();
    let is_over = AtomicBool::new(false);
    let seen = thread::scope(|scope| {
        let first = Stream::open(&wallet.client, "", Some(&last));
        let reader = scope.spawn(|| read_with_reconnects(&wallet.client, first, &is_over));
        let writers: Vec<_> = (0..8)
            .map(|number| {
                let (wallet, chain) = (&wallet, &chains[number % 4]);
                scope.spawn(move || {
                    for _ in 0..12 {
                        wallet.token(AUTHORIZATION, "1");
                        wallet.follow_ok(INCREMENT, chain, "1");
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    let listed = events(&wallet.client, "");
    assert_no_gaps(&listed);
    let bodies: Vec<_> = seen.into_iter().map(|received| received.body).collect();
    assert_eq!(bodies.len(), 8 * 24);
    assert_eq!(bodies, listed[before + 4..]);
}
