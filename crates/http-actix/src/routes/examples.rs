//! Examples in the OpenAPI document: requests that succeed on the demo data, so that "Try it out" works for every
//! operation.
//!
//! `examples.json` lists them by operation: parameters by name, and the body. A parameter in [`SHARED`] has the same
//! example in every operation, unless the file lists another one. A value that only an earlier exchange can provide,
//! such as the id of an object that the operation deletes, is a runtime expression of OpenAPI. The expression
//! refers to the request or the response of the operation that `after` names. The document shows the recorded value,
//! and has a link (see [`super::links`]).

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

/// Examples of one operation.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Example {
    /// The `operationId` of the operation that the expressions refer to.
    pub(super) after: Option<String>,
    /// Whether the operation uses up the object of the exchange that the expressions refer to: no further example can
    /// change that object.
    pub(super) uses_up: bool,
    /// Values of parameters, by name.
    pub(super) parameters: BTreeMap<String, Value>,
    /// The request body. `None`: the operation has no JSON body.
    pub(super) body: Option<Value>,
}

/// The examples of all operations, by `operationId`.
pub(super) static EXAMPLES: LazyLock<BTreeMap<String, Example>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

/// Responses (status and body) to the example requests, by `operationId`. The black-box tests record them.
pub(super) static ANSWERS: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("openapi/answers.json")).unwrap_or_default());

/// The value of an expression until the response that it refers to is recorded.
const NOT_RECORDED: &str = "0198c0de-0000-7000-8000-000000000000";

/// Parameters with the same meaning in every operation: name, place, value.
const SHARED: [(&str, ParameterIn, &str); 9] = [
    ("accountId", ParameterIn::Query, "F50091"),
    ("budgetId", ParameterIn::Path, "0198c0de-0005-7000-8000-000000000001"),
    ("cardId", ParameterIn::Path, "0198c0de-0006-7000-8000-000000000001"),
    ("accountId", ParameterIn::Path, "F50091"),
    ("checkoutId", ParameterIn::Path, "0198c0de-0003-7000-8000-000000000001"),
    ("settlementAccountId", ParameterIn::Path, "0198c0de-0004-7000-8000-000000000001"),
    ("payeeId", ParameterIn::Path, "0198c0de-000e-7000-8000-000000000001"),
    ("personId", ParameterIn::Path, "0198c0de-000c-7000-8000-000000000001"),
    ("paymentBatchId", ParameterIn::Path, "0198c0de-0008-7000-8000-000000000001"),
];

/// Adds the examples to a document.
pub(super) fn add(document: &mut OpenApi) {
    for operation in operations(document) {
        let id = operation.operation_id.clone().unwrap_or_default();
        add_example(operation, EXAMPLES.get(&id).unwrap_or(&Example::default()));
    }
}

/// Returns the operations of a document.
pub(super) fn operations(document: &mut OpenApi) -> impl Iterator<Item = &mut Operation> {
    document.paths.paths.values_mut().flat_map(|item| {
        let PathItem { get, put, post, delete, patch, .. } = item;
        [get, put, post, delete, patch].into_iter().flatten()
    })
}

fn add_example(operation: &mut Operation, example: &Example) {
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(parameter) = parameter else { continue };
        let own = example.parameters.get(&parameter.name).map(|value| shown(value, example));
        if let Some(value) = own.or_else(|| shared(&parameter.name, &parameter.parameter_in)) {
            *parameter = ParameterBuilder::from(parameter.clone()).example(Some(value)).build();
        }
    }
    if let (Some(RefOr::T(body)), Some(value)) = (&mut operation.request_body, &example.body)
        && let Some(RefOr::T(content)) = body.content.get_mut("application/json")
    {
        content.example = Some(shown(value, example));
    }
}

/// Returns the example that a parameter has in every operation.
fn shared(name: &str, place: &ParameterIn) -> Option<Value> {
    let known = SHARED.iter().find(|(known, found, _)| *known == name && found == place);
    known.map(|(_, _, value)| Value::from(*value))
}

/// Whether a value is a runtime expression.
pub(super) fn is_expression(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with('$'))
}

/// Returns a value of an example with recorded values instead of its expressions.
fn shown(value: &Value, example: &Example) -> Value {
    match value {
        Value::String(text) if is_expression(value) => {
            let after = example.after.as_deref().unwrap_or_default();
            recorded(text, after).unwrap_or_else(|| NOT_RECORDED.into())
        }
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), shown(member, example))).collect(),
        Value::Array(items) => items.iter().map(|item| shown(item, example)).collect(),
        other => other.clone(),
    }
}

/// Returns the value of an expression in the recorded exchange with an operation.
fn recorded(expression: &str, operation: &str) -> Option<Value> {
    if let Some(pointer) = expression.strip_prefix("$response.body") {
        return ANSWERS.get(operation)?.get("body")?.pointer(pointer.trim_start_matches('#')).cloned();
    }
    let example = EXAMPLES.get(operation)?;
    let parameter = |name: &str, place| example.parameters.get(name).cloned().or_else(|| shared(name, &place));
    let value = if let Some(name) = expression.strip_prefix("$request.path.") {
        parameter(name, ParameterIn::Path)
    } else if let Some(name) = expression.strip_prefix("$request.query.") {
        parameter(name, ParameterIn::Query)
    } else {
        example.body.as_ref()?.pointer(expression.strip_prefix("$request.body#")?).cloned()
    };
    Some(shown(&value?, example))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_belongs_to_an_operation() {
        let examples: BTreeMap<String, Example> = serde_json::from_str(include_str!("examples.json")).unwrap();
        let document = crate::routes::openapi::text();
        let named = examples.values().filter_map(|example| example.after.as_ref());
        for operation in examples.keys().chain(named) {
            assert!(document.contains(&format!("\"operationId\":\"{operation}\"")), "{operation} does not exist");
        }
    }

    #[test]
    fn every_expression_has_a_recorded_value() {
        let document = crate::routes::openapi::text();
        assert!(!document.contains(NOT_RECORDED), "an expression of examples.json has no value in answers.json");
        let is_shown = |start: &str| document.contains(&format!("\"example\":\"{start}."));
        assert!(!is_shown("$response") && !is_shown("$request"), "an example is an expression");
    }

    #[test]
    fn recorded_answers_can_be_read() {
        assert!(ANSWERS.len() > 40, "{} answers", ANSWERS.len());
    }
}
