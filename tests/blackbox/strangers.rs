//! Strangers call every operation of the OpenAPI document with the ids of the demo account. The answers contain nothing
//! of that account, not even whether an object exists, and nothing changes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::openapi::document;
use crate::support::assert::{expect_invariants, text};
use crate::support::examples::{Examples, Operation};
use crate::support::load::check_journal;
use crate::support::worlds::set_clock;
use crate::support::{Answer, Client, Server, Workspace, demo, expect_error, expect_fault, expect_json};

/// The account of the limited key.
const LIMITED: &str = "F70001";
/// The account of another client.
const FOREIGN: &str = "F70002";
/// The account of a disabled client.
const DISABLED: &str = "F70003";
/// The account of a client that may call from another network only.
const ELSEWHERE: &str = "F70004";
/// Minimum number of calls as strangers. A lower number means that operations or strangers were left out.
const MIN_CALLS: usize = 2752;
/// An account that does not exist.
const ABSENT_ACCOUNT: &str = "F79999";
/// Operations whose answers contain the same data for everybody.
const PUBLIC: [&str; 5] = ["listBanks", "listEventTypes", "listRoles", "lookupAddresses", "getPaymentBatchTemplate"];
/// Texts that every account has: the default colours of a merchant, the name of the first budget, the name of the world
/// of the examples, a feature, and the id of the product of webhooks.
const OF_EVERY_ACCOUNT: [&str; 6] =
    ["#1d70b8", "#ffffff", "Account balance", "World docs", "batchPayment", "0198c0de-0001-7000-8000-000000000001"];

/// A caller who may not see the demo account.
struct Stranger {
    name: &'static str,
    client: Client,
    reach: Reach,
}

/// The reach of a stranger's key.
#[derive(Clone, Copy)]
enum Reach {
    /// No account: every request is refused with this status and code.
    Refused(u16, &'static str),
    /// Only its own account.
    Account(&'static str),
}

/// The objects that the requests of a stranger name.
#[derive(Clone, Copy)]
enum Names {
    /// The demo account, with its objects.
    Account,
    /// The stranger's own account, with objects of the demo account.
    Objects,
}

fn issue(workspace: &Workspace, arguments: &[&str]) -> Value {
    workspace.json(&[&["keys", "issue", "--all-scopes", "--json"], arguments].concat())
}

fn client_with_account(workspace: &Workspace, name: &str, account: &str) -> String {
    let client = workspace.json(&["clients", "create", "--name", name, "--json"]);
    let client = text(&client, "/id").to_owned();
    workspace.json(&["accounts", "create", account, "--client", &client, "--merchant", name, "--json"]);
    client
}

/// Starts a server with the demo account and the strangers.
fn start() -> (Server, Vec<Stranger>) {
    let workspace = Workspace::demo();
    workspace.json(&["accounts", "create", LIMITED, "--client", "demo", "--merchant", "Kept apart", "--json"]);
    let limited = issue(&workspace, &["--client", "demo", "--account", LIMITED]);
    let strange = client_with_account(&workspace, "Strange", FOREIGN);
    let other = issue(&workspace, &["--client", &strange]);
    let expired = issue(&workspace, &["--client", &strange, "--expires-at", "2020-01-01T00:00:00Z"]);
    let revoked = issue(&workspace, &["--client", &strange]);
    assert!(workspace.run(&["keys", "revoke", text(&revoked, "/id")]).status.success());
    let replaced = issue(&workspace, &["--client", "demo"]);
    workspace.json(&["keys", "rotate", text(&replaced, "/id"), "--overlap", "0h", "--json"]);
    let own_expired = issue(&workspace, &["--client", "demo", "--expires-at", "2020-01-01T00:00:00Z"]);
    let own_revoked = issue(&workspace, &["--client", "demo"]);
    assert!(workspace.run(&["keys", "revoke", text(&own_revoked, "/id")]).status.success());
    let closed = client_with_account(&workspace, "Closed", DISABLED);
    let disabled = issue(&workspace, &["--client", &closed]);
    assert!(workspace.run(&["clients", "disable", &closed]).status.success());
    let elsewhere = client_with_account(&workspace, "Elsewhere", ELSEWHERE);
    workspace.json(&["features", "enable", "addresses-lookup", "--client", &elsewhere, "--json"]);
    workspace.json(&["clients", "change", &elsewhere, "--allow-network", "192.0.2.0/24", "--json"]);
    let elsewhere = issue(&workspace, &["--client", &elsewhere]);
    let server = Server::on(workspace);
    let invalid = Reach::Refused(403, "invalid_credentials");
    let unknown = format!("florin_sandbox_{}", "0".repeat(64));
    let stranger = |name, key: Option<&str>, reach| {
        let client = server.client_of(key.unwrap_or_default(), &demo().account);
        let client = if key.is_some() { client } else { client.with_authorization(None) };
        Stranger { name, client, reach }
    };
    let with_header = |name, value: &str, reach| {
        let client = server.client().with_authorization(Some(value));
        Stranger { name, client, reach }
    };
    let key = &demo().api_key;
    let all = vec![
        stranger("no key", None, Reach::Refused(401, "missing_credentials")),
        with_header("a scheme without a key", "ApiKey", Reach::Refused(401, "missing_credentials")),
        with_header("the key of the account as a bearer token", &format!("Bearer {key}"), invalid),
        with_header("the key of the account as a password", &format!("Basic {key}"), invalid),
        stranger("an unknown key", Some(&unknown), invalid),
        stranger("a revoked key", Some(text(&revoked, "/key")), invalid),
        stranger("an expired key", Some(text(&expired, "/key")), invalid),
        stranger("a revoked key of the account", Some(text(&own_revoked, "/key")), invalid),
        stranger("an expired key of the account", Some(text(&own_expired, "/key")), invalid),
        stranger("a replaced key of the account", Some(text(&replaced, "/key")), invalid),
        stranger("a disabled client", Some(text(&disabled, "/key")), invalid),
        stranger(
            "a client in another network",
            Some(text(&elsewhere, "/key")),
            Reach::Refused(403, "address_not_allowed"),
        ),
        stranger("a key limited to another account", Some(text(&limited, "/key")), Reach::Account(LIMITED)),
        stranger("another client", Some(text(&other, "/key")), Reach::Account(FOREIGN)),
    ];
    (server, all)
}

/// Adds every string in a value.
fn collect_texts<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::String(text) => {
            found.insert(text);
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, found)),
        Value::Object(members) => members.values().for_each(|member| collect_texts(member, found)),
        _ => {}
    }
}

