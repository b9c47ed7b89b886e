//! Routes outside `/v2`, and rules of every route: methods, HEAD, request ids, unknown paths.

use crate::support::http::{Connection, exchange, head_of};
use crate::support::{
    ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, Answer, BANKS, CHECKOUTS, CLEARING, CREDIT, INCREMENT, LOOKUP,
    MFA_SESSIONS, REFUND, REFUND_CLEARING, REFUND_REVERSAL, REVERSAL, Server, Workspace, anonymous, confirm_path, demo,
    expect_error, expect_fault, expect_json, shared,
};

#[test]
fn health_and_readiness_need_no_key() {
    for path in ["/healthz", "/readyz"] {
        let answer = anonymous().get(&format!("{path}?"));
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert!(answer.header("x-request-id").is_some(), "{path}");
        let with_nonsense = anonymous().with_authorization(Some("ApiKey x")).get(&format!("{path}?"));
        assert_eq!(with_nonsense.status, 200, "{path}");
    }
}

#[test]
fn the_banner_shows_the_address() {
    let banner = &shared().banner;
    let listen = banner["listen"].as_str().unwrap();
    assert_eq!(banner["baseUrl"], format!("http://{listen}/v2"));
    assert_eq!(banner["environment"], "sandbox");
    assert!(listen.starts_with("127.0.0.1:") && !listen.ends_with(":0"), "{listen}");
}

#[test]
fn metrics_are_disabled_by_default() {
    expect_fault(&anonymous().get("/metrics?"), 404, "", "not_found");
    let server = Server::on(Workspace::demo().set("FLORIN_METRICS", "true"));
    expect_json(&server.client().get(BANKS), 200);
    let metrics = server.client().with_authorization(None).get("/metrics?");
    assert_eq!(metrics.status, 200, "{metrics:?}");
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain"));
    assert!(metrics.text().lines().any(|line| line.starts_with("# TYPE ")), "{}", metrics.text());
    assert!(!metrics.text().contains(&demo().api_key));
}

#[test]
fn browsers_may_neither_guess_the_type_of_responses_nor_store_them() {
    let client = shared().client();
    for path in [BANKS.to_owned(), "/v2/nothing".to_owned(), "/healthz?".to_owned(), "/openapi.json?".to_owned()] {
        let answer = client.get(&path);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        let policy = answer.header("content-security-policy");
        assert_eq!(policy, Some("default-src 'none'; frame-ancestors 'none'"), "{path}");
    }
}

#[test]
fn metrics_can_have_an_address_of_their_own() {
    let workspace = Workspace::demo().set("FLORIN_METRICS", "true").set("FLORIN_ADMIN_LISTEN", "127.0.0.1:0");
    let server = Server::on(workspace);
    expect_fault(&server.client().with_authorization(None).get("/metrics?"), 404, "", "not_found");
    let admin = server.banner["adminListen"].as_str().unwrap();
    let get = |path: &str| exchange(admin, &format!("GET {path}"), &[], b"");
    assert!(get("/metrics").text().contains("florin_ready 1"), "{}", get("/metrics").text());
    assert_eq!((get("/healthz").status, get("/readyz").status), (200, 200));
    expect_fault(&get(BANKS), 404, "", "not_found");
    let server = Server::on(Workspace::demo().set("FLORIN_ADMIN_LISTEN", "off"));
    assert!(server.banner.get("adminListen").is_none(), "{}", server.banner);
}

/// Each label of a metric needs memory, and a caller without a key can send any method and path.
#[test]
fn invented_methods_and_paths_share_a_label() {
    let server = Server::on(Workspace::demo().set("FLORIN_METRICS", "true"));
    for number in 0..20 {
        for path in ["/healthz", "/nowhere", BANKS] {
            exchange(&server.address, &format!("BREW{number} {path}"), &[], b"");
        }
    }
    let metrics = || server.client().with_authorization(None).get("/metrics?").text();
    assert!(metrics().contains("method=\"other\"") && !metrics().contains("BREW"), "{}", metrics());
    let series = || metrics().lines().filter(|line| line.contains("method=")).count();
    let invent = |number: usize| {
        for path in [format!("/x{number}"), format!("/v2/x{number}"), format!("/v2/budgets/x{number}/y")] {
            exchange(&server.address, &format!("BREW{number} {path}"), &[], b"");
            exchange(&server.address, &format!("GET {path}"), &[], b"");
        }
    };
    invent(0);
    let before = series();
    (1..200).for_each(invent);
    assert_eq!(series(), before, "{}", metrics());
}

