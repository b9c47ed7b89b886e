//! More concurrent requests than the server allows: it refuses excess requests immediately, and continues to work.

use std::time::{Duration, Instant};

use crate::support::http::Connection;
use crate::support::server::MAX_WAIT;
use crate::support::{AUTHORIZATION, Answer, BANKS, CREDIT, Server, Workspace, demo, expect_fault, expect_json};

/// Sends the head of a request, without its body.
fn begin_request(server: &Server, length: usize) -> Connection {
    let mut connection = Connection::open(&server.address);
    let (account, key) = (&demo().account, &demo().api_key);
    let head = format!(
        "POST {CREDIT}?accountId={account} HTTP/1.1\r\nHost: florin\r\nAuthorization: ApiKey {key}\r\n\
        Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    connection.send(head.as_bytes());
    connection
}

/// Starts a server that allows one request at a time. Returns the server, a connection that occupies it, and the
/// refusal of another request.
fn occupied_server() -> (Server, Connection, Answer) {
    let server = Server::on(Workspace::demo().set("FLORIN_MAX_IN_FLIGHT", "1"));
    let start = Instant::now();
    while start.elapsed() < MAX_WAIT {
        let held = begin_request(&server, 2);
        for _ in 0..20 {
            let answer = server.client().get(BANKS);
            if answer.status != 200 {
                return (server, held, answer);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // The request that should occupy the server was itself refused, because another one was running. Try again.
    }
    panic!("no request was refused");
}

#[test]
fn excess_requests_are_refused() {
    let (server, mut held, refused) = occupied_server();
    let client = server.client();
    for answer in [&refused, &client.get(BANKS), &client.post(AUTHORIZATION, "{}")] {
        let fault = expect_fault(answer, 503, "", "overloaded");
        assert_eq!(answer.header("retry-after"), Some("1"), "{answer:?}");
        assert!(fault.message.contains("server overloaded"), "{fault:?}");
        assert!(answer.header("x-request-id").is_some(), "{answer:?}");
    }
    // Health checks must still succeed.
    for path in ["/healthz?", "/readyz?"] {
        expect_json(&client.with_authorization(None).get(path), 200);
    }
    held.send(b"{}");
    assert_eq!(held.read(false).unwrap().status, 400);
    expect_json(&client.get(BANKS), 200);
}

/// A refusal is sent before the body is read. A body that has already arrived does not close the connection.
#[test]
fn a_refused_caller_keeps_its_connection() {
    let (server, _held, _) = occupied_server();
    let mut connection = Connection::open(&server.address);
    for _ in 0..3 {
        connection.send(b"POST /v2/mfa/sessions HTTP/1.1\r\nHost: florin\r\nContent-Length: 2\r\n\r\n{}");
        assert_eq!(connection.read(false).unwrap().status, 503);
    }
}
