//! SIGTERM: running requests finish, later ones are not accepted, and the process exits with 0.

use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::assert::text;
use crate::support::http::{Connection, head_of};
use crate::support::server::MAX_WAIT;
use crate::support::wallet::transaction;
use crate::support::{AUTHORIZATION, BANKS, REVERSAL, Server, Wallet, Workspace, demo, expect_error, expect_json};

#[test]
fn an_idle_server_ends_with_exit_code_0() {
    let server = Server::sandbox();
    expect_json(&server.client().get(BANKS), 200);
    let address = server.address.clone();
    let (status, _workspace) = server.stop();
    assert_eq!(status.code(), Some(0));
    assert!(TcpStream::connect(address).is_err(), "something still listens");
}

#[test]
fn stdout_has_only_one_line() {
    let server = Server::sandbox();
    expect_json(&server.client().get(BANKS), 200);
    server.client().get("/v2/nothing");
    server.signal_term();
    assert_eq!(server.printed(MAX_WAIT), None);
    let (status, workspace) = server.ended();
    assert_eq!(status.code(), Some(0));
    assert!(!workspace.log().contains("panicked at"), "{}", workspace.log());
}

#[test]
fn readiness_ends_before_the_server_stops() {
    let server = Server::on(Workspace::demo().set("FLORIN_DRAIN_SECONDS", "6"));
    let client = server.client().with_authorization(None);
    assert_eq!(client.get("/readyz?").status, 200);
    server.signal_term();
    let start = Instant::now();
    while client.get("/readyz?").status == 200 && start.elapsed() < MAX_WAIT {
        thread::sleep(Duration::from_millis(10));
    }
    // This uses a new connection, like a load balancer that has not noticed the shutdown yet.
    drop(client);
    let client = server.client();
    expect_error(&client.with_authorization(None).get("/readyz?"), 503);
    expect_json(&server.client().get(BANKS), 200);
    let (status, _workspace) = server.ended();
    assert_eq!(status.code(), Some(0));
}

/// A request in progress does not delay the end of deliveries: both end side by side.
#[test]
fn deliveries_end_while_a_request_is_in_progress() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let body = wallet.first_body("10.00");
    let (mut connection, rest) = half_sent(&server, &body);
    server.signal_term();
    let start = Instant::now();
    while !server.workspace().log().contains("starting no more deliveries") {
        assert!(start.elapsed() < MAX_WAIT, "deliveries wait for the request");
        thread::sleep(Duration::from_millis(10));
    }
    connection.send(rest.as_bytes());
    transaction(&connection.read(false).expect("the request in progress was dropped"));
    drop(connection);
    assert_eq!(server.ended().0.code(), Some(0));
}

/// Sends the head and the first half of the body of an authorization. Returns the connection and the rest of the body.
fn half_sent<'a>(server: &Server, body: &'a str) -> (Connection, &'a str) {
    let target = format!("POST {AUTHORIZATION}?accountId={}", demo().account);
    let authorization = format!("ApiKey {}", demo().api_key);
    let length = body.len().to_string();
    let headers =
        [("Authorization", authorization.as_str()), ("Content-Type", "application/json"), ("Content-Length", &length)];
    let mut connection = Connection::open(&server.address);
    connection.send(head_of(&server.address, &target, &headers).as_bytes());
    let (first, rest) = body.split_at(body.len() / 2);
    connection.send(first.as_bytes());
    thread::sleep(Duration::from_millis(300));
    (connection, rest)
}

#[test]
fn a_request_whose_body_is_still_coming_is_finished() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let body = wallet.first_body("10.00");
    let (mut connection, rest) = half_sent(&server, &body);
    server.signal_term();
    thread::sleep(Duration::from_millis(300));
    connection.send(rest.as_bytes());
    let answer = connection.read(false).expect("the request that had begun was dropped");
    let approved = transaction(&answer);
    assert_eq!(text(&approved, "/gpa/availableBalance"), "240.00");
    drop(connection);
    let (status, workspace) = server.ended();
    assert_eq!(status.code(), Some(0));

    let server = Server::on(workspace);
    let wallet = Wallet { client: server.client(), ..wallet };
    let reversal = wallet.follow_ok(REVERSAL, text(&approved, "/token"), "10");
    assert_eq!(text(&reversal, "/gpa/availableBalance"), "250.00");
}

#[test]
fn under_load_every_answered_effect_is_stored() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 10_000_000);
    let approved = AtomicUsize::new(0);
    let (status, workspace) = thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                loop {
                    let call = wallet.client.call("POST", AUTHORIZATION).json(wallet.first_body("1.00"));
                    match call.try_send() {
                        Ok(answer) if answer.status == 201 => approved.fetch_add(1, Ordering::Relaxed),
                        Ok(answer) => break assert_eq!(answer.status, 503, "{answer:?}"),
                        Err(_) => break,
                    };
                }
            });
        }
        let start = Instant::now();
        while approved.load(Ordering::Relaxed) < 100 && start.elapsed() < MAX_WAIT {
            thread::sleep(Duration::from_millis(1));
        }
        server.stop()
    });
    assert_eq!(status.code(), Some(0));
    let server = Server::on(workspace);
    let wallet = Wallet { client: server.client(), ..wallet };
    let charged = 10_000_000 - wallet.balance().available;
    let answered = i64::try_from(approved.into_inner()).unwrap() * 100;
    assert!(answered >= 10_000, "too little load");
    assert_eq!(charged, answered, "the stored effects are not exactly those of the answered requests");
}

#[test]
fn idle_connections_do_not_delay_the_shutdown() {
    let server = Server::sandbox();
    let mut silent: Vec<_> = (0..5).map(|_| Connection::open(&server.address)).collect();
    for connection in silent.iter_mut().take(2) {
        let target = format!("GET {BANKS}?accountId={} HTTP/1.1\r\nHost: x\r\n", demo().account);
        connection.send(format!("{target}Authorization: {}\r\n\r\n", demo().api_key).as_bytes());
        expect_json(&connection.read(false).unwrap(), 200);
    }
    let (status, _workspace) = server.stop();
    assert_eq!(status.code(), Some(0));
}
