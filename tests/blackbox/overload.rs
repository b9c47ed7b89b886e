//! More at once than the server is told to bear: it says so at once, and goes on.

use std::time::{Duration, Instant};

use crate::support::http::Wire;
use crate::support::server::LIMIT;
use crate::support::{AUTHORIZATION, Answer, BANKS, CREDIT, Home, Server, demo, expect_fault, expect_json};

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

/// A server with room for one request, and the one that fills it; and what others are told meanwhile.
fn full() -> (Server, Wire, Answer) {
    let server = Server::on(Home::demo().set("FLORIN_MAX_IN_FLIGHT", "1"));
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        let held = begun(&server, 2);
        for _ in 0..20 {
            let answer = server.client().get(BANKS);
            if answer.status != 200 {
                return (server, held, answer);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // It was refused itself: it came while another one was asked.
    }
    panic!("no request was refused");
}

#[test]
fn so_many_requests_at_once_and_no_more() {
    let (server, mut held, refused) = full();
    let client = server.client();
    for answer in [&refused, &client.get(BANKS), &client.post(AUTHORIZATION, "{}")] {
        let fault = expect_fault(answer, 503, "", "overloaded");
        assert_eq!(answer.header("retry-after"), Some("1"), "{answer:?}");
        assert!(fault.message.contains("server overloaded"), "{fault:?}");
        assert!(answer.header("x-request-id").is_some(), "{answer:?}");
    }
    // Who watches the server must not take it for dead.
    for path in ["/healthz?", "/readyz?"] {
        expect_json(&client.with_authorization(None).get(path), 200);
    }
    held.send(b"{}");
    assert_eq!(held.read(false).unwrap().status, 400);
    expect_json(&client.get(BANKS), 200);
}

/// A refusal comes before the body is read. A body that is there already does not cost the connection.
#[test]
fn a_refused_caller_keeps_its_connection() {
    let (server, _held, _) = full();
    let mut wire = Wire::open(&server.address);
    for _ in 0..3 {
        wire.send(b"POST /v2/mfa/sessions HTTP/1.1\r\nHost: florin\r\nContent-Length: 2\r\n\r\n{}");
        assert_eq!(wire.read(false).unwrap().status, 503);
    }
}
