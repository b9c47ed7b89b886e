//! Callers without a key who try to exhaust the server's memory and connections.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use socket2::{Domain, Socket, Type};

use crate::support::http::{Connection, exchange};
use crate::support::server::MAX_WAIT;
use crate::support::{Answer, BANKS, CREDIT, Server, Workspace, demo, expect_fault, expect_json};

/// Sends `request` repeatedly, until nothing is accepted for half a second. The answers are never read. Returns the
/// open connections, each with the place in the repeated text from which it would continue.
fn flood(address: &str, connections: usize, request: &[u8]) -> Vec<(TcpStream, usize)> {
    let many = request.repeat(4096);
    let mut streams: Vec<_> = (0..connections).map(|_| (TcpStream::connect(address).unwrap(), 0)).collect();
    for (stream, _) in &streams {
        stream.set_nonblocking(true).unwrap();
    }
    let (start, mut accepted) = (Instant::now(), Instant::now());
    while accepted.elapsed() < Duration::from_millis(500) && start.elapsed() < Duration::from_secs(10) {
        for (stream, sent) in &mut streams {
            if let Ok(count) = stream.write(&many[*sent..]) {
                *sent = (*sent + count) % many.len();
                accepted = Instant::now();
            }
        }
    }
    streams
}

#[test]
fn requests_whose_answers_are_never_read_take_little_memory() {
    let server = Server::on(Workspace::demo());
    let before = server.peak_memory();
    let streams = flood(&server.address, 100, b"GET /openapi.json HTTP/1.1\r\nHost:x\r\n\r\n");
    let grown = server.peak_memory() - before;
    expect_json(&server.client().with_authorization(None).get("/healthz?"), 200);
    drop(streams);
    assert!(grown < 150, "100 connections took {grown} MiB");
}

/// Sends a request from 127.0.0.2, a neighbour of the address that the other requests come from.
fn from_neighbour(server: &Server, target: &str) -> Answer {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 2], 0)).into()).unwrap();
    let address: SocketAddr = server.address.parse().unwrap();
    socket.connect_timeout(&address.into(), MAX_WAIT).unwrap();
    let mut connection = Connection::over(socket.into());
    let key = &demo().api_key;
    connection.send(format!("GET {target} HTTP/1.1\r\nHost: florin\r\nAuthorization: {key}\r\n\r\n").as_bytes());
    connection.read(false).unwrap()
}

/// Opens numbered connections. Each sends the bytes for its number, and then nothing.
fn open(address: &str, connections: usize, sends: fn(usize) -> &'static [u8]) -> Vec<TcpStream> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let open = |number| {
        let mut stream = TcpStream::connect(address).unwrap();
        let _refused_already = stream.write_all(sends(number));
        stream
    };
    (0..connections).map(open).collect()
}

/// Checks that callers from another address and operators are served.
fn assert_serves_others(server: &Server) {
    let banks = format!("{BANKS}?accountId={}", demo().account);
    for target in ["/healthz", "/readyz", &banks] {
        expect_json(&from_neighbour(server, target), 200);
    }
    let admin = server.banner["adminListen"].as_str().unwrap();
    for path in ["/healthz", "/readyz"] {
        expect_json(&exchange(admin, &format!("GET {path}"), &[], b""), 200);
    }
}

