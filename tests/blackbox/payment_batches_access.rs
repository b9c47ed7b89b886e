//! Payment batches: scopes, isolation of accounts, and repeats under an idempotency key.

use serde_json::json;

use crate::support::assert::text;
use crate::support::http::exchange;
use crate::support::payments::{
    BATCHES, HEADER, TEMPLATE, alerts, below, create, filled, find, fresh_sandbox, listed, path, payments, pounds, rows,
};
use crate::support::{ABSENT, Answer, Client, demo, expect_fault, expect_json, shared};

/// Returns every operation on a batch, with a valid body.
fn operations(batch: &str) -> Vec<(&'static str, String, String)> {
    let none = String::new;
    vec![
        ("GET", path(batch), none()),
        ("PATCH", path(batch), "{\"name\": \"Stolen\"}".to_owned()),
        ("DELETE", path(batch), none()),
        ("POST", below(batch, "payments"), rows(&[pounds("1", "a")])),
        ("GET", below(batch, "payments"), none()),
        ("GET", below(batch, "alerts"), none()),
        ("GET", below(batch, "validate"), none()),
        ("POST", below(batch, "payments/download"), none()),
    ]
}

fn send(client: &Client, (method, path, body): &(&str, String, String)) -> Answer {
    let call = client.call(method, path);
    if body.is_empty() { call.send() } else { call.json(body).send() }
}

#[test]
fn a_batch_of_another_account_is_absent() {
    let (server, client) = fresh_sandbox();
    let batch = filled(&client, &[pounds("1", "a")]);
    let before = find(&client, &batch);
    let other = server.other();
    for operation in operations(&batch) {
        let foreign = send(&other, &operation);
        expect_fault(&foreign, 404, "path.paymentBatchId", "not_found");
        let (method, path, body) = operation;
        let absent = send(&other, &(method, path.replace(&batch, ABSENT), body));
        assert_eq!((foreign.status, foreign.body), (absent.status, absent.body), "{method} {path}");
    }
    assert_eq!(listed(&other, BATCHES, &format!("ids={batch}&includeHidden=true")).1, 0);
    assert_eq!(find(&client, &batch), before);
    // The key can access only its own accounts, whichever batch the request names.
    let stranger = other.with_account(&client.account);
    for operation in operations(&batch) {
        expect_fault(&send(&stranger, &operation), 404, "query.accountId", "not_found");
    }
    expect_fault(&stranger.get(BATCHES), 404, "query.accountId", "not_found");
    expect_fault(&stranger.post(BATCHES, "{}"), 404, "query.accountId", "not_found");
}

#[test]
fn budgets_of_another_account_cannot_pay() {
    let (server, client) = fresh_sandbox();
    let theirs = server.other();
    let batch = create(&theirs, "x");
    let body = json!({"defaultFundingBudgetId": demo().budget("GBP"), "rows": [pounds("1", "a")]}).to_string();
    assert_eq!(expect_json(&theirs.post(&below(&batch, "payments"), body), 202)["status"], "failed");
    assert_eq!(alerts(&theirs, &batch), [(Some(0), "funding_budget_not_found".to_owned())]);
    assert_ne!(theirs.account, client.account);
}

