//! JSON as it was written: number texts, duplicate members and all.
//!
//! `serde_json` checks the syntax; its raw values keep what a tree of its own would lose.

use florin_ports::{RecordedBody, RecordedRequest};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// The deepest nesting.
pub(crate) const MAX_LEVELS: usize = 64;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// Its literal text.
    Number(String),
    /// `None`: with a lone surrogate, so no text.
    String(Option<String>),
    Array(Vec<Json>),
    /// In the order written, duplicates included.
    Object(Vec<(String, Json)>),
}

/// Text that is not JSON, or nested too deep.
#[derive(Debug)]
pub(crate) struct NotJson(pub(crate) String);

impl Json {
    /// Reads a whole text.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, NotJson> {
        let text = std::str::from_utf8(bytes).map_err(|_| NotJson("The body is not UTF-8.".to_owned()))?;
        if levels(text) > MAX_LEVELS {
            return Err(NotJson(format!("The body is nested deeper than {MAX_LEVELS} levels.")));
        }
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| NotJson(format!("Not JSON: {error}.")))?;
        Self::of(raw)
    }

    fn of(raw: &RawValue) -> Result<Self, NotJson> {
        let text = raw.get();
        let wrong = |error: serde_json::Error| NotJson(format!("Not JSON: {error}."));
        Ok(match text.as_bytes().first() {
            Some(b'{') => {
                let Members(members) = serde_json::from_str(text).map_err(wrong)?;
                let read = |(name, raw): (String, &RawValue)| Ok((name, Self::of(raw)?));
                Self::Object(members.into_iter().map(read).collect::<Result<_, _>>()?)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(wrong)?;
                Self::Array(items.into_iter().map(Self::of).collect::<Result<_, _>>()?)
            }
            // The syntax is checked already: only a lone surrogate is left to fail.
            Some(b'"') => Self::String(serde_json::from_str(text).ok()),
            Some(b't') => Self::Bool(true),
            Some(b'f') => Self::Bool(false),
            Some(b'n') => Self::Null,
            _ => Self::Number(text.to_owned()),
        })
    }

    /// The same text for equal values: members in order, no blanks, numbers by their text.
    pub(crate) fn canonical(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Null => text.push_str("null"),
            Self::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Self::Number(literal) => text.push_str(literal),
            Self::String(value) => text.push_str(&quoted(value.as_deref().unwrap_or_default())),
            Self::Array(items) => {
                let mut mark = '[';
                for item in items {
                    text.push(mark);
                    item.write(text);
                    mark = ',';
                }
                text.push_str(if mark == '[' { "[]" } else { "]" });
            }
            Self::Object(members) => {
                let sorted: BTreeMap<_, _> = members.iter().map(|(name, value)| (name, value)).collect();
                let mut mark = '{';
                for (name, value) in sorted {
                    // Writing to a String can't fail.
                    let _ = write!(text, "{mark}{}:", quoted(name));
                    value.write(text);
                    mark = ',';
                }
                text.push_str(if mark == '{' { "{}" } else { "}" });
            }
        }
    }
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// How deep the brackets go. Brackets inside strings don't count.
pub(super) fn levels(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The members of an object, duplicates included.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &RawValue>()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}

/// The places where two requests under one idempotency key differ; at least one.
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
    paths.truncate(florin_domain::fault::Faults::MAX);
    paths
}

fn compare_texts(first: &str, second: &str, path: &str, paths: &mut Vec<String>) {
    match (Json::parse(first.as_bytes()), Json::parse(second.as_bytes())) {
        (Ok(first), Ok(second)) => compare(&first, &second, path, paths),
        _ if first != second => paths.push(path.to_owned()),
        _ => {}
    }
}

fn compare(first: &Json, second: &Json, path: &str, paths: &mut Vec<String>) {
    match (first, second) {
        (Json::Object(first), Json::Object(second)) => {
            let first: BTreeMap<_, _> = first.iter().map(|(name, value)| (name, value)).collect();
            let second: BTreeMap<_, _> = second.iter().map(|(name, value)| (name, value)).collect();
            let names: std::collections::BTreeSet<_> = first.keys().chain(second.keys()).collect();
            for name in names {
                let place = format!("{path}.{name}");
                match (first.get(*name), second.get(*name)) {
                    (Some(first), Some(second)) => compare(first, second, &place, paths),
                    _ => paths.push(place),
                }
            }
        }
        (Json::Array(first), Json::Array(second)) if first.len() == second.len() => {
            for (index, (first, second)) in first.iter().zip(second).enumerate() {
                compare(first, second, &format!("{path}[{index}]"), paths);
            }
        }
        _ if first != second => paths.push(path.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn keeps_what_was_written() {
        let Json::Object(members) = parse(r#"{"a": 10.00, "a": 1E1, "b": "\ud800"}"#) else { panic!("an object") };
        assert_eq!(members[0], ("a".to_owned(), Json::Number("10.00".to_owned())));
        assert_eq!(members[1], ("a".to_owned(), Json::Number("1E1".to_owned())));
        assert_eq!(members[2], ("b".to_owned(), Json::String(None)));
    }

    #[test]
    fn a_member_that_serde_json_uses_itself_is_a_member_like_any_other() {
        let text = r#"{"$serde_json::private::RawValue":"1","$serde_json::private::Number":"2"}"#;
        assert!(matches!(parse(text), Json::Object(members) if members.len() == 2));
    }

    #[test]
    fn depth_is_bounded_and_brackets_in_strings_do_not_count() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Json::parse(nested(64).as_bytes()).is_ok());
        assert!(Json::parse(nested(65).as_bytes()).is_err());
        assert!(Json::parse("[".repeat(100_000).as_bytes()).is_err());
        assert!(Json::parse(format!("\"{}\\\"[[\"", "[".repeat(100)).as_bytes()).is_ok());
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in
            ["", "{", "{}x", "{'a':1}", "01", "+1", "1.", ".5", "NaN", "[1,]", "{\"a\":1,}", "\"\u{1}\"", "\u{feff}{}"]
        {
            assert!(Json::parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(Json::parse(b"\"\xff\"").is_err());
    }

    #[test]
    fn equal_values_have_equal_texts() {
        assert_eq!(parse(r#"{"b":[1, {}, []],"a":"\u0041"}"#).canonical(), r#"{"a":"A","b":[1,{},[]]}"#);
        assert_ne!(parse("10.0").canonical(), parse("10.00").canonical());
    }

    #[test]
    fn differences_name_their_places() {
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
