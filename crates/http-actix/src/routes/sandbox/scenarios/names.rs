//! Names of steps. In the body of a later step, `$` and a name stand for the id that the named step returned.

use crate::json::{NotJson, Place, Reading, Value, quoted};
use florin_domain::fault::Flaw;
use std::collections::{BTreeMap, BTreeSet};

/// The values of names: tokens of messages, ids of disputes, and the id of a story's card.
pub(super) type Values = BTreeMap<String, String>;

/// Records a fault for each name in a body that is not in `known`, the names of the earlier steps.
pub(super) fn check_names(value: Value<'_>, place: &Place<'_>, known: &BTreeSet<String>, reading: &mut Reading<'_>) {
    // An invalid member name is reported when the message is read.
    let _ = value.for_members(|name, member| check_names(member, &place.member(&name.0), known, reading));
    let mut count = 0;
    let _ = value.for_items(|item| {
        check_names(item, &place.item(count), known, reading);
        count += 1;
    });
    if let Some(Ok(text)) = value.string()
        && let Some(name) = name_in(&text)
        && !known.contains(name)
    {
        reading.fault(place, Flaw::value(format!("must name an earlier step, or begin with $$ for a $ (got ${name})")));
    }
}

/// Returns the text of a body. Each name is replaced by its value, and `$$` at the start of a text by `$`. A name
/// without a value does not change.
pub(super) fn replace_names(value: Value<'_>, values: &Values) -> Result<String, NotJson> {
    let mut text = String::with_capacity(value.len());
    fill(value, values, &mut text)?;
    Ok(text)
}

fn fill(value: Value<'_>, values: &Values, out: &mut String) -> Result<(), NotJson> {
    let mut outcome = Ok(());
    if value.is_object() {
        out.push('{');
        let mut separator = "";
        value.for_members(|name, member| {
            out.push_str(separator);
            out.push_str(&quoted(&name.0));
            out.push(':');
            if outcome.is_ok() {
                outcome = fill(member, values, out);
            }
            separator = ",";
        })?;
        out.push('}');
    } else if value.is_array() {
        out.push('[');
        let mut separator = "";
        value.for_items(|item| {
            out.push_str(separator);
            if outcome.is_ok() {
                outcome = fill(item, values, out);
            }
            separator = ",";
        })?;
        out.push(']');
    } else {
        match value.string() {
            Some(Ok(text)) if text.starts_with("$$") => out.push_str(&quoted(&text[1..])),
            Some(Ok(text)) => match name_in(&text).and_then(|name| values.get(name)) {
                Some(value) => out.push_str(&quoted(value)),
                None => out.push_str(value.raw()),
            },
            _ => out.push_str(value.raw()),
        }
    }
    outcome
}

/// Returns the name after the `$` of a text. `None`: the text begins without `$`, or with `$$`.
fn name_in(text: &str) -> Option<&str> {
    text.strip_prefix('$').filter(|name| !name.starts_with('$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled_with(body: &str, values: &[(&str, &str)]) -> String {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        replace_names(Value::parse(body).unwrap(), &values).unwrap()
    }

    #[test]
    fn names_are_replaced_everywhere() {
        let body = r#"{"a": "$x", "b": [ "$y", {"c": "$x"} ], "$x": 1.00, "d": "x $x", "e": null}"#;
        let expected = r#"{"a":"1","b":["\"2\"",{"c":"1"}],"$x":1.00,"d":"x $x","e":null}"#;
        assert_eq!(filled_with(body, &[("x", "1"), ("y", "\"2\"")]), expected);
    }

    #[test]
    fn names_without_values_stay_and_a_doubled_dollar_becomes_one() {
        assert_eq!(filled_with(r#"{"a": "$x", "b": {}, "c": []}"#, &[]), r#"{"a":"$x","b":{},"c":[]}"#);
        assert_eq!(filled_with(r#"["$$x", "$$", "$", "\ud800"]"#, &[("x", "1")]), r#"["$x","$","$","\ud800"]"#);
    }

    #[test]
    fn duplicate_members_stay_so_that_they_are_reported() {
        assert_eq!(filled_with(r#"{"a": "$x", "a": 2}"#, &[("x", "1")]), r#"{"a":"1","a":2}"#);
    }
}
