//! The examples of `/openapi.json` work: with the ids that their links lead to, every operation succeeds on the demo
//! data.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::examples::Examples;
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
        // The postings of a transaction add up to zero only if all are shown.
        Value::Object(members) => {
            members.iter_mut().filter(|(name, _)| *name != "postings").for_each(|(_, value)| shorten(value));
        }
        _ => {}
    }
}

#[test]
fn every_example_succeeds() {
    let server = Server::sandbox();
    let (client, examples) = (server.client(), Examples::of(&server));
    let (mut refused, mut answers) = (Vec::new(), BTreeMap::new());
    // A stream never ends by itself.
    for operation in examples.operations.iter().filter(|operation| operation.id != "streamEvents") {
        // An operation that ends its object is sent twice: the second time, it needs another object.
        for _ in 0..=usize::from(operation.ends_object()) {
            let operation = examples.ready(&server, operation);
            let answer = operation.send(&client);
            record(&mut answers, &operation.id, &answer);
            if (200..300).contains(&answer.status) {
                examples.record(&operation, &answer);
            } else {
                refused.push(format!("{} {} {}: {answer:?}", operation.id, operation.method, operation.target));
            }
        }
    }
    let count = examples.operations.len();
    assert!(refused.is_empty(), "{} of {count}: {refused:#?}", refused.len());
    let linked = examples.operations.iter().filter(|operation| operation.has_link()).count();
    assert!(count >= 130 && linked >= 50, "{count} operations, {linked} with links");
    if std::env::var_os("FLORIN_UPDATE_EXAMPLES").is_some() {
        std::fs::write(ANSWERS, format!("{:#}\n", json!(answers))).unwrap();
    }
}
