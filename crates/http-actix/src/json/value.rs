//! A JSON text and its values.
//!
//! `serde_json` checks the syntax of the whole text once. A [`Value`] is then a slice of this text, and only requested
//! values are decoded. A tree of a 16 MiB body of payments would use half a gigabyte.

use florin_domain::fault::Flaw;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Maximum nesting depth.
pub(crate) const MAX_LEVELS: usize = 64;

/// The reason that a text is not accepted as JSON. The message completes "`body` …".
#[derive(Debug)]
pub(crate) struct NotJson(pub(crate) String);

fn not_json(error: impl fmt::Display) -> NotJson {
    NotJson(format!("must be valid JSON: {error}"))
}

/// A JSON text whose syntax was checked.
#[derive(Debug)]
pub(crate) struct Document(String);

impl Document {
    /// Checks the encoding, the syntax and the nesting depth of a text.
    pub(crate) fn parse(bytes: Vec<u8>) -> Result<Self, NotJson> {
        let text = String::from_utf8(bytes).map_err(|_| NotJson("must be UTF-8".to_owned()))?;
        Value::parse(&text)?;
        Ok(Self(text))
    }

    /// Returns the top-level value of the text.
    pub(crate) fn root(&self) -> Value<'_> {
        Value(self.0.trim_ascii())
    }
}

/// A value in a JSON text whose syntax was checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a>(&'a str);

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl<'a> Value<'a> {
    /// Checks the syntax and the depth of a text.
    pub(crate) fn parse(text: &'a str) -> Result<Self, NotJson> {
        if levels(text) > MAX_LEVELS {
            return Err(NotJson(format!("must be nested at most {MAX_LEVELS} levels deep")));
        }
        let raw: &RawValue = serde_json::from_str(text).map_err(not_json)?;
        Ok(Self(raw.get()))
    }

    /// Returns the type of the value. Its first byte is enough, because the syntax is valid.
    pub(crate) fn kind(self) -> Kind {
        match self.0.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// Whether the value is `null`. Most members treat null like a missing member.
    pub(crate) fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Whether the value is an object.
    pub(crate) fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// Whether the value is an array.
    pub(crate) fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    /// Returns the text of the value.
    pub(crate) fn raw(self) -> &'a str {
        self.0
    }

    /// Whether both values have the same text.
    pub(crate) fn is_same_text(self, other: Self) -> bool {
        self.0 == other.0
    }

    /// Returns the length of the value's text, in bytes.
    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    /// Returns the value of `true` or `false`. `None`: the value has another type.
    pub(crate) fn bool(self) -> Option<bool> {
        (self.kind() == Kind::Bool).then_some(self.0 == "true")
    }

    /// Returns the literal text of a number. `None`: the value has another type.
    pub(crate) fn number(self) -> Option<&'a str> {
        (self.kind() == Kind::Number).then_some(self.0)
    }

    /// Returns the text of a string. `None`: the value has another type. A text with NUL or a lone surrogate is a flaw.
    pub(crate) fn string(self) -> Option<Result<Cow<'a, str>, Flaw>> {
        if self.kind() != Kind::String {
            return None;
        }
        let text = self.text().ok_or_else(|| Flaw::format("must not contain a lone surrogate"));
        let without_nul = |text: Cow<'a, str>| {
            if text.contains('\0') { Err(Flaw::format("must not contain the NUL character")) } else { Ok(text) }
        };
        Some(text.and_then(without_nul))
    }

    /// Returns the text of a string. `None`: an escape is a lone surrogate.
    fn text(self) -> Option<Cow<'a, str>> {
        match self.0.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(text) if !text.contains('\\') => Some(Cow::Borrowed(text)),
            // The syntax is valid, so only a lone surrogate can cause an error.
            _ => serde_json::from_str(self.0).ok().map(Cow::Owned),
        }
    }

    /// Calls `each` for every member of an object, in the order of the text, including duplicates. Returns an error if
    /// a name is not valid text.
    pub(crate) fn for_members(self, each: impl FnMut(Name<'a>, Value<'a>)) -> Result<(), NotJson> {
        serde_json::Deserializer::from_str(self.0).deserialize_map(EachMember(each)).map_err(not_json)
    }

    /// Calls `each` for every item of an array, in order.
    pub(crate) fn for_items(self, each: impl FnMut(Value<'a>)) -> Result<(), NotJson> {
        serde_json::Deserializer::from_str(self.0).deserialize_seq(EachItem(each)).map_err(not_json)
    }

    /// Returns the canonical text, which is the same for equal values: members are sorted, without whitespace, and
    /// numbers keep their literal text.
    pub(crate) fn canonical(self) -> Result<String, NotJson> {
        let mut text = String::with_capacity(self.len());
        self.write_canonical(&mut text)?;
        Ok(text)
    }

    /// Writes the text that [`Self::canonical`] returns.
    pub(crate) fn write_canonical(self, out: &mut dyn Write) -> Result<(), NotJson> {
        match self.kind() {
            Kind::Object => {
                let mut members = BTreeMap::new();
                self.for_members(|name, value| {
                    members.insert(name.0, value);
                })?;
                let mut mark = '{';
                for (name, value) in members {
                    write!(out, "{mark}{}:", quoted(&name)).map_err(not_json)?;
                    value.write_canonical(out)?;
                    mark = ',';
                }
                out.write_str(if mark == '{' { "{}" } else { "}" }).map_err(not_json)
            }
            Kind::Array => {
                let (mut mark, mut outcome) = ('[', Ok(()));
                self.for_items(|item| {
                    if outcome.is_ok() {
                        outcome = out.write_char(mark).map_err(not_json).and_then(|()| item.write_canonical(out));
                    }
                    mark = ',';
                })?;
                outcome?;
                out.write_str(if mark == '[' { "[]" } else { "]" }).map_err(not_json)
            }
            Kind::String => out.write_str(&quoted(&self.text().unwrap_or_default())).map_err(not_json),
            Kind::Null | Kind::Bool | Kind::Number => out.write_str(self.0).map_err(not_json),
        }
    }
}

