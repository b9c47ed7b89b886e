//! Checks bodies of events against the section `webhooks` of the OpenAPI document.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::assert::text;
use super::server::BINARY;

/// Checks the body of an event against the OpenAPI document, which must describe every member.
pub(crate) fn assert_described(body: &Value) {
    let name = text(body, "/webhookEventTypeName");
    let complaints: Vec<_> =
        validator(name).iter_errors(&json!({"body": body})).map(|error| error.to_string()).collect();
    assert!(complaints.is_empty(), "{name}: {complaints:#?} in {body:#}");
    let described = resolved(&resolved(schema(name))["properties"]["body"])["properties"].as_object().unwrap();
    let unknown: Vec<_> = body.as_object().unwrap().keys().filter(|member| !described.contains_key(*member)).collect();
    assert!(unknown.is_empty(), "{name}: {unknown:?} are not described");
}

/// Returns the schema of an event's envelope.
fn schema(name: &str) -> &'static Value {
    &document()["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]["schema"]
}

/// Returns what a schema refers to, or the schema itself.
fn resolved(schema: &'static Value) -> &'static Value {
    match schema["$ref"].as_str() {
        Some(reference) => resolved(document().pointer(reference.trim_start_matches('#')).unwrap()),
        None => schema,
    }
}

/// Returns the validator of an event's envelope. It is built once for each type.
fn validator(name: &str) -> Arc<Validator> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Validator>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(validator) = known.get(name) {
        return Arc::clone(validator);
    }
    let schema = schema(name);
    assert!(schema.is_object(), "{name} is not described");
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [schema],
        "components": document()["components"]
    });
    let validator = Arc::new(jsonschema::validator_for(&schema).unwrap());
    known.insert(name.to_owned(), Arc::clone(&validator));
    validator
}

/// Returns the document, as `florin openapi` prints it.
fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        // The environment variables of the tests are not settings of the program.
        let mut command = Command::new(BINARY);
        command.arg("openapi").env_clear().current_dir(std::env::temp_dir());
        let printed = command.output().unwrap();
        assert!(printed.status.success(), "{printed:?}");
        serde_json::from_slice(&printed.stdout).unwrap()
    })
}
