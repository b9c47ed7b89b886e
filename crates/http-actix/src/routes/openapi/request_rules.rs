//! Adds rules of requests that the declarations of their members and parameters can't express.

use super::member_rules;
use super::schemas::visit_objects;
use serde_json::{Map, Value, json};

/// Adds the rules to the schemas of a document.
pub(super) fn finish(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        if let Some(parameters) = operation.get_mut("parameters") {
            visit_objects(parameters, &mut exclude_nul);
        }
    }
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    for (_, schema) in schemas.iter_mut().filter(|(name, _)| name.ends_with("Request")) {
        visit_objects(schema, &mut exclude_nul);
    }
    for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
        if schema.get("maxProperties") == Some(&json!(1)) {
            require_values(schema);
        }
    }
    member_rules::add(schemas);
}

/// Excludes null from the members of an object that must have exactly one member. A null member counts as absent.
fn require_values(schema: &mut Map<String, Value>) {
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    for member in members.into_iter().flat_map(Map::values_mut) {
        if let Some([kind, _null]) = member["type"].as_array().map(Vec::as_slice) {
            member["type"] = kind.clone();
        }
        if let Some(values) = member.get_mut("enum").and_then(Value::as_array_mut) {
            values.retain(|value| !value.is_null());
        }
    }
}

/// Excludes the NUL character, which PostgreSQL can't store, from a text without a pattern, format or enum.
fn exclude_nul(schema: &mut Map<String, Value>) {
    let is_text = schema.get("type").is_some_and(|kind| *kind == json!("string") || *kind == json!(["string", "null"]));
    if is_text && !["pattern", "format", "enum"].iter().any(|rule| schema.contains_key(*rule)) {
        schema.insert("pattern".to_owned(), json!("^[^\\u0000]*$"));
    }
}
