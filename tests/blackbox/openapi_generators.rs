//! The parts of the OpenAPI document that generators of clients rely on: names, descriptions, examples, scopes, headers
//! and exact numbers.

use serde_json::Value;

use crate::openapi::document;
use crate::support::{expect_error, shared};

/// Visits every object of the document with its place.
fn visit_objects(value: &Value, place: &str, visit: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(members) => {
            visit(place, value);
            members.iter().for_each(|(name, inner)| visit_objects(inner, &format!("{place}/{name}"), visit));
        }
        Value::Array(items) => items.iter().for_each(|inner| visit_objects(inner, place, visit)),
        _ => {}
    }
}

fn operations() -> impl Iterator<Item = (&'static str, &'static str, &'static Value)> {
    let paths = document()["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(move |(method, operation)| (&**method, &**path, operation))
    })
}

#[test]
fn rows_have_names_and_no_number_is_a_double() {
    let mut wrong = Vec::new();
    visit_objects(document(), "", &mut |place, object| {
        if object["items"].get("properties").is_some() {
            wrong.push(format!("{place}: items without a name"));
        }
        if matches!(object["format"].as_str(), Some("double" | "float")) {
            wrong.push(format!("{place}: a binary float"));
        }
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(document()["components"]["schemas"].get("CardList").is_some());
}

#[test]
fn everything_has_a_description_and_an_example() {
    let mut missing = Vec::new();
    for (method, path, operation) in operations() {
        let mut need = |what: &str, found: bool| {
            if !found {
                missing.push(format!("{method} {path}: {what}"));
            }
        };
        need("description", operation["description"].is_string());
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            need(name, parameter["description"].is_string());
            need(name, parameter.get("example").is_some() || parameter["schema"]["examples"].is_array());
        }
        if let Some(body) = operation.get("requestBody") {
            need("body", body["description"].is_string());
            for (media_type, content) in body["content"].as_object().unwrap() {
                need(media_type, content.get("example").is_some_and(|example| !example.is_null()));
            }
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            need(status, response["description"].is_string());
            need(status, response["headers"]["X-Request-Id"].is_object());
            for content in response["content"].as_object().into_iter().flat_map(|content| content.values()) {
                need(status, content.get("example").is_some());
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn the_scope_of_an_operation_is_the_one_that_the_server_requires() {
    let limited = shared().limited();
    for (method, path, operation) in operations() {
        let Some(scope) = operation["security"][0]["apiKey"][0].as_str() else {
            assert!(!path.starts_with("/v2"), "{method} {path} names no scope");
            continue;
        };
        let target = path.split('/').map(|part| if part.starts_with('{') { "x" } else { part }).collect::<Vec<_>>();
        let answer = limited.call(&method.to_uppercase(), &target.join("/")).send();
        let faults = expect_error(&answer, 403);
        assert!(faults[0].message.contains(scope), "{method} {path}: {scope} in {faults:?}");
    }
}

#[test]
fn repeatable_operations_declare_the_headers_of_a_replay() {
    let mut repeatable = 0;
    for (method, path, operation) in operations() {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        if !parameters.into_iter().any(|parameter| parameter["name"] == "Idempotency-Key") {
            continue;
        }
        repeatable += 1;
        for (status, response) in operation["responses"].as_object().unwrap() {
            let headers = &response["headers"];
            assert_eq!(headers["Idempotent-Replayed"].is_object(), status.starts_with('2'), "{method} {path} {status}");
            let waits = matches!(status.as_str(), "429" | "503");
            assert_eq!(headers["Retry-After"].is_object(), waits, "{method} {path} {status}");
        }
    }
    assert!(repeatable > 20);
}

/// The examples of answers were recorded from the server; their schemas may have changed since.
#[test]
fn examples_of_answers_match_their_schemas() {
    let mut wrong = Vec::new();
    for (method, path, operation) in operations() {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let content = &response["content"]["application/json"];
            if content.is_null() {
                continue;
            }
            let schema = serde_json::json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "allOf": [content["schema"]],
                "components": document()["components"]
            });
            let validator = jsonschema::validator_for(&schema).unwrap();
            wrong.extend(
                validator.iter_errors(&content["example"]).map(|error| format!("{method} {path} {status}: {error}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