#[test]
fn reads_and_writes_require_their_own_scopes() {
    let (server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let owner = text(&find(&client, &batch), "/createdBy/id").to_owned();
    let key = |scope: &str| {
        let issued = server.workspace().json(&["keys", "issue", "--client", &owner, "--scope", scope, "--json"]);
        server.client_of(text(&issued, "/key"), &client.account)
    };
    let (reader, writer) = (key("payment-batches:read:any"), key("payment-batches:write:any"));
    let mut all = operations(&batch);
    all.push(("GET", BATCHES.to_owned(), String::new()));
    all.push(("POST", BATCHES.to_owned(), "{}".to_owned()));
    all.push(("GET", TEMPLATE.to_owned(), String::new()));
    for operation in all {
        let reads = operation.0 == "GET" || operation.1.ends_with("download");
        let (allowed, not_allowed, scope) = if reads {
            (&reader, &writer, "payment-batches:read:any")
        } else {
            (&writer, &reader, "payment-batches:write:any")
        };
        let refused = send(not_allowed, &operation);
        let fault = expect_fault(&refused, 403, "header.Authorization", "insufficient_scope");
        assert!(fault.message.contains(scope), "{operation:?}: {}", fault.message);
        if operation.0 != "DELETE" && !(operation.0 == "POST" && operation.1.ends_with("payments")) {
            assert!((200..300).contains(&send(allowed, &operation).status), "{operation:?}");
        }
        let anonymous = send(&client.with_authorization(None), &operation);
        expect_fault(&anonymous, 401, "header.Authorization", "missing_credentials");
    }
}

#[test]
fn wrong_methods_get_405_with_the_allowed_methods() {
    let client = shared().client();
    let batch = demo().batch("draft");
    for (path, allow) in [
        (BATCHES.to_owned(), "GET, HEAD, POST"),
        (path(&batch), "GET, HEAD, PATCH, DELETE"),
        (below(&batch, "payments"), "GET, HEAD, POST"),
        (below(&batch, "alerts"), "GET, HEAD"),
        (below(&batch, "validate"), "GET, HEAD"),
        (below(&batch, "payments/download"), "POST"),
        (TEMPLATE.to_owned(), "GET, HEAD"),
    ] {
        let answer = client.put(&path, "{}");
        expect_fault(&answer, 405, "", "method_not_allowed");
        assert_eq!(answer.header("allow"), Some(allow), "{path}");
        if allow.contains("HEAD") {
            let (get, head) = (client.get(&path), client.call("HEAD", &path).send());
            assert_eq!((head.status, head.header("content-type")), (get.status, get.header("content-type")), "{path}");
            assert!(head.body.is_empty());
        }
    }
}

#[test]
fn one_idempotency_key_creates_one_batch() {
    let (_server, client) = fresh_sandbox();
    let count = || listed(&client, BATCHES, "").1;
    let before = count();
    let first = client.post_once(BATCHES, "make", "{\"name\": \"Once\", \"visible\": true}");
    let again = client.post_once(BATCHES, "make", "{ \"visible\": true, \"name\": \"Once\"}");
    assert!(!first.replayed() && again.replayed(), "{again:?}");
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    assert_eq!(count(), before + 1);
    let other = client.post_once(BATCHES, "make", "{\"name\": \"Twice\", \"visible\": true}");
    expect_fault(&other, 422, "body.name", "idempotency_mismatch");
    let big = json!({"payments": {"rows": vec![pounds("1", "a"); 3_000]}}).to_string();
    let first = client.post_once(BATCHES, "make-many", &big);
    assert_eq!((first.status, client.post_once(BATCHES, "make-many", &big).replayed()), (202, true));
    let other = client.post_once(BATCHES, "make-many", big.replacen("\"1\"", "\"2\"", 1));
    expect_fault(&other, 422, "body", "idempotency_mismatch");
    assert_eq!(count(), before + 2);
}

#[test]
fn one_idempotency_key_fills_changes_or_deletes_once() {
    let (_server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let target = below(&batch, "payments");
    let first = client.post_once(&target, "fill", rows(&[pounds("1", "a"), pounds("2", "b")]));
    assert_eq!(first.status, 202, "{first:?}");
    let ids = payments(&client, &batch);
    let again = client.post_once(&target, "fill", rows(&[pounds("1", "a"), pounds("2", "b")]));
    assert!(again.replayed() && again.body == first.body, "{again:?}");
    assert_eq!(payments(&client, &batch), ids, "the payments are the same ones");
    let other = client.post_once(&target, "fill", rows(&[pounds("1", "a")]));
    expect_fault(&other, 422, "body", "idempotency_mismatch");
    let csv = |key: &str, text: &str| {
        client
            .call("POST", &target)
            .header("Content-Type", "text/csv")
            .header("Idempotency-Key", key)
            .bytes(text)
            .send()
    };
    assert_eq!((csv("csv", HEADER).status, csv("csv", HEADER).replayed()), (202, true));
    expect_fault(&csv("csv", &format!("{HEADER}\n")), 422, "body", "idempotency_mismatch");
    expect_fault(&csv("a b", HEADER), 400, "header.Idempotency-Key", "invalid_format");

    let patch = |name: &str| {
        let body = json!({"name": name}).to_string();
        client.call("PATCH", &path(&batch)).header("Idempotency-Key", "edit").json(body).send()
    };
    assert_eq!((patch("New").status, patch("New").replayed()), (200, true));
    expect_fault(&patch("Newer"), 422, "body.name", "idempotency_mismatch");
    let delete = || client.call("DELETE", &path(&batch)).header("Idempotency-Key", "delete").send();
    let (first, again) = (delete(), delete());
    assert_eq!((first.status, again.status, again.replayed()), (204, 204, true), "{again:?}");
}

#[test]
fn an_upload_is_limited_to_sixteen_mebibytes() {
    let (server, client) = fresh_sandbox();
    let batch = create(&client, "x");
    let max = 16 * 1024 * 1024;
    let mut body = rows(&[pounds("1", "a")]);
    body.push_str(&" ".repeat(max - body.len()));
    assert_eq!(client.post(&below(&batch, "payments"), &body).status, 202);
    let authorization = format!("ApiKey {}", demo().api_key);
    let headers = |length: &'static str| {
        [("Authorization", authorization.as_str()), ("Content-Type", "application/json"), ("Content-Length", length)]
    };
    for path in [below(&batch, "payments"), BATCHES.to_owned()] {
        let target = format!("POST {path}?accountId={}", client.account);
        let answer = exchange(&server.address, &target, &headers("16777217"), b"");
        expect_fault(&answer, 413, "body", "payload_too_large");
    }
    let small = "x".repeat(1024 * 1024 + 1);
    for (method, path) in
        [("PATCH", path(&batch)), ("DELETE", path(&batch)), ("POST", below(&batch, "payments/download"))]
    {
        expect_fault(&client.call(method, &path).json(&small).send(), 413, "body", "payload_too_large");
    }
}
