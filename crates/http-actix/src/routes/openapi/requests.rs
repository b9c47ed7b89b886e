//! Adds rules of requests that the declarations of their members and parameters can't express.

use super::schemas::each;
use serde_json::{Map, Value, json};

/// Adds the rules to the schemas of a document.
pub(super) fn finish(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        if let Some(parameters) = operation.get_mut("parameters") {
            each(parameters, &mut exclude_nul);
        }
    }
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    for (_, schema) in schemas.iter_mut().filter(|(name, _)| name.ends_with("Request")) {
        each(schema, &mut exclude_nul);
    }
    for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
        if schema.get("maxProperties") == Some(&json!(1)) {
            require_values(schema);
        }
    }
    if let Some(card) = schemas.get_mut("CreateCardRequest").and_then(Value::as_object_mut) {
        let shared = kind("Shared card", ("cardOwnerType", "BUDGET"), &["budgetId"], &["personId", "budgets"]);
        let personal = kind("Individual card", ("cardOwnerType", "PEOPLE"), &["personId", "budgets"], &["budgetId"]);
        card.insert("oneOf".to_owned(), json!([shared, personal]));
    }
    if let Some(budget) = schemas.get_mut("CreateBudgetRequest").and_then(Value::as_object_mut) {
        let shared = kind("Shared budget", ("type", "shared"), &[], &["personaId"]);
        let individual = kind("Individual budget", ("type", "individual"), &["personaId"], &[]);
        budget.insert("oneOf".to_owned(), json!([shared, individual]));
    }
    if let Some(details) = schemas.get_mut("BankDetailsRequest").and_then(Value::as_object_mut) {
        let uk = kind("UK account", ("type", "SORT_CODE"), &["sortCode", "accountNumber"], &["iban"]);
        let iban = kind("IBAN", ("type", "IBAN"), &["iban"], &["sortCode", "accountNumber"]);
        details.insert("oneOf".to_owned(), json!([uk, iban]));
    }
    if let Some(world) = schemas.get_mut("CreateWorldRequest").and_then(Value::as_object_mut) {
        let replace =
            json!({"properties": {"replace": {"const": true}, "seed": {"type": "null"}}, "required": ["replace"]});
        let rules = json!([not_both("snapshotId", "template"), not_both("snapshotId", "startsAt"), {"not": replace}]);
        world.insert("allOf".to_owned(), rules);
    }
}

/// Returns the schema of one kind of an object: `member` has the value `name`, the `required` members have values, and
/// the `excluded` members are absent. A null member counts as absent.
fn kind(title: &str, (member, name): (&str, &str), required: &[&str], excluded: &[&str]) -> Value {
    let mut properties = Map::from_iter([(member.to_owned(), json!({"const": name}))]);
    properties.extend(required.iter().map(|needed| ((*needed).to_owned(), json!({"not": {"type": "null"}}))));
    properties.extend(excluded.iter().map(|left_out| ((*left_out).to_owned(), json!({"type": "null"}))));
    // Every kind requires the member that names it. This shows generators that the kinds exclude one another.
    let required: Vec<_> = [member].into_iter().chain(required.iter().copied()).collect();
    json!({"title": title, "type": "object", "properties": properties, "required": required})
}

fn not_both(one: &str, other: &str) -> Value {
    let text = json!({"type": "string"});
    json!({"not": {"type": "object", "properties": {one: text, other: text}, "required": [one, other]}})
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