/// Adds every value of the enums in a part of the document.
fn collect_enum_values<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    if let Some(listed) = value.get("enum") {
        collect_texts(listed, found);
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_enum_values(item, found)),
        Value::Object(members) => members.values().for_each(|member| collect_enum_values(member, found)),
        _ => {}
    }
}

/// Whether a text can show whose data it is, because it is an id or was written by a user. Excluded are short texts,
/// times, and names of the program such as `spending_limits`.
fn identifies_an_account(text: &str) -> bool {
    let is_time = text.get(..10).is_some_and(|date| date.parse::<chrono::NaiveDate>().is_ok());
    let is_word = text.chars().all(|character| character.is_ascii_lowercase() || character == '_');
    text.len() >= 6 && !is_time && !is_word && text.chars().any(char::is_alphabetic)
}

/// Returns the content of the demo account: the ids and texts in the answers to all of its reads.
fn content(server: &Server, operations: &[Operation]) -> BTreeSet<String> {
    let client = server.client();
    let read = |operation: &&Operation| operation.method == "GET" && operation.needs_key;
    let reads = operations.iter().filter(read).filter(|operation| operation.id != "streamEvents");
    let answers: Vec<_> = reads.map(|operation| (&operation.id, operation.send(&client))).collect();
    let bodies: Vec<(bool, Value)> = answers
        .iter()
        .filter(|(_, answer)| answer.header("content-type") == Some("application/json"))
        .map(|(id, answer)| (PUBLIC.contains(&id.as_str()), expect_json(answer, 200)))
        .collect();
    let sent: Vec<Value> =
        operations.iter().filter_map(|operation| serde_json::from_str(operation.body.as_deref()?).ok()).collect();
    let account = client.get(&format!("/v2/accounts/{LIMITED}?")).json();
    let networks = client.get("/v2/ipaddresses?").json();
    let (mut own, mut common) = (BTreeSet::new(), BTreeSet::from(OF_EVERY_ACCOUNT));
    for (is_public, body) in &bodies {
        collect_texts(body, if *is_public { &mut common } else { &mut own });
    }
    collect_enum_values(document(), &mut common);
    // Strangers send these texts, too, and then see them in their own objects.
    let mut written = BTreeSet::new();
    for body in &sent {
        collect_texts(body, &mut written);
    }
    common.extend(written.into_iter().filter(|text| with_absent_ids(text) == *text && *text != demo().account));
    // The client's other account belongs to one of the strangers.
    collect_texts(&account, &mut common);
    collect_texts(&networks, &mut common);
    own.difference(&common).filter(|text| identifies_an_account(text)).map(|text| (*text).to_owned()).collect()
}

/// Replaces every UUID, and the account of the world, with ids that do not exist.
fn with_absent_ids(text: &str) -> String {
    let mut parts: Vec<String> = text.split_inclusive(['/', '?', '&', '=', '"']).map(str::to_owned).collect();
    for part in &mut parts {
        let end = part.trim_end_matches(['/', '?', '&', '=', '"']).len();
        if end == 36 && part.matches('-').count() == 4 {
            part.replace_range(..8, "0190a1b2");
        } else if end > 12 && part.starts_with('W') && part[1..end].bytes().all(|byte| byte.is_ascii_hexdigit()) {
            part.replace_range(end - 4..end, "DEAD");
        }
    }
    parts.concat()
}

/// Returns a refusal without its ids, to compare it with another one.
fn comparable(answer: &Answer, operation: &Operation) -> (u16, String) {
    let words = |text: &str| text.split(['/', '?', '&', '=', '"']).map(str::to_owned).collect::<BTreeSet<_>>();
    let sent = words(&format!("{}?{}", operation.target, operation.body.clone().unwrap_or_default()));
    let ids = sent.iter().filter(|word| word.len() >= 6 && word.bytes().any(|byte| byte.is_ascii_digit()));
    (answer.status, ids.fold(answer.text(), |body, id| body.replace(id.as_str(), "ID")))
}

