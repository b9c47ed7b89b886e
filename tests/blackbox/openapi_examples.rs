//! The examples of `/openapi.json` work: in this order, every operation succeeds on the demo data.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::logo::{png, set_logo};
use crate::support::worlds::{below_world, make, snapshot, world_path};
use crate::support::{Answer, Server};

/// The first operations. An operation that creates an object runs before operations that refer to it, and one that
/// removes the object runs last. Unlisted operations run between, in the order of the document.
const FIRST: [&str; 3] = ["createWorld", "takeSnapshot", "createBudget"];
const LAST: [&str; 15] = [
    "setCardDecisions",
    "getCardDecisions",
    "rotateCardDecisionsSecret",
    "deleteCardDecisions",
    "deleteWebhook",
    "uploadPayments",
    "openMfaSession",
    "confirmPaymentBatch",
    "setClock",
    "restoreWorld",
    "deleteImportedSnapshot",
    "deleteSnapshot",
    "deleteWorld",
    "removeSpendingLimit",
    "removeTransactionLimit",
];

/// The placeholder of an id that the document cannot know. The value comes from the answer of an earlier operation.
const PLACEHOLDER: &str = "0198c0de-0000-7000-8000-000000000000";

/// The placeholder of the id of an event for a webhook.
const MESSAGE: &str = "0198c0de-0000-7000-8000-00000000000e";

/// A time in an example that must be recent.
const RECENT: &str = "2026-11-22T12:00:00Z";

/// Operations with the placeholder, the operation whose answer contains the id, and the location of the id in that
/// answer.
const FOLLOW_UPS: [(&str, &str, &str); 34] = [
    ("cancelCheckoutSession", "createCheckoutSession", "/id"),
    ("cancelTopUp", "createTopUp", "/id"),
    ("authoriseMerchantRefund", "createMerchantRefund", "/id"),
    ("deleteSettlementAccount", "listSettlementAccounts", "/rows/0/id"),
    ("adviseTransaction", "authorizeTransaction", "/transaction/token"),
    ("incrementTransaction", "authorizeTransaction", "/transaction/token"),
    ("clearTransaction", "authorizeTransaction", "/transaction/token"),
    ("reverseTransaction", "authorizeTransaction", "/transaction/token"),
    ("getTransactionChain", "authorizeTransaction", "/transaction/token"),
    ("clearAtmWithdrawal", "authorizeAtmWithdrawal", "/transaction/token"),
    ("clearRefund", "authorizeRefund", "/transaction/token"),
    ("reverseRefund", "authorizeRefund", "/transaction/token"),
    ("expireTransaction", "authorizeTransaction", "/transaction/token"),
    ("reverseDebit", "debit", "/transaction/token"),
    ("returnRefund", "refund", "/transaction/token"),
    ("openDispute", "debit", "/transaction/token"),
    ("getDispute", "openDispute", "/id"),
    ("addDisputeEvidence", "openDispute", "/id"),
    ("creditDispute", "openDispute", "/id"),
    ("resolveDispute", "openDispute", "/id"),
    ("confirmPaymentBatch", "openMfaSession", "/sessionId"),
    ("transfer", "createBudget", "/id"),
    ("deleteIpAddress", "listIpAddresses", "/rows/0/id"),
    ("removeSpendingLimit", "setSpendingLimit", "/id"),
    ("removeTransactionLimit", "setTransactionLimit", "/id"),
    ("getWebhook", "createWebhook", "/id"),
    ("updateWebhook", "createWebhook", "/id"),
    ("deleteWebhook", "createWebhook", "/id"),
    ("rotateWebhookSecret", "createWebhook", "/id"),
    ("testWebhook", "createWebhook", "/id"),
    ("listDeliveries", "createWebhook", "/id"),
    ("redeliver", "createWebhook", "/id"),
    ("recoverWebhook", "createWebhook", "/id"),
    ("deleteImportedSnapshot", "importSnapshot", "/id"),
];

/// An operation with its examples.
#[derive(Clone)]
struct Operation {
    id: String,
    method: String,
    target: String,
    body: Option<String>,
    /// Whether the body is a form with a file, which the document can't show.
    is_form: bool,
    has_key: bool,
}

fn operations(document: &Value) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, described) in item.as_object().unwrap().iter().filter(|(method, _)| *method != "parameters") {
            // A stream never ends by itself.
            if described["operationId"] != "streamEvents" {
                found.push(operation(path, method, described));
            }
        }
    }
    found
}

fn operation(path: &str, method: &str, described: &Value) -> Operation {
    let (mut target, mut query) = (path.to_owned(), Vec::new());
    for parameter in described["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap();
        let required = parameter["required"] == true;
        let Some(value) = parameter["example"].as_str() else {
            assert!(!required, "{method} {path}: {name} has no example");
            continue;
        };
        match parameter["in"].as_str() {
            Some("path") => target = target.replace(&format!("{{{name}}}"), value),
            Some("query") => query.push(format!("{name}={}", value.replace(' ', "%20"))),
            other => panic!("{path}: an example in {other:?}"),
        }
    }
    let content = &described["requestBody"]["content"]["application/json"];
    assert!(content.is_null() || content["example"].is_object(), "{method} {path} has no example of its body");
    Operation {
        id: described["operationId"].as_str().unwrap().to_owned(),
        method: method.to_uppercase(),
        target: format!("{target}?{}", query.join("&")),
        is_form: described["requestBody"]["content"]["multipart/form-data"].is_object(),
        body: content.get("example").map(Value::to_string),
        has_key: described["security"] != json!([]) && described["security"] != json!([{}]),
    }
}

