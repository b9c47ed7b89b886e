//! Limits of HTTP requests: large bodies, large heads, slow senders, and bytes that are not HTTP.

use crate::support::http::{Connection, exchange, head_of};
use crate::support::server::MAX_WAIT;
use crate::support::wallet::first_body;
use crate::support::{
    AUTHORIZATION, Answer, BANKS, Server, Workspace, demo, expect_error, expect_fault, expect_json, shared,
};

const MEBIBYTE: usize = 1024 * 1024;

fn target() -> String {
    format!("POST {AUTHORIZATION}?accountId={}", demo().account)
}

fn headers(authorization: &str) -> Vec<(&str, &str)> {
    vec![("Authorization", authorization), ("Content-Type", "application/json")]
}

fn authorization() -> String {
    format!("ApiKey {}", demo().api_key)
}

fn expect_alive() {
    expect_json(&shared().client().get(BANKS), 200);
}

#[test]
fn a_body_of_one_mebibyte_is_accepted() {
    let mut body = first_body(&demo().active_card("GBP").id, "0");
    body.push_str(&" ".repeat(MEBIBYTE - body.len()));
    assert_eq!(body.len(), MEBIBYTE);
    expect_json(&shared().client().post(AUTHORIZATION, body), 201);
}

#[test]
fn a_larger_body_is_refused_before_it_is_sent() {
    let authorization = authorization();
    for length in ["1048577", "16777216", "99999999999"] {
        let mut headers = headers(&authorization);
        headers.push(("Content-Length", length));
        let answer = exchange(&shared().address, &target(), &headers, b"");
        expect_fault(&answer, 413, "body", "payload_too_large");
    }
    expect_alive();
}

#[test]
fn a_larger_body_without_a_declared_length_is_refused() {
    let authorization = authorization();
    let mut headers = headers(&authorization);
    headers.push(("Transfer-Encoding", "chunked"));
    let mut body = format!("{MEBIBYTE:x}\r\n{}\r\n", " ".repeat(MEBIBYTE)).into_bytes();
    body.extend(b"1\r\n \r\n");
    let answer = exchange(&shared().address, &target(), &headers, &body);
    expect_fault(&answer, 413, "body", "payload_too_large");
    expect_alive();
}

#[test]
fn a_chunked_body_is_read_like_any_other() {
    let authorization = authorization();
    let mut headers = headers(&authorization);
    headers.push(("Transfer-Encoding", "chunked"));
    let json = first_body(&demo().active_card("GBP").id, "0");
    let piece = |bytes: &[u8]| format!("{:x}\r\n{}\r\n", bytes.len(), String::from_utf8_lossy(bytes));
    let mut pieces: Vec<_> = json.as_bytes().chunks(7).map(piece).collect();
    pieces.push(piece(b""));
    expect_json(&exchange(&shared().address, &target(), &headers, pieces.concat().as_bytes()), 201);
}

#[test]
fn a_body_sent_byte_by_byte_is_accepted() {
    let authorization = authorization();
    let json = first_body(&demo().active_card("GBP").id, "0");
    let length = json.len().to_string();
    let mut headers = headers(&authorization);
    headers.push(("Content-Length", &length));
    let mut connection = Connection::open(&shared().address);
    let head = head_of(&shared().address, &target(), &headers);
    for byte in head.as_bytes().iter().chain(json.as_bytes()) {
        connection.send(&[*byte]);
    }
    expect_json(&connection.read(false).unwrap(), 201);
}

#[test]
fn slow_senders_do_not_delay_others() {
    let authorization = authorization();
    let mut headers = headers(&authorization);
    headers.push(("Content-Length", "1000"));
    let slow: Vec<_> = (0..40)
        .map(|number| {
            let mut connection = Connection::open(&shared().address);
            let head = head_of(&shared().address, &target(), &headers);
            let sent = if number % 2 == 0 { head.as_bytes() } else { &head.as_bytes()[..head.len() / 2] };
            connection.send(sent);
            connection
        })
        .collect();
    for _ in 0..10 {
        expect_alive();
    }
    drop(slow);
    expect_alive();
}

#[test]
fn a_sender_that_disconnects_has_no_effect() {
    let authorization = authorization();
    let json = first_body(&demo().active_card("GBP").id, "0");
    let length = json.len().to_string();
    let mut headers = headers(&authorization);
    headers.push(("Content-Length", &length));
    for _ in 0..20 {
        let mut connection = Connection::open(&shared().address);
        connection.send(head_of(&shared().address, &target(), &headers).as_bytes());
        connection.send(&json.as_bytes()[..json.len() - 1]);
        connection.finish_sending();
    }
    expect_alive();
}

