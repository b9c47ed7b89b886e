//! Authentication: formats of the header, keys and their scopes, accounts and networks.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::merchant_access;
use crate::support::assert::text;
use crate::support::http::exchange;
use crate::support::{
    ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, BANKS, CHECKOUTS, CLEARING, CREDIT, LOOKUP, MFA_SESSIONS, REFUND,
    REFUND_CLEARING, REVERSAL, SIMULATIONS, Server, Workspace, anonymous, confirm_path, demo, expect_error,
    expect_fault, expect_json, shared, while_requesting,
};

#[test]
fn the_scheme_is_optional_and_its_case_is_ignored() {
    let client = shared().client();
    let key = &demo().api_key;
    for value in [
        format!("ApiKey {key}"),
        format!("apikey {key}"),
        format!("APIKEY {key}"),
        format!("aPiKeY {key}"),
        key.clone(),
    ] {
        expect_json(&client.with_authorization(Some(&value)).get(BANKS), 200);
    }
}

#[test]
fn no_credentials_are_401() {
    let client = shared().client();
    for value in [None, Some(""), Some("ApiKey"), Some("ApiKey "), Some("apikey"), Some("   ")] {
        let answer = client.with_authorization(value).get(BANKS);
        expect_fault(&answer, 401, "header.Authorization", "missing_credentials");
        assert_eq!(answer.header("www-authenticate"), Some("ApiKey"), "{answer:?}");
    }
}

#[test]
fn bad_credentials_are_403() {
    let client = shared().client();
    let key = &demo().api_key;
    let (start, end) = key.split_at(key.len() - 1);
    let flipped = format!("{start}{}", if end == "x" { "y" } else { "x" });
    for value in [
        format!("Bearer {key}"),
        format!("Basic {key}"),
        format!("ApiKey {key} {key}"),
        format!("ApiKey ApiKey {key}"),
        format!("ApiKey {flipped}"),
        format!("ApiKey {key}x"),
        format!("ApiKey {}", key.to_uppercase()),
        format!("ApiKey \"{key}\""),
        "ApiKey x".to_owned(),
        "nonsense".to_owned(),
        "ApiKey ' OR 1=1 --".to_owned(),
        format!("ApiKey {}", "k".repeat(4000)),
    ] {
        let answer = client.with_authorization(Some(&value)).get(BANKS);
        expect_fault(&answer, 403, "header.Authorization", "invalid_credentials");
        assert!(!answer.text().contains(key.as_str()), "the key is echoed: {answer:?}");
    }
}

#[test]
fn two_headers_are_400() {
    let key = format!("ApiKey {}", demo().api_key);
    let target = format!("GET {BANKS}?accountId={}", demo().account);
    let answer = exchange(&shared().address, &target, &[("Authorization", &key), ("Authorization", &key)], b"");
    expect_fault(&answer, 400, "header.Authorization", "duplicate_parameter");
    let answer = exchange(&shared().address, &target, &[("authorization", "ApiKey x"), ("Authorization", &key)], b"");
    expect_fault(&answer, 400, "header.Authorization", "duplicate_parameter");
}

/// Returns many operations with the scopes that they require.
fn scopes() -> Vec<(&'static str, String, &'static str)> {
    let mut all = vec![
        ("GET", BANKS.to_owned(), "merchant:banks:read:any"),
        ("GET", LOOKUP.to_owned(), "addresses:lookup:any"),
        ("POST", MFA_SESSIONS.to_owned(), "payment-batches:confirm:any"),
        ("POST", confirm_path(&demo().batch("validated")), "payment-batches:confirm:any"),
        ("POST", CREDIT.to_owned(), "budgets:simulate:any"),
    ];
    for path in [AUTHORIZATION, ADVICE, CLEARING, REVERSAL, REFUND, REFUND_CLEARING, ATM, ATM_CLEARING] {
        all.push(("POST", path.to_owned(), "cards:simulate:any"));
    }
    all.extend(merchant_access::operations());
    all
}

#[test]
fn refusals_name_the_required_scope() {
    for (method, path, scope) in scopes() {
        let answer = merchant_access::send(&shared().limited(), method, &path, "{}");
        let fault = expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
        assert!(fault.message.contains(scope), "{path}: {}", fault.message);
    }
}

#[test]
fn operations_require_credentials() {
    for (method, path, _) in scopes() {
        let answer = merchant_access::send(&anonymous(), method, &path, "{}");
        expect_fault(&answer, 401, "header.Authorization", "missing_credentials");
    }
}

/// Issues a key to a client, and returns the output of the command.
fn issue(workspace: &Workspace, client: &str, extra: &[&str]) -> Value {
    let mut arguments = vec!["keys", "issue", "--client", client];
    arguments.extend(extra);
    arguments.push("--json");
    workspace.json(&arguments)
}

