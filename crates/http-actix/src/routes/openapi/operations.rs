//! Finishes the operations of the OpenAPI document: headers, descriptions and examples.

use crate::routes::examples::ANSWERS;
use serde_json::{Map, Value, json};

/// The example of an event stream: its beginning.
const STREAM: &str = ": connected\n\nid: 01a201e9-8ec7-7627-8824-3cd557968b01\nevent: CardTransaction\n\
    data: {\"body\": {\"webhookEventTypeName\": \"CardTransaction\"}}\n\n";

const REQUEST_ID: &str = "X-Request-Id";
/// The request id in examples.
const EXAMPLE_ID: &str = "01a201e9-8ec7-7627-8824-3cd557968b01";
const REPLAYED: &str = "Idempotent-Replayed";
const RETRY_AFTER: &str = "Retry-After";

/// Finishes all operations.
pub(super) fn finish(document: &mut Value) {
    document["components"]["headers"] = headers();
    let Some(paths) = document["paths"].as_object_mut() else { return };
    for operation in paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        if operation["security"] == json!([{}]) {
            // An empty list says more clearly that the operation needs no key.
            operation["security"] = json!([]);
        }
        let accepts_key = has_idempotency_key(operation);
        describe(operation, accepts_key);
        add_parameter_examples(operation);
        if let Some(stream) = operation.pointer_mut("/responses/200/content/text~1event-stream") {
            stream["example"] = STREAM.into();
        }
        let required = required_place(operation);
        let Some(responses) = operation["responses"].as_object_mut() else { continue };
        for (status, response) in responses.iter_mut() {
            add_headers(status, response, accepts_key);
            if status.starts_with('2') {
                add_example(response, ANSWERS.get(&id));
            } else {
                add_error_example(status, response, &required);
            }
        }
    }
}

/// Returns the shared definitions of response headers. Responses refer to them by name.
fn headers() -> Value {
    json!({
        REQUEST_ID: {
            "description": "The id of the request in the log: as sent if it has this form, otherwise new.",
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
            "example": EXAMPLE_ID
        },
        REPLAYED: {
            "description": "Sent if this is the stored response to an earlier request with the same idempotency key.",
            "schema": {"type": "string", "enum": ["true"]},
            "example": "true"
        },
        RETRY_AFTER: {
            "description": "Number of seconds to wait before a retry.",
            "schema": {"type": "integer", "minimum": 1},
            "example": 1
        },
        "WWW-Authenticate": {
            "description": "The scheme of the credentials.",
            "schema": {"type": "string", "enum": ["ApiKey"]},
            "example": "ApiKey"
        }
    })
}

fn has_idempotency_key(operation: &Value) -> bool {
    let parameters = operation["parameters"].as_array();
    parameters.is_some_and(|all| all.iter().any(|parameter| parameter["name"] == "Idempotency-Key"))
}

/// Appends the required scope to the description, and a note about `Idempotency-Key` if the operation accepts one.
/// Since OpenAPI 3.1, a security requirement can list roles for every type of security scheme: here, the scope.
fn describe(operation: &mut Value, accepts_key: bool) {
    let description = operation["description"].as_str().map(str::to_owned);
    let scope = operation.pointer("/security/0/apiKey/0").and_then(Value::as_str);
    let access = scope.map_or_else(|| "Needs no API key.".to_owned(), |scope| format!("Requires the scope `{scope}`."));
    let retry = "Send an `Idempotency-Key` to make retries safe.".to_owned();
    let parts = description.into_iter().chain([access]).chain(accepts_key.then_some(retry));
    operation["description"] = parts.collect::<Vec<_>>().join("\n\n").into();
}

/// Adds an example to the schema of each parameter without an `example`. Interactive pages fill in the `example` of a
/// parameter, but not the examples of its schema.
fn add_parameter_examples(operation: &mut Value) {
    for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
        if parameter.get("example").is_none() {
            let example = example(parameter["name"].as_str().unwrap_or_default(), &parameter["schema"]);
            parameter["schema"]["examples"] = json!([example]);
        }
    }
}

fn example(name: &str, schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    // A list of names has a pattern such as `^(asc|desc)(,(asc|desc))*$`.
    let names = schema["pattern"].as_str().and_then(|pattern| pattern.strip_prefix("^(")?.split_once(")(,("));
    if let Some(first) = names.and_then(|(names, _)| names.split('|').next()) {
        return first.into();
    }
    match (name, schema["type"].as_str(), schema["format"].as_str()) {
        ("limit", ..) => 100.into(),
        ("offset", ..) => 0.into(),
        ("cursor", ..) => "0".into(),
        ("currencyCode", ..) => "GBP".into(),
        ("search", ..) => "travel".into(),
        ("emailAddress", ..) => "ada@example.com".into(),
        ("Idempotency-Key", ..) => "order-1234".into(),
        (_, Some("boolean"), _) => false.into(),
        (_, _, Some("date")) => "2026-09-01".into(),
        (_, _, Some("date-time")) => "2026-09-01T12:00:00Z".into(),
        _ => "0198c0de-0005-7000-8000-000000000001".into(),
    }
}

