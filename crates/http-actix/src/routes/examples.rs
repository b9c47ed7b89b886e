//! Examples in the OpenAPI document: requests that succeed on the demo data, so that "Try it out" works for every
//! operation.
//!
//! `examples.json` lists them by operation: parameters by name, and the body. A parameter in [`SHARED`] has the same
//! example in every operation, unless the file lists another one.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

/// Examples of one operation.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    /// Values of parameters, by name.
    #[serde(default)]
    parameters: BTreeMap<String, Value>,
    /// The request body. `None`: the operation has no JSON body.
    body: Option<Value>,
}

/// The examples of all operations, by `operationId`.
static EXAMPLES: LazyLock<BTreeMap<String, Example>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

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
    for item in document.paths.paths.values_mut() {
        let PathItem { get, put, post, delete, patch, .. } = item;
        for operation in [get, put, post, delete, patch].into_iter().flatten() {
            let id = operation.operation_id.clone().unwrap_or_default();
            add_example(operation, EXAMPLES.get(&id).unwrap_or(&Example::default()));
        }
    }
}

fn add_example(operation: &mut Operation, example: &Example) {
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(described) = parameter else { continue };
        if let Some(value) = example.parameters.get(&described.name).cloned().or_else(|| shared(described)) {
            *described = ParameterBuilder::from(described.clone()).example(Some(value)).build();
        }
    }
    if let (Some(RefOr::T(body)), Some(value)) = (&mut operation.request_body, &example.body)
        && let Some(RefOr::T(content)) = body.content.get_mut("application/json")
    {
        content.example = Some(value.clone());
    }
}

fn shared(parameter: &Parameter) -> Option<Value> {
    let known = SHARED.iter().find(|(name, place, _)| *name == parameter.name && *place == parameter.parameter_in);
    known.map(|(_, _, value)| Value::from(*value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_belongs_to_an_operation() {
        let examples: BTreeMap<String, Example> = serde_json::from_str(include_str!("examples.json")).unwrap();
        let document = crate::routes::openapi::text();
        for operation in examples.keys() {
            assert!(document.contains(&format!("\"operationId\":\"{operation}\"")), "{operation} does not exist");
        }
    }
}