/// Creates a client, and returns its id.
fn new_client(workspace: &Workspace, extra: &[&str]) -> String {
    let mut arguments = vec!["clients", "create", "--name", "Keys under test"];
    arguments.extend(extra);
    arguments.push("--json");
    text(&workspace.json(&arguments), "/id").to_owned()
}

#[test]
fn a_scope_allows_only_its_operations() {
    let workspace = Workspace::demo();
    let client = new_client(&workspace, &[]);
    workspace.json(&["accounts", "create", "F70001", "--client", &client, "--merchant", "Shop", "--json"]);
    let banks = issue(&workspace, &client, &["--scope", "merchant:banks:read:any"]);
    let both =
        issue(&workspace, &client, &["--scope", "merchant:banks:read:any", "--scope", "merchant:checkouts:read:any"]);
    let write = issue(&workspace, &client, &["--scope", "merchant:checkouts:write:any"]);
    let server = Server::on(workspace);
    let banks = server.client_of(text(&banks, "/key"), "F70001");
    expect_json(&banks.get(BANKS), 200);
    expect_fault(&banks.get(CHECKOUTS), 403, "header.Authorization", "insufficient_scope");
    let both = server.client_of(text(&both, "/key"), "F70001");
    expect_json(&both.get(BANKS), 200);
    expect_json(&both.get(CHECKOUTS), 200);
    let write = server.client_of(text(&write, "/key"), "F70001");
    expect_fault(&write.get(CHECKOUTS), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn a_key_reaches_only_its_accounts() {
    let workspace = Workspace::demo();
    let client = new_client(&workspace, &[]);
    workspace.json(&["accounts", "create", "F70001", "--client", &client, "--json"]);
    workspace.json(&["accounts", "create", "F70002", "--client", &client, "--json"]);
    let one = issue(&workspace, &client, &["--all-scopes", "--account", "F70001"]);
    let all = issue(&workspace, &client, &["--all-scopes"]);
    let server = Server::on(workspace);
    let one = server.client_of(text(&one, "/key"), "F70001");
    expect_json(&one.get(BANKS), 200);
    let excluded = one.with_account("F70002").get(BANKS);
    expect_fault(&excluded, 404, "query.accountId", "not_found");
    let absent = one.with_account("F79999").get(BANKS);
    expect_fault(&absent, 404, "query.accountId", "not_found");
    let foreign = one.with_account(&demo().account).get(BANKS);
    expect_fault(&foreign, 404, "query.accountId", "not_found");
    let bare = |answer: &crate::support::Answer, id: &str| answer.text().replace(id, "");
    assert_eq!(bare(&excluded, "F70002"), bare(&absent, "F79999"), "the answers show which accounts exist");
    assert_eq!(bare(&foreign, &demo().account), bare(&absent, "F79999"), "the answers show which accounts exist");
    let all = server.client_of(text(&all, "/key"), "F70002");
    expect_json(&all.get(BANKS), 200);
    expect_json(&all.with_account("F70001").get(BANKS), 200);
}

#[test]
fn expired_and_revoked_keys_are_refused() {
    let workspace = Workspace::demo();
    let client = new_client(&workspace, &[]);
    workspace.json(&["accounts", "create", "F70001", "--client", &client, "--json"]);
    let past = issue(&workspace, &client, &["--all-scopes", "--expires-at", "2020-01-01T00:00:00Z"]);
    let future = issue(&workspace, &client, &["--all-scopes", "--expires-at", "2099-01-01T00:00:00Z"]);
    let revoked = issue(&workspace, &client, &["--all-scopes"]);
    assert!(workspace.run(&["keys", "revoke", text(&revoked, "/id")]).status.success());
    let server = Server::on(workspace);
    for key in [&past, &revoked] {
        let answer = server.client_of(text(key, "/key"), "F70001").get(BANKS);
        expect_fault(&answer, 403, "header.Authorization", "invalid_credentials");
    }
    let future = server.client_of(text(&future, "/key"), "F70001");
    expect_json(&future.get(BANKS), 200);
}

/// A key stops working before the command returns, even if it was in use until then.
#[test]
fn revoking_reaches_a_running_server() {
    let workspace = Workspace::demo();
    let client = new_client(&workspace, &[]);
    workspace.json(&["accounts", "create", "F70001", "--client", &client, "--json"]);
    let server = Server::on(workspace);
    for _ in 0..3 {
        let key = issue(server.workspace(), &client, &["--all-scopes"]);
        let caller = server.client_of(text(&key, "/key"), "F70001");
        expect_json(&caller.get(BANKS), 200);
        let revoke = || server.workspace().run(&["keys", "revoke", text(&key, "/id")]);
        assert!(while_requesting(&[caller.clone(), caller.clone()], BANKS, revoke).status.success());
        for _ in 0..3 {
            expect_fault(&caller.get(BANKS), 403, "header.Authorization", "invalid_credentials");
        }
    }
}

/// New objects work immediately on a running server, even if a request just found them absent.
#[test]
fn new_objects_work_on_a_running_server() {
    let workspace = Workspace::demo();
    let client = new_client(&workspace, &[]);
    let key = issue(&workspace, &client, &["--all-scopes"]);
    let server = Server::on(workspace);
    let caller = server.client_of(text(&key, "/key"), "F70001");
    expect_fault(&caller.get(BANKS), 404, "query.accountId", "not_found");
    let create = || server.workspace().json(&["accounts", "create", "F70001", "--client", &client, "--json"]);
    while_requesting(&[caller.clone(), caller.clone()], BANKS, create);
    expect_json(&caller.get(BANKS), 200);
}

#[test]
fn a_client_can_be_restricted_to_networks() {
    let workspace = Workspace::demo();
    let outside = new_client(&workspace, &["--allow-network", "10.0.0.0/8", "--allow-network", "2001:db8::/32"]);
    let inside = new_client(&workspace, &["--allow-network", "10.0.0.0/8", "--allow-network", "127.0.0.0/8"]);
    workspace.json(&["accounts", "create", "F70001", "--client", &outside, "--json"]);
    workspace.json(&["accounts", "create", "F70002", "--client", &inside, "--json"]);
    let key_outside = issue(&workspace, &outside, &["--all-scopes"]);
    let key_limited = issue(&workspace, &outside, &["--scope", "merchant:checkouts:read:any"]);
    let key_inside = issue(&workspace, &inside, &["--all-scopes"]);
    let server = Server::on(workspace);
    let caller = server.client_of(text(&key_outside, "/key"), "F70001");
    let faults = expect_error(&caller.get(BANKS), 403);
    assert_eq!(faults[0].code, "address_not_allowed");
    let forwarded = caller.call("GET", BANKS).header("X-Forwarded-For", "10.1.2.3").send();
    assert_eq!(expect_error(&forwarded, 403)[0].code, "address_not_allowed");
    let limited = server.client_of(text(&key_limited, "/key"), "F70001");
    expect_fault(&limited.get(BANKS), 403, "header.Authorization", "insufficient_scope");
    let caller = server.client_of(text(&key_inside, "/key"), "F70002");
    expect_json(&caller.get(BANKS), 200);
}

#[test]
fn keys_are_neither_stored_nor_logged() {
    let workspace = Workspace::demo();
    let client = new_client(&workspace, &[]);
    workspace.json(&["accounts", "create", "F70001", "--client", &client, "--json"]);
    let issued = issue(&workspace, &client, &["--all-scopes"]);
    let key = text(&issued, "/key").to_owned();
    let listed = workspace.run(&["keys", "list", "--client", &client, "--json"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains(text(&issued, "/id")), "{listed}");
    let hash = Sha256::digest(key.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    assert!(!listed.contains(&key) && !listed.to_lowercase().contains(&hash), "{listed}");

    let server = Server::on(workspace);
    let caller = server.client_of(&key, "F70001");
    expect_json(&caller.get(BANKS), 200);
    expect_fault(&caller.get("/v2/nothing"), 404, "", "not_found");
    let bearer = caller.with_authorization(Some(&format!("Bearer {key}"))).get(BANKS);
    expect_fault(&bearer, 403, "header.Authorization", "invalid_credentials");
    let query = caller.get(&format!("{BANKS}?accountId=F70001&limit=0"));
    expect_fault(&query, 400, "query.limit", "out_of_range");
    let (_, workspace) = server.stop();
    assert!(!workspace.log().contains(&key), "the key is in the log");
    for (name, bytes) in workspace.stored() {
        let found = bytes.windows(key.len()).any(|window| window == key.as_bytes());
        assert!(!found, "the key is in {name}");
    }
}

#[test]
fn credentials_are_checked_before_the_request() {
    let client = shared().client().with_authorization(Some("ApiKey x"));
    for path in SIMULATIONS {
        let answer = client.call("POST", &format!("{path}?")).header("Content-Type", "text/plain").bytes("{").send();
        expect_fault(&answer, 403, "header.Authorization", "invalid_credentials");
    }
    let body = json!({"paymentBatchId": 1}).to_string();
    let answer = client.post(&format!("{MFA_SESSIONS}?accountId="), body);
    expect_fault(&answer, 403, "header.Authorization", "invalid_credentials");
}
