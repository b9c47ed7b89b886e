//! JSON of many rows, read piece by piece: a tree of 16 MiB of text would take half a gigabyte.
//!
//! The syntax is checked at once; what is inside is looked at one member or item at a time, and only what is wanted is kept.

use crate::extract::json::{Json, MAX_LEVELS, NotJson, levels, quoted};
use crate::extract::members::{string, wanted};
use florin_domain::fault::{Faults, Flaw, FlawCode};
use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// A whole text, whose syntax is checked.
pub(crate) fn parse(bytes: &[u8]) -> Result<&RawValue, NotJson> {
    let text = std::str::from_utf8(bytes).map_err(|_| NotJson("The body is not UTF-8.".to_owned()))?;
    if levels(text) > MAX_LEVELS {
        return Err(NotJson(format!("The body is nested deeper than {MAX_LEVELS} levels.")));
    }
    serde_json::from_str(text).map_err(not_json)
}

fn not_json(error: impl fmt::Display) -> NotJson {
    NotJson(format!("Not JSON: {error}."))
}

fn begins(raw: &RawValue, with: u8) -> bool {
    raw.get().as_bytes().first() == Some(&with)
}

/// Whether it is null, which is as good as missing.
pub(crate) fn is_null(raw: &RawValue) -> bool {
    begins(raw, b'n')
}

/// Whether it is an object.
pub(crate) fn is_object(raw: &RawValue) -> bool {
    begins(raw, b'{')
}

/// A value that holds no others; of one that does, no more than its type.
pub(crate) fn small(raw: &RawValue) -> Json {
    match raw.get().as_bytes().first() {
        Some(b'{') => Json::Object(Vec::new()),
        Some(b'[') => Json::Array(Vec::new()),
        Some(b'"') => Json::String(serde_json::from_str(raw.get()).ok()),
        Some(b't') => Json::Bool(true),
        Some(b'f') => Json::Bool(false),
        Some(b'n') => Json::Null,
        _ => Json::Number(raw.get().to_owned()),
    }
}

/// A string, or nothing where there is null or a fault.
pub(crate) fn text(raw: &RawValue, place: impl FnOnce() -> String, faults: &mut Faults) -> Option<String> {
    match small(raw) {
        Json::Null => None,
        value => match string(&value) {
            Ok(text) => Some(text.to_owned()),
            Err(flaw) => {
                faults.push(flaw.at(place()));
                None
            }
        },
    }
}

/// Hands the members of an object over one by one; `each` says whether it knows the member. Faults are those of another
/// type, of members that nobody knows, and of members given twice. Once no more faults can be told, no more are looked for.
pub(crate) fn object<'a>(
    raw: &'a RawValue,
    path: &str,
    faults: &mut Faults,
    mut each: impl FnMut(&str, &'a RawValue, &mut Faults) -> Result<bool, NotJson>,
) -> Result<(), NotJson> {
    if !begins(raw, b'{') {
        faults.push(wanted("An object").at(path));
        return Ok(());
    }
    let mut seen: BTreeMap<String, bool> = BTreeMap::new();
    for_members(raw, |name, value| {
        if faults.is_full() {
            return Ok(());
        }
        match seen.get_mut(&name) {
            None => {
                if !each(&name, value, faults)? {
                    let flaw = Flaw::new(FlawCode::UnknownField, "There is no such member here.");
                    faults.push(flaw.at(format!("{path}.{name}")));
                }
                seen.insert(name, false);
            }
            Some(told) if !*told => {
                *told = true;
                let flaw = Flaw::new(FlawCode::DuplicateField, "This member is given more than once.");
                faults.push(flaw.at(format!("{path}.{name}")));
            }
            Some(_) => {}
        }
        Ok(())
    })
}

