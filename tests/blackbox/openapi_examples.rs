//! The examples of `/openapi.json` work: in this order, every operation succeeds on the demo data.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::examples::{Examples, FOLLOW_UPS, example_answer};
use crate::support::{Answer, Server};

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

#[test]
fn every_example_succeeds() {
    let server = Server::sandbox();
    // An address can be deleted only while another one contains the caller's address.
    server.home().json(&["clients", "change", "demo", "--allow-network", "127.0.0.0/8", "--json"]);
    let examples = Examples::of(&server);
    let (mut refused, mut follow_ups, mut answers) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
    // A stream never ends by itself.
    for operation in examples.0.iter().filter(|operation| operation.id != "streamEvents") {
        if operation.has_placeholder() {
            follow_ups.insert(operation.id.as_str());
        }
        let operation = examples.ready(&server, operation);
        let answer = example_answer(&server, &operation);
        record(&mut answers, &operation.id, &answer);
        if !(200..300).contains(&answer.status) {
            refused.push(format!("{} {} {}: {answer:?}", operation.id, operation.method, operation.target));
        }
    }
    assert!(refused.is_empty(), "{} of {}: {refused:#?}", refused.len(), examples.0.len());
    assert_eq!(follow_ups, FOLLOW_UPS.map(|(id, ..)| id).into(), "follow-ups that need no id any more");
    assert!(examples.0.len() >= 57, "{} operations", examples.0.len());
    if std::env::var_os("FLORIN_UPDATE_EXAMPLES").is_some() {
        std::fs::write(ANSWERS, format!("{:#}\n", json!(answers))).unwrap();
    }
}