/// Follows redirects within the same server.
fn fetch(path: &str) -> (String, Answer) {
    let mut path = path.to_owned();
    for _ in 0..5 {
        let answer = exchange(&shared().address, &format!("GET {path}"), &[], b"");
        if !(300..400).contains(&answer.status) {
            return (path, answer);
        }
        let location = answer.header("location").unwrap();
        assert!(!location.contains("://"), "/docs leaves the server: {location}");
        path = resolve(&path, location);
    }
    panic!("too many redirects at {path}");
}

fn resolve(base: &str, link: &str) -> String {
    if link.starts_with('/') {
        return link.to_owned();
    }
    let folder = &base[..=base.rfind('/').unwrap()];
    format!("{folder}{}", link.trim_start_matches("./"))
}

fn links(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    for attribute in ["src=\"", "href=\""] {
        for rest in html.split(attribute).skip(1) {
            found.push(rest.split('"').next().unwrap().to_owned());
        }
    }
    found
}

#[test]
fn the_docs_work_without_a_network() {
    let (path, page) = fetch("/docs");
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.header("content-type").unwrap().starts_with("text/html"), "{page:?}");
    let html = page.text();
    let base = html.split_once("<base href=\"").map_or(path.as_str(), |(_, rest)| rest.split('"').next().unwrap());
    let links = links(&html);
    assert!(links.iter().any(|link| link.contains(".js")), "{html}");
    for link in links.iter().filter(|link| !link.starts_with("data:") && !link.starts_with('#')) {
        assert!(!link.contains("://") && !link.starts_with("//"), "a link to another server: {link}");
        let (_, asset) = fetch(&resolve(base, link));
        assert_eq!(asset.status, 200, "{link}");
        assert!(!asset.body.is_empty(), "{link}");
    }
}

#[test]
fn unknown_paths_get_404() {
    for path in [
        "/v2",
        "/v2/",
        "/v2/nothing",
        "/v3/merchant/banks",
        "/merchant/banks",
        "/v2/Merchant/banks",
        "/v2/cards/simulations/transaction",
        "/v2/payment-batches/x/confirm/y",
        "/nothing",
        "/healthz/x",
        "/v2/merchant/banks/../../../etc/passwd",
        "/v2/%2e%2e/healthz",
    ] {
        for method in ["GET", "POST"] {
            let headers = [("Content-Length", "0")];
            let headers = if method == "GET" { &headers[1..] } else { &headers };
            let answer = exchange(&shared().address, &format!("{method} {path}"), headers, b"");
            expect_fault(&answer, 404, "", "not_found");
        }
    }
}

#[test]
fn wrong_methods_get_405_with_the_allowed_methods() {
    let mut posts = vec![
        MFA_SESSIONS.to_owned(),
        CREDIT.to_owned(),
        AUTHORIZATION.to_owned(),
        ADVICE.to_owned(),
        INCREMENT.to_owned(),
        REFUND_REVERSAL.to_owned(),
        CLEARING.to_owned(),
        REVERSAL.to_owned(),
        REFUND.to_owned(),
        REFUND_CLEARING.to_owned(),
        ATM.to_owned(),
        ATM_CLEARING.to_owned(),
    ];
    posts.push(confirm_path(&demo().batch("validated")));
    for path in posts {
        for method in ["GET", "PUT", "DELETE", "PATCH"] {
            expect_refused_method(method, &path, &["POST"]);
        }
        expect_refused_head(&path);
    }
    for path in [BANKS, LOOKUP, CHECKOUTS] {
        for method in ["PUT", "DELETE"] {
            expect_refused_method(method, path, &["GET", "HEAD"]);
        }
    }
    for path in ["/healthz", "/readyz", "/openapi.json"] {
        expect_refused_method("DELETE", path, &["GET", "HEAD"]);
        expect_refused_method("POST", path, &["GET", "HEAD"]);
    }
}

