//! Finds the differences between two requests with the same idempotency key.

use super::value::{Kind, Value};
use florin_domain::fault::Faults;
use florin_ports::{RecordedBody, RecordedRequest};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the paths at which two requests with the same idempotency key differ. The list has at least one path.
pub(crate) fn differences(first: &RecordedRequest, second: &RecordedRequest) -> Vec<String> {
    let mut paths = Vec::new();
    if (&first.method, &first.path) != (&second.method, &second.path) {
        paths.push(String::new());
    }
    compare_texts(&first.query, &second.query, "query", &mut paths);
    match (&first.body, &second.body) {
        (RecordedBody::Json(first), RecordedBody::Json(second)) => compare_texts(first, second, "body", &mut paths),
        (first, second) if first != second => paths.push("body".to_owned()),
        _ => {}
    }
    if paths.is_empty() {
        paths.push(String::new());
    }
    paths.truncate(Faults::MAX);
    paths
}

fn compare_texts(first: &str, second: &str, path: &str, paths: &mut Vec<String>) {
    if first == second {
        return;
    }
    match (Value::parse(first), Value::parse(second)) {
        (Ok(first), Ok(second)) => compare(first, second, path, paths),
        _ => paths.push(path.to_owned()),
    }
}

/// Compares values of canonical texts. In these, equal values have equal texts.
fn compare(first: Value<'_>, second: Value<'_>, path: &str, paths: &mut Vec<String>) {
    if first.is_same_text(second) {
        return;
    }
    match (first.kind(), second.kind()) {
        (Kind::Object, Kind::Object) => {
            let (first, second) = (members(first), members(second));
            let names: BTreeSet<_> = first.keys().chain(second.keys()).collect();
            for name in names {
                let member_path = format!("{path}.{name}");
                match (first.get(name), second.get(name)) {
                    (Some(first), Some(second)) => compare(*first, *second, &member_path, paths),
                    _ => paths.push(member_path),
                }
            }
        }
        (Kind::Array, Kind::Array) => {
            let (first, second) = (items(first), items(second));
            if first.len() != second.len() {
                paths.push(path.to_owned());
                return;
            }
            for (index, (first, second)) in first.into_iter().zip(second).enumerate() {
                compare(first, second, &format!("{path}[{index}]"), paths);
            }
        }
        _ => paths.push(path.to_owned()),
    }
}

fn members(value: Value<'_>) -> BTreeMap<Cow<'_, str>, Value<'_>> {
    let mut members = BTreeMap::new();
    // The names in a recorded text are always valid.
    let _ = value.for_members(|name, value| {
        members.insert(name.0, value);
    });
    members
}

fn items(value: Value<'_>) -> Vec<Value<'_>> {
    let mut items = Vec::new();
    let _ = value.for_items(|item| items.push(item));
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_paths() {
        let request = |path: &str, query: &str, body: &str| RecordedRequest {
            method: "POST".to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            body: RecordedBody::Json(body.to_owned()),
        };
        let first = request("/a", r#"{"accountId":"F1"}"#, r#"{"amount":1,"x":{"y":[1,2]}}"#);
        let second = request("/b", r#"{"accountId":"F2"}"#, r#"{"amount":2,"x":{"y":[1,3]},"z":null}"#);
        assert_eq!(differences(&first, &second), ["", "query.accountId", "body.amount", "body.x.y[1]", "body.z"]);
    }
}