/// Expects that bytes that are not HTTP get a 4xx, or that the connection is closed.
fn expect_refused_or_closed(bytes: &[u8]) {
    let mut connection = Connection::open(&shared().address);
    connection.send(bytes);
    connection.finish_sending();
    if let Ok(answer) = connection.read(false) {
        let name: String = String::from_utf8_lossy(bytes).chars().take(60).collect();
        assert!((400..500).contains(&answer.status), "{name}: {answer:?}");
    }
    expect_alive();
}

#[test]
fn bytes_that_are_not_http_are_refused() {
    for bytes in [
        b"GARBAGE\r\n\r\n".as_slice(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"\0\0\0\0",
    ] {
        expect_refused_or_closed(bytes);
    }
}

#[test]
fn a_head_that_is_too_large_is_refused() {
    let one = format!("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n", "x".repeat(2 * MEBIBYTE));
    expect_refused_or_closed(one.as_bytes());
    let many = (0..5_000).map(|number| format!("X-{number}: 1\r\n")).collect::<Vec<_>>().concat();
    expect_refused_or_closed(format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{many}\r\n").as_bytes());
    let target = format!("GET /healthz?{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(2 * MEBIBYTE));
    expect_refused_or_closed(target.as_bytes());
}

#[test]
fn several_requests_on_one_connection_are_answered() {
    let mut connection = Connection::open(&shared().address);
    let card = &demo().active_card("GBP").id;
    for number in 0..5 {
        let body = first_body(card, if number % 2 == 0 { "0" } else { "-1" });
        let request = format!(
            "{} HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\
            Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            target(),
            demo().api_key,
            body.len(),
        );
        connection.send(request.as_bytes());
        let answer = connection.read(false).unwrap();
        if number % 2 == 0 {
            expect_json(&answer, 201);
        } else {
            expect_fault(&answer, 400, "body.amount", "out_of_range");
        }
    }
}

#[test]
fn there_is_no_rate_limit_unless_an_operator_sets_one() {
    let client = shared().client();
    for _ in 0..300 {
        expect_json(&client.get(BANKS), 200);
    }
}

#[test]
fn requests_above_the_rate_limit_get_429() {
    let server = Server::on(Workspace::demo().set("FLORIN_RATE_LIMIT", "2"));
    let (client, other) = (server.client(), server.other());
    let start = std::time::Instant::now();
    let mut limited: Option<Answer> = None;
    while limited.is_none() && start.elapsed() < MAX_WAIT {
        let answer = client.get(BANKS);
        if answer.status == 200 {
            continue;
        }
        limited = Some(answer);
    }
    let limited = limited.expect("no request was refused");
    expect_fault(&limited, 429, "", "rate_limited");
    let wait: u64 = limited.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    expect_json(&other.get(BANKS), 200);
    assert_eq!(client.with_authorization(None).get("/healthz?").status, 200);
}

#[test]
fn too_many_unknown_keys_of_an_address_get_429_and_valid_keys_still_work() {
    let server = Server::on(Workspace::demo());
    let stranger = server.client().with_authorization(Some("ApiKey x"));
    // While the requests are sent, the limit allows some more.
    let answers = (0..).map(|_| stranger.get(BANKS));
    let (mut counted, mut limited) = (0, None);
    for answer in answers.take(5_000) {
        if answer.status == 429 {
            limited = Some(answer);
            break;
        }
        expect_fault(&answer, 403, "header.Authorization", "invalid_credentials");
        counted += 1;
    }
    assert!(counted >= 300, "only {counted} keys were looked up");
    let limited = limited.expect("no key was refused");
    expect_fault(&limited, 429, "", "rate_limited");
    let wait: u64 = limited.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // Requests without a key, and valid keys, are not affected.
    assert_eq!(stranger.with_authorization(None).get(BANKS).status, 401);
    expect_json(&server.client().get(BANKS), 200);
}

#[test]
fn an_invalid_key_does_not_count_against_the_rate_limit() {
    let server = Server::on(Workspace::demo().set("FLORIN_RATE_LIMIT", "5"));
    let stranger = server.client().with_authorization(Some("ApiKey x"));
    for _ in 0..50 {
        assert_eq!(expect_error(&stranger.get(BANKS), 403)[0].code, "invalid_credentials");
    }
    expect_json(&server.client().get(BANKS), 200);
}