fn add_headers(status: &str, response: &mut Value, accepts_key: bool) {
    let mut names = vec![REQUEST_ID];
    match status {
        "401" => names.push("WWW-Authenticate"),
        "429" | "503" => names.push(RETRY_AFTER),
        _ if status.starts_with('2') && accepts_key => names.push(REPLAYED),
        _ => {}
    }
    for name in names {
        response["headers"][name] = json!({"$ref": format!("#/components/headers/{name}")});
    }
}

fn add_example(response: &mut Value, answer: Option<&Value>) {
    let (Some(content), Some(answer)) = (response.get_mut("content").and_then(Value::as_object_mut), answer) else {
        return;
    };
    // An operation with two success statuses returns the same kind of body with both.
    content.values_mut().for_each(|content| content["example"] = answer["body"].clone());
}

/// Returns the path of a value that the operation requires: the account in the query, if the operation has this
/// parameter. Otherwise the body or, if there is no body, the first parameter of the query.
fn required_place(operation: &Value) -> String {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let query: Vec<_> = parameters.filter(|parameter| parameter["in"] == "query").map(|query| &query["name"]).collect();
    match query.first().and_then(|first| first.as_str()) {
        Some(_) if query.iter().any(|name| *name == "accountId") => "query.accountId".to_owned(),
        Some(first) if operation.get("requestBody").is_none() => format!("query.{first}"),
        _ => "body".to_owned(),
    }
}

/// Adds an example error with the first code that the description of the response names. `required` is the path of a
/// value that is required.
fn add_error_example(status: &str, response: &mut Value, required: &str) {
    let about = response["description"].as_str().unwrap_or_default();
    let code = about.split('`').nth(1).unwrap_or("internal").to_owned();
    let Some(content) = response.pointer_mut("/content/application~1json") else { return };
    let (path, message) = match code.as_str() {
        "required" => (required, "is required"),
        "invalid_json" => ("body", "must be valid JSON: expected value at line 1 column 1"),
        "invalid_value" => ("query.dryRun", "is not available for this operation"),
        "out_of_range" => ("query.limit", "must be between 1 and 1000"),
        "missing_credentials" => ("header.Authorization", "is required: send `ApiKey <key>`"),
        "invalid_credentials" => ("header.Authorization", "must be a valid API key"),
        "not_found" => ("query.accountId", "must name an existing account"),
        "payload_too_large" => ("body", "must be at most 1048576 bytes"),
        "unsupported_media_type" => ("header.Content-Type", "must be sent as application/json in UTF-8"),
        "idempotency_mismatch" => ("body", "differs from the first request"),
        "rate_limited" => ("", "too many requests; retry after the interval in Retry-After"),
        "overloaded" => ("", "server overloaded; retry after the interval in Retry-After"),
        "internal" => ("", "internal error"),
        _ => ("", "the current state does not allow this"),
    };
    let full_message = match code.as_str() {
        "idempotency_mismatch" => "idempotency key already used for a different request".to_owned(),
        _ if path.is_empty() => message.to_owned(),
        _ => format!("{path} {message}"),
    };
    let full_message =
        if status.starts_with('5') { format!("{full_message} (request id {EXAMPLE_ID})") } else { full_message };
    content["example"] =
        json!({"message": full_message, "errors": [{"path": path, "message": message, "errorCode": code}]});
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_domain::access::Scope;

    #[test]
    fn every_operation_with_a_key_declares_its_scope() {
        let document: Value = serde_json::from_str(crate::routes::openapi::text()).unwrap();
        let mut without_key = Vec::new();
        let paths = document["paths"].as_object().unwrap().values().filter_map(Value::as_object);
        for operation in paths.flat_map(Map::values) {
            match operation["security"].as_array().map(Vec::as_slice) {
                Some([]) => without_key.push(operation["operationId"].as_str().unwrap()),
                Some([key]) => {
                    let scope = key["apiKey"][0].as_str();
                    let is_scope = Scope::ALL.iter().any(|known| Some(known.as_str()) == scope);
                    assert!(is_scope, "{} {scope:?}", operation["operationId"]);
                }
                security => panic!("{} {security:?}", operation["operationId"]),
            }
        }
        assert_eq!(without_key, ["healthz", "readyz"]);
    }

    #[test]
    fn the_table_of_scopes_is_complete() {
        let page = include_str!("../../../../../docs/CONTRACT-CHOICES.md");
        let table = page.split("### 1.1 Authentication").nth(1).unwrap().split("### 1.2").next().unwrap();
        for scope in Scope::ALL {
            assert!(table.contains(&format!("`{scope}`")), "{scope} is not in docs/CONTRACT-CHOICES.md");
        }
    }
}