fn allowed(answer: &Answer) -> Vec<String> {
    let allow = answer.header("allow").unwrap_or_else(|| panic!("no Allow: {answer:?}"));
    allow.split(',').map(|method| method.trim().to_owned()).collect()
}

fn expect_refused_method(method: &str, path: &str, expected: &[&str]) {
    let target = format!("{method} {path}?accountId={}", demo().account);
    let authorization = format!("ApiKey {}", demo().api_key);
    let headers = [("Authorization", authorization.as_str()), ("Content-Length", "0")];
    let answer = exchange(&shared().address, &target, &headers, b"");
    expect_fault(&answer, 405, "", "method_not_allowed");
    let allowed = allowed(&answer);
    assert!(expected.iter().all(|method| allowed.iter().any(|known| known == method)), "{target}: {allowed:?}");
    assert!(!allowed.iter().any(|known| known == method), "{target}: {allowed:?}");
}

fn expect_refused_head(path: &str) {
    let answer = exchange(&shared().address, &format!("HEAD {path}"), &[], b"");
    assert_eq!(answer.status, 405, "HEAD {path}");
    assert!(allowed(&answer).iter().any(|method| method == "POST"), "HEAD {path}");
}

#[test]
fn head_answers_like_get_without_a_body() {
    let authorization = format!("ApiKey {}", demo().api_key);
    for (path, has_key) in [
        (format!("{CHECKOUTS}?accountId={}", demo().account), true),
        (format!("{BANKS}?accountId={}", demo().account), true),
        (format!("{BANKS}?"), true),
        (format!("{CHECKOUTS}?accountId={}&limit=0", demo().account), true),
        (format!("{CHECKOUTS}?accountId=F00000"), true),
        (format!("{LOOKUP}?postcode=SW1A1AA"), true),
        (format!("{BANKS}?accountId={}", demo().account), false),
        ("/healthz".to_owned(), false),
        ("/readyz".to_owned(), false),
        ("/openapi.json".to_owned(), false),
        ("/nothing".to_owned(), false),
    ] {
        let headers = [("Authorization", authorization.as_str())];
        let headers = if has_key { &headers[..] } else { &[] };
        let get = exchange(&shared().address, &format!("GET {path}"), headers, b"");
        let mut connection = Connection::open(&shared().address);
        let head = head_of(&shared().address, &format!("HEAD {path}"), headers);
        connection.send(head.as_bytes());
        let head = connection.read(true).unwrap();
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
        assert_eq!(head.header("www-authenticate"), get.header("www-authenticate"), "{path}");
        assert!(head.header("x-request-id").is_some(), "{path}");
        assert!(connection.rest().is_empty(), "a body follows the answer to HEAD {path}");
    }
}

#[test]
fn request_ids_are_kept_or_created() {
    let client = shared().client();
    let longest = "r".repeat(64);
    for good in ["a", "abc-DEF_0.9", "8e03978e-40d5-43dd-bc93-6894a57f9324", &longest] {
        for path in [BANKS, "/v2/nothing", "/healthz?"] {
            let answer = client.call("GET", path).header("X-Request-Id", good).send();
            assert_eq!(answer.header("x-request-id"), Some(good), "{path}");
        }
    }
    let longer = "r".repeat(65);
    for bad in ["", "a b", "a/b", "é", "<script>", "a,b", &longer] {
        let headers = [("X-Request-Id", bad)];
        let answer = exchange(&shared().address, "GET /healthz", &headers, b"");
        let created = answer.header("x-request-id").unwrap();
        assert_ne!(created, bad);
        assert!((1..=64).contains(&created.len()), "{created}");
        assert!(created.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter)), "{created}");
    }
    let (one, two) = (client.get(BANKS), client.get(BANKS));
    assert_ne!(one.header("x-request-id"), two.header("x-request-id"));
}

#[test]
fn errors_of_every_kind_have_their_request_id() {
    let client = shared().client();
    for (status, path) in [(404, "/v2/nothing"), (403, "/v2/merchant/banks?"), (400, "/v2/merchant/checkouts?")] {
        let answer = client.call("GET", path).header("X-Request-Id", "trace-me").send();
        expect_error(&answer, status);
        assert_eq!(answer.header("x-request-id"), Some("trace-me"));
    }
}