/// Hands the first `max` items of an array over one by one, each with its place. More than that, and another type, are
/// faults.
pub(crate) fn array<'a>(
    raw: &'a RawValue,
    (path, max): (&str, usize),
    faults: &mut Faults,
    mut each: impl FnMut(String, &'a RawValue, &mut Faults) -> Result<(), NotJson>,
) -> Result<(), NotJson> {
    if !begins(raw, b'[') {
        faults.push(wanted("An array").at(path));
        return Ok(());
    }
    let mut count = 0_usize;
    for_items(raw, |item| {
        let index = count;
        count += 1;
        if index < max && !faults.is_full() { each(format!("{path}[{index}]"), item, faults) } else { Ok(()) }
    })?;
    if count > max {
        faults.push(Flaw::range(format!("At most {max} are allowed; there are {count}.")).at(path));
    }
    Ok(())
}

/// Writes the same text for equal values, as [`Json::canonical`] does.
pub(crate) fn write_canonical(raw: &RawValue, out: &mut dyn Write) -> Result<(), NotJson> {
    if begins(raw, b'{') {
        let mut members = BTreeMap::new();
        for_members(raw, |name, value| {
            members.insert(name, value);
            Ok(())
        })?;
        let mut mark = '{';
        for (name, value) in members {
            write!(out, "{mark}{}:", quoted(&name)).map_err(not_json)?;
            write_canonical(value, out)?;
            mark = ',';
        }
        return out.write_str(if mark == '{' { "{}" } else { "}" }).map_err(not_json);
    }
    if begins(raw, b'[') {
        let mut mark = '[';
        for_items(raw, |item| {
            out.write_char(mark).map_err(not_json)?;
            mark = ',';
            write_canonical(item, out)
        })?;
        return out.write_str(if mark == '[' { "[]" } else { "]" }).map_err(not_json);
    }
    out.write_str(&small(raw).canonical()).map_err(not_json)
}

fn for_members<'a>(
    raw: &'a RawValue,
    each: impl FnMut(String, &'a RawValue) -> Result<(), NotJson>,
) -> Result<(), NotJson> {
    serde_json::Deserializer::from_str(raw.get()).deserialize_map(EachMember(each)).map_err(not_json)?
}

fn for_items<'a>(raw: &'a RawValue, each: impl FnMut(&'a RawValue) -> Result<(), NotJson>) -> Result<(), NotJson> {
    serde_json::Deserializer::from_str(raw.get()).deserialize_seq(EachItem(each)).map_err(not_json)?
}

struct EachMember<F>(F);

impl<'de, F: FnMut(String, &'de RawValue) -> Result<(), NotJson>> Visitor<'de> for EachMember<F> {
    type Value = Result<(), NotJson>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut outcome = Ok(());
        // To the end even after an error: the parser wants it.
        while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
            if outcome.is_ok() {
                outcome = (self.0)(name, value);
            }
        }
        Ok(outcome)
    }
}

struct EachItem<F>(F);

impl<'de, F: FnMut(&'de RawValue) -> Result<(), NotJson>> Visitor<'de> for EachItem<F> {
    type Value = Result<(), NotJson>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut outcome = Ok(());
        while let Some(value) = seq.next_element::<&RawValue>()? {
            if outcome.is_ok() {
                outcome = (self.0)(value);
            }
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_as_a_tree_would_be() {
        for text in [
            r#"{"b":[1, {}, [], "x\u0041"],"a":null, "c": {"z": 1.0, "y": true}}"#,
            "[]",
            "{}",
            r#""\ud800""#,
            " [ false , -1e5 ] ",
        ] {
            let mut written = String::new();
            write_canonical(parse(text.as_bytes()).unwrap(), &mut written).unwrap();
            assert_eq!(written, Json::parse(text.as_bytes()).unwrap().canonical(), "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in ["", "{", "{}x", "[1,]", "{\"a\":01}", "\u{feff}{}", &"[".repeat(65)] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        let surrogate = parse(br#"{"\ud800": 1}"#);
        let walked = surrogate.and_then(|raw| object(raw, "body", &mut Faults::default(), |_, _, _| Ok(true)));
        assert!(walked.is_err());
    }
}
