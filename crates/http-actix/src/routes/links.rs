//! Links in the OpenAPI document: which value of an exchange with one operation is a parameter, or a member of the
//! body, of another operation. The expressions of the examples determine the links.

use super::examples::{EXAMPLES, Example, is_expression, operations};
use serde_json::Value;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::link::{Link, LinkBuilder};
use utoipa::openapi::{OpenApi, RefOr};

/// The member that marks a link to an operation that uses up the linked object: no later example can change that
/// object. The docs page creates another object for later examples.
const USES_UP: &str = "x-florin-uses-up";

/// Adds the links to the successful responses of a document.
pub(super) fn add(document: &mut OpenApi) {
    for operation in operations(document) {
        let id = operation.operation_id.as_deref();
        let targets = EXAMPLES.iter().filter(|(_, example)| example.after.is_some() && example.after.as_deref() == id);
        let links: Vec<_> = targets.map(|(target, example)| (target.clone(), link(target, example))).collect();
        for (status, response) in &mut operation.responses.responses {
            if let RefOr::T(response) = response
                && status.starts_with('2')
            {
                response.links.extend(links.iter().map(|(name, link)| (name.clone(), RefOr::T(link.clone()))));
            }
        }
    }
}

fn link(target: &str, example: &Example) -> Link {
    let mut link = LinkBuilder::new().operation_id(target);
    for (name, value) in example.parameters.iter().filter(|(_, value)| is_expression(value)) {
        link = link.parameter(name, value.clone());
    }
    let body = example.body.as_ref().filter(|body| has_expression(body));
    let extensions = example.uses_up.then(|| Extensions::from_iter([(USES_UP, true)]));
    link.request_body(body.cloned()).extensions(extensions).build()
}

fn has_expression(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().any(has_expression),
        Value::Array(items) => items.iter().any(has_expression),
        other => is_expression(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;
    use std::collections::BTreeMap;

    fn operations_by_id() -> BTreeMap<String, Value> {
        let document: Value = serde_json::from_str(crate::routes::openapi::text()).unwrap();
        let items = document["paths"].as_object().unwrap().values().filter_map(Value::as_object);
        let operations = items.flat_map(Map::values).filter(|operation| operation["operationId"].is_string());
        operations.map(|item| (item["operationId"].as_str().unwrap().to_owned(), item.clone())).collect()
    }

    #[test]
    fn every_link_fits_the_operation_that_it_leads_to() {
        let all = operations_by_id();
        let mut linked = BTreeMap::new();
        for (source, operation) in &all {
            let responses = operation["responses"].as_object().unwrap().values();
            for link in responses.filter_map(|response| response["links"].as_object()).flat_map(Map::values) {
                let target = link["operationId"].as_str().unwrap();
                let parameters = all[target]["parameters"].as_array().unwrap();
                for name in link["parameters"].as_object().into_iter().flat_map(Map::keys) {
                    assert!(parameters.iter().any(|known| known["name"] == *name), "{target} has no parameter {name}");
                }
                assert!(link.get("parameters").is_some() || link.get("requestBody").is_some(), "{target}");
                assert_eq!(linked.entry(target.to_owned()).or_insert_with(|| source.clone()), source, "{target}");
            }
        }
        assert_eq!(linked.len(), EXAMPLES.values().filter(|example| example.after.is_some()).count());
    }

    #[test]
    fn a_link_names_the_value_of_the_response() {
        let created = &operations_by_id()["createWebhook"]["responses"]["201"]["links"];
        let expected = serde_json::json!({
            "operationId": "deleteWebhook",
            "parameters": {"webhookId": "$response.body#/id"}
        });
        assert_eq!(created["deleteWebhook"], expected);
    }
}