fn in_order(mut all: Vec<Operation>) -> Vec<Operation> {
    all.sort_by_key(|operation| {
        let first = FIRST.iter().position(|id| *id == operation.id).map(|place| (0, place));
        let last = LAST.iter().position(|id| *id == operation.id).map(|place| (2, place));
        first.or(last).unwrap_or((1, 0))
    });
    all
}

/// Returns the current second.
fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

fn send(server: &Server, operation: &Operation) -> Answer {
    let client = server.client();
    let client = if operation.has_key { client } else { client.with_authorization(None) };
    let call = client.call(&operation.method, &operation.target);
    if operation.is_form {
        return set_logo(&client, &png());
    }
    if operation.id == "importSnapshot" {
        return call.header("Content-Type", "application/x-ndjson").bytes(snapshot_file(server)).send();
    }
    match &operation.body {
        Some(body) => call.json(body).send(),
        None => call.send(),
    }
}

/// Returns the file of a snapshot of a new world.
fn snapshot_file(server: &Server) -> Vec<u8> {
    let (_, world) = make(server, json!({"template": "empty", "seed": "a file"}));
    let file = below_world(&world.account, &format!("snapshots/{}/file", snapshot(&world)));
    let file = world.get(&file).body;
    assert_eq!(server.client().call("DELETE", &world_path(&world.account)).send().status, 204);
    file
}

/// The answers that the document shows. With `FLORIN_UPDATE_EXAMPLES` set, this test records them.
const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../http-actix/src/routes/openapi/answers.json");

/// Stores an answer as an example: its status, and its body with at most one entry in each list.
fn record(answers: &mut BTreeMap<String, Value>, id: &str, answer: &Answer) {
    if answer.body.is_empty() {
        return;
    }
    let first_lines = || answer.text().lines().take(3).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let mut body = serde_json::from_slice(&answer.body).unwrap_or_else(|_| Value::from(first_lines()));
    shorten(&mut body);
    for (secret, shown) in [("apiKey", "florin_sandbox_…"), ("signingSecret", "whsec_…")] {
        if let Some(value) = body.get_mut(secret) {
            *value = shown.into();
        }
    }
    answers.insert(id.to_owned(), json!({"status": answer.status, "body": body}));
}

fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.truncate(1);
            items.iter_mut().for_each(shorten);
        }
        // The postings of a transaction add up to zero.
        Value::Object(members) => {
            members.iter_mut().filter(|(name, _)| *name != "postings").for_each(|(_, value)| shorten(value));
        }
        _ => {}
    }
}

/// Replaces the placeholder with the value from the answer of the operation that comes before.
fn filled(server: &Server, by_id: &BTreeMap<String, Operation>, operation: &Operation) -> Operation {
    let Some((_, before, place)) = FOLLOW_UPS.iter().find(|(id, ..)| *id == operation.id) else {
        return operation.clone();
    };
    let answer = send(server, &filled(server, by_id, &by_id[*before])).json();
    let value = answer.pointer(place).and_then(Value::as_str).unwrap_or_else(|| panic!("{before}: {answer}"));
    let mut operation = operation.clone();
    operation.target = operation.target.replace(PLACEHOLDER, value);
    operation.body = operation.body.map(|body| body.replace(PLACEHOLDER, value));
    operation
}

#[test]
fn every_example_succeeds() {
    let server = Server::sandbox();
    // An address can be deleted only while another one contains the caller's address.
    server.home().json(&["clients", "change", "demo", "--allow-network", "127.0.0.0/8", "--json"]);
    let document = server.client().get("/openapi.json?").json();
    let all = in_order(operations(&document));
    let by_id: BTreeMap<_, _> = all.iter().map(|operation| (operation.id.clone(), operation.clone())).collect();
    let (mut refused, mut follow_ups, mut answers) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
    for operation in &all {
        let mut operation = operation.clone();
        let text = format!("{} {:?}", operation.target, operation.body);
        if text.contains(PLACEHOLDER) {
            let known = FOLLOW_UPS.iter().find(|(id, ..)| *id == operation.id);
            let (id, before, place) = known.unwrap_or_else(|| panic!("{} has no id to show", operation.id));
            let answer = send(&server, &filled(&server, &by_id, &by_id[*before])).json();
            let value = answer.pointer(place).and_then(Value::as_str).unwrap_or_else(|| panic!("{before}: {answer}"));
            operation.target = operation.target.replace(PLACEHOLDER, value);
            operation.body = operation.body.map(|body| body.replace(PLACEHOLDER, value));
            follow_ups.insert(*id);
            if operation.target.contains(MESSAGE) || *id == "listDeliveries" {
                let sample = by_id["testWebhook"].clone();
                let sample = Operation { target: sample.target.replace(PLACEHOLDER, value), ..sample };
                let queued = send(&server, &sample).json();
                operation.target = operation.target.replace(MESSAGE, queued["messageId"].as_str().unwrap());
            }
        }
        operation.body = operation.body.map(|body| body.replace(RECENT, &now()));
        let answer = send(&server, &operation);
        record(&mut answers, &operation.id, &answer);
        if !(200..300).contains(&answer.status) {
            refused.push(format!("{} {} {}: {answer:?}", operation.id, operation.method, operation.target));
        }
    }
    assert!(refused.is_empty(), "{} of {}: {refused:#?}", refused.len(), all.len());
    assert_eq!(follow_ups, FOLLOW_UPS.map(|(id, ..)| id).into(), "follow-ups that need no id any more");
    assert!(all.len() >= 56, "{} operations", all.len());
    if std::env::var_os("FLORIN_UPDATE_EXAMPLES").is_some() {
        std::fs::write(ANSWERS, format!("{:#}\n", json!(answers))).unwrap();
    }
}
