//! Query parameters (contract 1, "Query").

use crate::json::quoted;
use florin_domain::fault::{Flaw, FlawCode};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The query parameters of a request, as sent. Operations ignore unknown parameters, except `dryRun`.
pub(crate) struct Query {
    /// Names and values, in the order sent. A value is `None` if its percent-encoding is not UTF-8.
    pairs: Vec<(String, Option<String>)>,
}

impl Query {
    /// Reads a query string; `+` is a space.
    pub(crate) fn parse(text: &str) -> Self {
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name).unwrap_or_default(), decode(value))
        };
        Self { pairs: text.split('&').filter(|part| !part.is_empty()).map(pair).collect() }
    }

    /// Returns names and values, in the order sent. A value is `None` if its percent-encoding is not UTF-8.
    pub(crate) fn into_pairs(self) -> Vec<(String, Option<String>)> {
        self.pairs
    }

    /// Whether a parameter was sent.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(sent, _)| sent == name)
    }

    /// Returns the value of a parameter. `None`: it was not sent.
    pub(crate) fn one(&self, name: &str) -> Result<Option<&str>, Flaw> {
        let mut values = self.pairs.iter().filter(|(sent, _)| sent == name).map(|(_, value)| value.as_deref());
        let first = values.next();
        if values.next().is_some() {
            return Err(Flaw::new(FlawCode::DuplicateParameter, "must be given only once"));
        }
        first.map(checked).transpose()
    }

    /// Returns all values of a parameter, joined by commas. The parameter may be repeated, with or without `[]` after
    /// its name. `None`: it was not sent.
    pub(crate) fn all(&self, name: &str) -> Result<Option<String>, Flaw> {
        let is_name = |sent: &str| sent == name || sent.strip_suffix("[]") == Some(name);
        let values = self.pairs.iter().filter(|(sent, _)| is_name(sent)).map(|(_, value)| checked(value.as_deref()));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        Ok((!values.is_empty()).then(|| values.join(",")))
    }

    /// Returns the parameters as a JSON object. Queries that differ only in the order of names give the same object.
    pub(crate) fn canonical(&self) -> String {
        let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (name, value) in &self.pairs {
            values.entry(name).or_default().push(quoted(value.as_deref().unwrap_or_default()));
        }
        let member = |(name, values): (&str, Vec<String>)| match values.as_slice() {
            [value] => format!("{}:{value}", quoted(name)),
            values => format!("{}:[{}]", quoted(name), values.join(",")),
        };
        format!("{{{}}}", values.into_iter().map(member).collect::<Vec<_>>().join(","))
    }
}

/// Checks that a value is UTF-8, not empty, and without the NUL character.
fn checked(value: Option<&str>) -> Result<&str, Flaw> {
    match value {
        None => Err(Flaw::format("must be UTF-8")),
        Some("") => Err(Flaw::required()),
        Some(value) if value.contains('\0') => Err(Flaw::format("must not contain the NUL character")),
        Some(value) => Ok(value),
    }
}

fn decode(text: &str) -> Option<String> {
    let spaced = if text.contains('+') { Cow::Owned(text.replace('+', " ")) } else { Cow::Borrowed(text) };
    percent_decode_str(&spaced).decode_utf8().ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_checked() {
        let query = Query::parse("a=1+%2B&b=%FF&c=&d=1&d=1&e=%00&f");
        assert_eq!(query.one("a"), Ok(Some("1 +")));
        assert_eq!(query.one("x"), Ok(None));
        let code = |name: &str| query.one(name).unwrap_err().code;
        assert_eq!(["b", "c", "d", "e", "f"].map(code), {
            use FlawCode::{DuplicateParameter, InvalidFormat, Required};
            [InvalidFormat, Required, DuplicateParameter, InvalidFormat, Required]
        });
    }

    #[test]
    fn values_of_a_repeated_parameter_are_joined() {
        let query = Query::parse("a=1&a[]=2,3&a%5B%5D=4&b=&c[]=%FF");
        assert_eq!(query.all("a"), Ok(Some("1,2,3,4".to_owned())));
        assert_eq!(query.all("x"), Ok(None));
        assert_eq!(["b", "c"].map(|name| query.all(name).unwrap_err().code), {
            use FlawCode::{InvalidFormat, Required};
            [Required, InvalidFormat]
        });
    }

    #[test]
    fn the_order_of_parameters_does_not_matter() {
        let (first, second) = (Query::parse("a=1&b=2&b=3"), Query::parse("b=2&a=%31&b=3"));
        assert_eq!(first.canonical(), second.canonical());
        assert_eq!(first.canonical(), r#"{"a":"1","b":["2","3"]}"#);
    }
}