/// The number of calls as strangers, and the texts of the demo account that no answer may contain.
struct Calls<'a> {
    count: usize,
    content: &'a BTreeSet<String>,
}

impl Calls<'_> {
    /// Sends an operation, and checks that the answer contains nothing of the demo account beyond the request.
    fn send(&mut self, stranger: &Stranger, client: &Client, operation: &Operation) -> Answer {
        self.count += 1;
        let answer = operation.send(client);
        let sent = format!("{} {:?}", operation.target, operation.body);
        let headers = answer.headers.iter().map(|(_, value)| value.as_str());
        let received = headers.chain([answer.text().as_str()]).collect::<Vec<_>>().join("\n");
        let leaked: Vec<_> = self
            .content
            .iter()
            .filter(|text| received.contains(text.as_str()) && !sent.contains(text.as_str()))
            .collect();
        assert!(leaked.is_empty(), "{}, {}: {leaked:?} in {answer:?}", stranger.name, operation.id);
        assert!(answer.status < 500, "{}, {}: {answer:?}", stranger.name, operation.id);
        answer
    }

    /// Sends an operation that names the demo account or its objects, and the same operation with absent ids. Both must
    /// get the same refusal.
    fn probe(&mut self, stranger: &Stranger, own_account: &str, names: Names, operation: &Operation) {
        let (account, absent_account) = match names {
            Names::Account => (demo().account.as_str(), ABSENT_ACCOUNT),
            Names::Objects => (own_account, own_account),
        };
        let with_account = |text: &str, account: &str| text.replace(&demo().account, account);
        let real = operation.with(|text| with_account(text, account));
        let absent = operation.with(|text| with_absent_ids(&with_account(text, absent_account)));
        let answer = self.send(stranger, &stranger.client.with_account(account), &real);
        // Without an id, an operation on the stranger's own account may succeed.
        if (&real.target, &real.body) == (&absent.target, &absent.body) {
            return;
        }
        let absent_answer = self.send(stranger, &stranger.client.with_account(absent_account), &absent);
        let context = format!("{}, {} {}", stranger.name, operation.method, real.target);
        assert_eq!(
            comparable(&answer, &real),
            comparable(&absent_answer, &absent),
            "{context} shows whether an object exists"
        );
        let is_forbidden = answer.status == 403;
        let faults = expect_error(&answer, if is_forbidden { 403 } else { 404 });
        assert_eq!(faults.len(), 1, "{context}: {answer:?}");
        let expected = if is_forbidden { "insufficient_scope" } else { "not_found" };
        assert_eq!(faults[0].code, expected, "{context}: {answer:?}");
    }
}

/// Returns the objects and the activity of the demo account.
fn state(server: &Server) -> Vec<Value> {
    let lists = ["budgets", "cards", "people", "payment-batches", "merchant/payments", "merchant/checkouts"];
    let client = server.client();
    let list = |path: &&str| client.get(&format!("/v2/{path}?accountId={}&limit=1000", client.account)).json();
    let activity = client.get(&format!("/v2/activity/{}?limit=1000", client.account)).json();
    lists.iter().map(list).chain([activity]).collect()
}

#[test]
#[allow(clippy::print_stderr, reason = "the test runner shows it on request")]
fn strangers_see_and_change_nothing() {
    let (server, strangers) = start();
    // Nothing becomes due on the demo account meanwhile.
    set_clock(&server.client(), json!({"freeze": true}));
    let examples = Examples::of(&server);
    let all = examples.operations.iter().filter(|operation| operation.needs_key);
    let mut operations: Vec<_> = all.map(|operation| examples.ready(&server, operation)).collect();
    // Strangers have no file of the account.
    for import in operations.iter_mut().filter(|operation| operation.id == "importSnapshot") {
        *import = import.with_body("{}\n");
    }
    let (content, before) = (content(&server, &operations), state(&server));
    assert!(content.len() > 400, "{} ids and texts", content.len());
    let mut calls = Calls { count: 0, content: &content };
    for stranger in &strangers {
        match stranger.reach {
            Reach::Refused(status, code) => {
                for operation in &operations {
                    let answer = calls.send(stranger, &stranger.client, operation);
                    expect_fault(&answer, status, "header.Authorization", code);
                }
            }
            Reach::Account(account) => {
                for operation in &operations {
                    calls.probe(stranger, account, Names::Account, operation);
                }
                // The stranger's own stream would not end.
                for operation in operations.iter().filter(|operation| operation.id != "streamEvents") {
                    calls.probe(stranger, account, Names::Objects, operation);
                }
            }
        }
    }
    expect_invariants(&server.client());
    assert_eq!(state(&server), before);
    eprintln!("{} calls as strangers, with {} ids and texts of the demo account", calls.count, content.len());
    assert!(calls.count >= MIN_CALLS, "{} calls", calls.count);
    check_journal(&server.kill());
}
