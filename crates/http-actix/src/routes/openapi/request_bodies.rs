//! Finishes the request bodies of the OpenAPI document: descriptions, examples, and whether a body is required.

use crate::routes::examples::ANSWERS;
use serde_json::{Map, Value, json};

/// The example of a CSV upload of payments.
const PAYMENTS: &str = "amount,currencyCode,recipient.name,recipient.accountIdentifier,recipient.bankIdentifier\n\
    1200.00,GBP,Ada Lovelace,66374958,089999\n";

/// Finishes the bodies of all operations and webhooks.
pub(super) fn finish(document: &mut Value) {
    let schemas = document["components"]["schemas"].clone();
    for section in ["paths", "webhooks"] {
        let items = document[section].as_object_mut().into_iter().flat_map(Map::values_mut);
        for operation in items.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
            if let Some(body) = operation.get_mut("requestBody").and_then(Value::as_object_mut) {
                allow_absence(body);
                add_examples(body);
                describe(body, &schemas);
            }
        }
    }
}

/// Makes a body optional if its schema also allows null. The body may be missing, but cannot be the JSON value `null`.
fn allow_absence(body: &mut Map<String, Value>) {
    let schema = body.get_mut("content").and_then(|content| content.pointer_mut("/application~1json/schema"));
    let Some(schema) = schema else { return };
    let choices = schema.get("oneOf").and_then(Value::as_array).map(Vec::as_slice);
    if let Some([inner, null]) = choices
        && *null == json!({"type": "null"})
    {
        *schema = inner.clone();
        body.insert("required".to_owned(), false.into());
    }
}

/// Adds examples to bodies that are not JSON, and schemas to CSV and NDJSON bodies.
fn add_examples(body: &mut Map<String, Value>) {
    let content = body.get_mut("content").and_then(Value::as_object_mut);
    for (media_type, definition) in content.into_iter().flatten() {
        match media_type.as_str() {
            "text/csv" => *definition = json!({"schema": {"type": "string", "minLength": 1}, "example": PAYMENTS}),
            "multipart/form-data" => definition["example"] = json!({"file": "(the bytes of logo.png)"}),
            "application/x-ndjson" => {
                let example = &ANSWERS["exportSnapshot"]["body"];
                *definition = json!({"schema": {"type": "string", "minLength": 1}, "example": example});
            }
            _ => {}
        }
    }
}

/// Gives a body without a description the description of its schema.
fn describe(body: &mut Map<String, Value>, schemas: &Value) {
    if body.contains_key("description") {
        return;
    }
    let mut contents = body.get("content").and_then(Value::as_object).into_iter().flat_map(Map::values);
    let description = contents.find_map(|content| description_of(&content["schema"], schemas));
    if let Some(description) = description {
        body.insert("description".to_owned(), description);
    }
}

fn description_of(schema: &Value, schemas: &Value) -> Option<Value> {
    let name = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next());
    let schema = name.map_or(schema, |name| &schemas[name]);
    schema.get("description").cloned()
}
