//! Calls from web pages of other origins.

use crate::support::http::exchange;
use crate::support::{Answer, BANKS, CREDIT, Server, Workspace, demo, expect_error, shared};

const LISTED: &str = "https://app.example.com";

fn server() -> Server {
    let origins = format!("{LISTED}, http://localhost:3000");
    Server::on(Workspace::demo().set("FLORIN_CORS_ORIGINS", &origins))
}

/// Sends the preflight request of a browser.
fn preflight(server: &Server, origin: &str, method: &str, headers: &str) -> Answer {
    let lines =
        [("Origin", origin), ("Access-Control-Request-Method", method), ("Access-Control-Request-Headers", headers)];
    exchange(&server.address, &format!("OPTIONS {CREDIT}?accountId={}", demo().account), &lines, b"")
}

/// Returns the items of a header, in lower case.
fn list(answer: &Answer, name: &str) -> Vec<String> {
    let value = answer.header(name).unwrap_or_else(|| panic!("no {name}: {answer:?}"));
    let mut items: Vec<_> = value.split(',').map(|item| item.trim().to_ascii_lowercase()).collect();
    items.sort();
    items
}

#[test]
fn listed_origins_may_call() {
    let server = server();
    for origin in [LISTED, "http://localhost:3000"] {
        let answer =
            preflight(&server, origin, "POST", "authorization,content-type,idempotency-key,last-event-id,x-request-id");
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        assert_eq!(list(&answer, "access-control-allow-methods"), ["delete", "get", "head", "patch", "post", "put"]);
        let headers = list(&answer, "access-control-allow-headers");
        assert_eq!(headers, ["authorization", "content-type", "idempotency-key", "last-event-id", "x-request-id"]);
        assert!(list(&answer, "vary").contains(&"origin".to_owned()));
    }
    // Pages can read errors, too.
    for (path, status) in [(BANKS, 200), ("/v2/nothing", 404), (CREDIT, 405)] {
        let answer = server.client().call("GET", path).header("Origin", LISTED).send();
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (status, Some(LISTED)), "{path}");
        let exposed = list(&answer, "access-control-expose-headers");
        for name in ["x-request-id", "retry-after", "idempotent-replayed"] {
            assert!(exposed.contains(&name.to_owned()), "{exposed:?}");
        }
    }
}

#[test]
fn other_origins_may_not_call() {
    let server = server();
    for origin in ["https://evil.example.com", "http://app.example.com", "https://app.example.com:8443", "null"] {
        let answer = preflight(&server, origin, "POST", "authorization");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}");
        expect_error(&answer, 400);
        let answer = server.client().call("GET", BANKS).header("Origin", origin).send();
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, None), "{origin}");
    }
    let answer = preflight(&server, LISTED, "POST", "x-evil");
    expect_error(&answer, 400);
    let answer = preflight(&server, LISTED, "TRACE", "authorization");
    expect_error(&answer, 400);
}

#[test]
fn no_origin_may_call_by_default() {
    let answer = preflight(shared(), LISTED, "POST", "authorization");
    expect_error(&answer, 405);
    let called = shared().client().call("GET", BANKS).header("Origin", LISTED).send();
    for answer in [answer, called] {
        assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control-")), "{answer:?}");
    }
}
