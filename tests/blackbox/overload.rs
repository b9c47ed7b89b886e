//! More at once than the server is told to bear: it says so at once, and goes on.

use std::time::Instant;

use crate::support::http::Wire;
use crate::support::server::LIMIT;
use crate::support::{AUTHORIZATION, BANKS, CREDIT, Home, Server, demo, expect_fault, expect_json};

/// The head of a request whose body does not come yet.
fn begun(server: &Server, length: usize) -> Wire {
    let mut wire = Wire::open(&server.address);
    let (account, key) = (&demo().account, &demo().api_key);
    let head = format!(
        "POST {CREDIT}?accountId={account} HTTP/1.1\r\nHost: florin\r\nAuthorization: ApiKey {key}\r\n\
        Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    wire.send(head.as_bytes());
    wire
}

#[test]
fn so_many_requests_at_once_and_no_more() {
    let server = Server::on(Home::demo().set("FLORIN_MAX_IN_FLIGHT", "2"));
    let client = server.client();
    let mut held = [begun(&server, 2), begun(&server, 2)];
    let start = Instant::now();
    let mut refused = client.get(BANKS);
    while refused.status == 200 && start.elapsed() < LIMIT {
        refused = client.get(BANKS);
    }
    for answer in [&refused, &client.get(BANKS), &client.post(AUTHORIZATION, "{}")] {
        let fault = expect_fault(answer, 503, "", "overloaded");
        assert_eq!(answer.header("retry-after"), Some("1"), "{answer:?}");
        assert!(fault.message.contains("Too much to do"), "{fault:?}");
        assert!(answer.header("x-request-id").is_some(), "{answer:?}");
    }
    // Who watches the server must not take it for dead.
    for path in ["/healthz?", "/readyz?"] {
        expect_json(&client.with_authorization(None).get(path), 200);
    }
    for wire in &mut held {
        wire.send(b"{}");
        assert_eq!(wire.read(false).unwrap().status, 400);
    }
    expect_json(&client.get(BANKS), 200);
}

/// A refusal comes before the body is read; the connection goes on all the same.
#[test]
fn a_refused_caller_keeps_its_connection() {
    let server = Server::on(Home::demo().set("FLORIN_MAX_IN_FLIGHT", "1"));
    let mut held = begun(&server, 2);
    let start = Instant::now();
    while server.client().get(BANKS).status == 200 && start.elapsed() < LIMIT {}
    let mut refused = begun(&server, 2);
    refused.send(b"{}");
    assert_eq!(refused.read(false).unwrap().status, 503);
    held.send(b"{}");
    assert_eq!(held.read(false).unwrap().status, 400);
    let again = "GET /healthz HTTP/1.1\r\nHost: florin\r\n\r\n";
    refused.send(again.as_bytes());
    assert_eq!(refused.read(false).unwrap().status, 200);
}