/// Whether a connection is open and nothing has arrived on it.
fn is_silent(mut stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    matches!(stream.read(&mut [0; 12]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

#[test]
fn slow_connections_of_one_address_keep_nobody_else_waiting() {
    let server = Server::on(Workspace::demo().set("FLORIN_METRICS", "true"));
    let streams = open(&server.address, 1200, |_| b"GET /healthz HTTP/1.1\r\n");
    assert_serves_others(&server);
    let refused = streams.iter().filter(|stream| !is_silent(stream)).count();
    assert!(refused >= 600, "excess connections must be refused, not queued: {refused}");
    let admin = server.banner["adminListen"].as_str().unwrap();
    let metrics = exchange(admin, "GET /metrics", &[], b"").text();
    assert!(metrics.contains("florin_connections_refused_total{limit=\"address\"}"), "{metrics}");
    assert!(server.workspace().log().contains("too many connections"));
    // The slow connections time out, because none sends the rest of its head.
    let start = Instant::now();
    let healthy = || TcpStream::connect(&server.address).is_ok_and(|stream| is_healthy(Connection::over(stream)));
    while !healthy() {
        assert!(start.elapsed() < MAX_WAIT, "slow connections are still open");
        thread::sleep(Duration::from_millis(100));
    }
}

/// Half of the connections send nothing at all. The other half send one request, and keep the connection.
#[test]
fn idle_connections_of_one_address_keep_nobody_else_waiting() {
    const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: florin\r\n\r\n";
    let server = Server::on(Workspace::demo());
    let streams = open(&server.address, 1200, |number| if number.is_multiple_of(2) { b"" } else { REQUEST });
    assert_serves_others(&server);
    let (mut answered, mut refused) = (0, 0);
    for mut stream in streams.iter().skip(1).step_by(2) {
        let mut status = [0; 12];
        stream.set_read_timeout(Some(MAX_WAIT)).unwrap();
        match stream.read_exact(&mut status) {
            Ok(()) if status.ends_with(b" 200") => answered += 1,
            Ok(()) if !status.ends_with(b" 503") => panic!("{}", String::from_utf8_lossy(&status)),
            // A refused connection may be reset before its response is read.
            _ => refused += 1,
        }
    }
    assert!(answered >= 200 && refused >= 200, "{answered} connections got an answer, and {refused} refused");
    // A connection that never sends a request is closed long before one that has sent one.
    let start = Instant::now();
    while streams.iter().step_by(2).any(is_silent) {
        assert!(start.elapsed() < MAX_WAIT, "silent connections are still open");
        thread::sleep(Duration::from_millis(100));
    }
    assert!(is_healthy(Connection::open(&server.address)));
}

fn is_healthy(mut connection: Connection) -> bool {
    connection.send(b"GET /healthz HTTP/1.1\r\nHost: florin\r\n\r\n");
    connection.read(false).is_ok_and(|answer| answer.status == 200)
}

#[test]
fn a_refused_connection_gets_an_error_body() {
    let server = Server::on(Workspace::demo().set("FLORIN_MAX_CONNECTIONS_PER_ADDRESS", "1"));
    let mut held = Connection::open(&server.address);
    held.send(b"GET /healthz HTTP/1.1\r\nHost: florin\r\n\r\n");
    assert_eq!(held.read(false).unwrap().status, 200);
    let mut refused = Connection::open(&server.address);
    let answer = refused.read(false).unwrap();
    expect_fault(&answer, 503, "", "overloaded");
    assert_eq!((answer.header("retry-after"), answer.header("connection")), (Some("1"), Some("close")));
    assert_eq!(from_neighbour(&server, "/healthz").status, 200);
    held.send(b"GET /healthz HTTP/1.1\r\nHost: florin\r\n\r\n");
    assert_eq!(held.read(false).unwrap().status, 200);
}

#[test]
fn a_later_head_has_a_deadline_too() {
    let server = Server::sandbox();
    let mut connection = Connection::open(&server.address);
    for _ in 0..2 {
        connection.send(b"GET /healthz HTTP/1.1\r\nHost: florin\r\n\r\n");
        assert_eq!(connection.read(false).unwrap().status, 200);
    }
    connection.send(b"GET /healthz HTTP/1.1\r\nHost:");
    assert!(connection.rest().is_empty());
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = Server::sandbox();
    let (account, key) = (&demo().account, &demo().api_key);
    let common = format!("?accountId={account} HTTP/1.1\r\nHost: florin\r\nAuthorization: {key}\r\n");
    let pair = |round: usize| {
        let body = "x".repeat(round * 101);
        let get = format!("GET {BANKS}{common}X-Request-Id: get-{round}\r\n\r\n");
        let head = format!("POST {CREDIT}{common}X-Request-Id: post-{round}\r\nContent-Type: application/json\r\n");
        format!("{get}{head}Content-Length: {}\r\n\r\n{body}", body.len())
    };
    let requests: String = (0..100).map(pair).collect();
    let mut connection = Connection::open(&server.address);
    let mut sending = connection.sending();
    let sender = thread::spawn(move || sending.send(requests.as_bytes()));
    for round in 0..100 {
        for (method, status) in [("get", 200), ("post", 400)] {
            let answer = connection.read(false).unwrap();
            let id = format!("{method}-{round}");
            assert_eq!((answer.status, answer.header("x-request-id")), (status, Some(id.as_str())), "{answer:?}");
        }
    }
    sender.join().unwrap();
}