/// Returns the text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the maximum nesting depth of brackets. Brackets inside strings do not count.
fn levels(text: &str) -> usize {
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

/// The name of a member, borrowed from the text where it has no escapes.
pub(crate) struct Name<'a>(pub(crate) Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

struct EachMember<F>(F);

impl<'de, F: FnMut(Name<'de>, Value<'de>)> Visitor<'de> for EachMember<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, raw)) = map.next_entry::<Name<'de>, &RawValue>()? {
            (self.0)(name, Value(raw.get()));
        }
        Ok(())
    }
}

struct EachItem<F>(F);

impl<'de, F: FnMut(Value<'de>)> Visitor<'de> for EachItem<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        while let Some(raw) = seq.next_element::<&RawValue>()? {
            (self.0)(Value(raw.get()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        Value::parse(text).unwrap().canonical().unwrap()
    }

    #[test]
    fn members_and_numbers_are_read_as_written() {
        let document =
            Document::parse(br#" {"a": 10.00, "a": 1E1, "b": "\ud800", "\u0063": "\u0041"} "#.to_vec()).unwrap();
        let mut found = Vec::new();
        document.root().for_members(|name, value| found.push((name.0.into_owned(), value))).unwrap();
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "a", "b", "c"]);
        assert_eq!((found[0].1.number(), found[1].1.number()), (Some("10.00"), Some("1E1")));
        assert!(found[2].1.string().unwrap().is_err());
        assert_eq!(found[3].1.string().unwrap().unwrap(), "A");
    }

    #[test]
    fn names_that_serde_json_uses_internally_are_ordinary_members() {
        let text = r#"{"$serde_json::private::RawValue":"1","$serde_json::private::Number":"2"}"#;
        let mut count = 0;
        Value::parse(text).unwrap().for_members(|_, _| count += 1).unwrap();
        assert_eq!(count, 2);
    }

    #[test]
    fn depth_is_limited_and_ignores_brackets_in_strings() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Value::parse(&nested(64)).is_ok());
        assert!(Value::parse(&nested(65)).is_err());
        assert!(Value::parse(&"[".repeat(100_000)).is_err());
        assert!(Value::parse(&format!("\"{}\\\"[[\"", "[".repeat(100))).is_ok());
    }

    #[test]
    fn invalid_json_is_refused() {
        for text in
            ["", "{", "{}x", "{'a':1}", "01", "+1", "1.", ".5", "NaN", "[1,]", "{\"a\":1,}", "\"\u{1}\"", "\u{feff}{}"]
        {
            assert!(Value::parse(text).is_err(), "{text}");
        }
        assert!(Document::parse(b"\"\xff\"".to_vec()).is_err());
        let surrogate = Value::parse(r#"{"\ud800": 1}"#).unwrap();
        assert!(surrogate.for_members(|_, _| ()).is_err());
        assert!(surrogate.canonical().is_err());
    }

    #[test]
    fn equal_values_have_equal_texts() {
        assert_eq!(canonical(r#" {"b":[1, {}, []],"a":"\u0041"} "#), r#"{"a":"A","b":[1,{},[]]}"#);
        assert_eq!(
            canonical(r#"[ false , -1e5, null ,{"z":"\n", "y": 1.0}]"#),
            r#"[false,-1e5,null,{"y":1.0,"z":"\n"}]"#
        );
        assert_eq!(canonical(r#""\ud800""#), r#""""#);
        assert_ne!(canonical("10.0"), canonical("10.00"));
    }
}
