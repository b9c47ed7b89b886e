//! Query parameters (contract 1, "Query").

use crate::extract::json::Json;
use florin_domain::fault::{Faults, Flaw, FlawCode};
use florin_domain::ids::AccountId;
use florin_domain::page::PageRequest;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The parameters of a request as they were sent. Unknown ones are ignored.
pub(crate) struct Query {
    /// In the order sent. A value is `None` where its percent-encoding is not UTF-8.
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

    /// The value of a parameter, if it was sent.
    pub(crate) fn one(&self, name: &str) -> Result<Option<&str>, Flaw> {
        let mut values = self.pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value);
        let first = values.next();
        if values.next().is_some() {
            return Err(Flaw::new(FlawCode::DuplicateParameter, "This parameter is given more than once."));
        }
        match first {
            None => Ok(None),
            Some(None) => Err(Flaw::format("This is not UTF-8.")),
            Some(Some(value)) if value.is_empty() => Err(Flaw::required()),
            Some(Some(value)) if value.contains('\0') => Err(Flaw::format("The NUL character is not allowed.")),
            Some(Some(value)) => Ok(Some(value)),
        }
    }

    /// The account, which must be named.
    pub(crate) fn account_id(&self) -> Result<AccountId, Flaw> {
        AccountId::parse(self.one("accountId")?.ok_or_else(Flaw::required)?)
    }

    /// The page that is wanted; faults are noted.
    pub(crate) fn page(&self, faults: &mut Faults) -> PageRequest {
        let default = PageRequest::default();
        let limit = self.integer("limit", 1, PageRequest::MAX_LIMIT);
        let offset = self.integer("offset", 0, i64::MAX);
        PageRequest {
            limit: faults.take("query.limit", limit).flatten().unwrap_or(default.limit),
            offset: faults.take("query.offset", offset).flatten().unwrap_or(default.offset),
        }
    }

    /// One of the values of an enum, by its exact name.
    pub(crate) fn one_of<T: Copy>(
        &self,
        name: &str,
        all: &[T],
        as_str: fn(T) -> &'static str,
    ) -> Result<Option<T>, Flaw> {
        self.one(name)?.map(|value| find(value, all, as_str)).transpose()
    }

    /// true or false; false where the parameter was not sent. A fault is noted.
    pub(crate) fn flag(&self, name: &str, faults: &mut Faults) -> bool {
        let as_str = |value| if value { "true" } else { "false" };
        let value = self.one_of(name, &[true, false], as_str);
        faults.take(&format!("query.{name}"), value).flatten().unwrap_or_default()
    }

    fn integer(&self, name: &str, least: i64, max: i64) -> Result<Option<i64>, Flaw> {
        let Some(text) = self.one(name)? else { return Ok(None) };
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Flaw::format("A whole number is wanted."));
        }
        let number: i64 = text.parse().map_err(|_| Flaw::format("This number has more than 64 bits."))?;
        if text.starts_with('-') || !(least..=max).contains(&number) {
            let range = if max == i64::MAX { format!("of {least} or more") } else { format!("from {least} to {max}") };
            return Err(Flaw::range(format!("A number {range} is wanted.")));
        }
        Ok(Some(number))
    }

    /// The same text for equal queries, whatever the order of their names.
    pub(crate) fn canonical(&self) -> String {
        let mut values: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
        for (name, value) in &self.pairs {
            values.entry(name).or_default().push(Json::String(value.clone()));
        }
        let single = |mut values: Vec<Json>| match values.len() {
            1 => values.pop().unwrap_or(Json::Null),
            _ => Json::Array(values),
        };
        Json::Object(values.into_iter().map(|(name, values)| (name.to_owned(), single(values))).collect()).canonical()
    }
}

/// The value of that name.
pub(crate) fn find<T: Copy>(value: &str, all: &[T], as_str: fn(T) -> &'static str) -> Result<T, Flaw> {
    let known = all.iter().copied().find(|candidate| as_str(*candidate) == value);
    known.ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|candidate| as_str(*candidate)).collect();
        Flaw::value(format!("One of {} is wanted.", names.join(", ")))
    })
}

fn decode(text: &str) -> Option<String> {
    let spaced = if text.contains('+') { Cow::Owned(text.replace('+', " ")) } else { Cow::Borrowed(text) };
    percent_decode_str(&spaced).decode_utf8().ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(query: &str) -> Result<Option<i64>, FlawCode> {
        Query::parse(query).integer("limit", 1, 1000).map_err(|flaw| flaw.code)
    }

    #[test]
    fn integers() {
        assert_eq!(limit(""), Ok(None));
        assert_eq!(limit("limit=1000"), Ok(Some(1000)));
        assert_eq!(limit("limit=007"), Ok(Some(7)));
        for (query, code) in [
            ("limit=0", FlawCode::OutOfRange),
            ("limit=1001", FlawCode::OutOfRange),
            ("limit=-1", FlawCode::OutOfRange),
            ("limit=9223372036854775808", FlawCode::InvalidFormat),
            ("limit=%2B1", FlawCode::InvalidFormat),
            ("limit=1.0", FlawCode::InvalidFormat),
            ("limit=+1", FlawCode::InvalidFormat),
            ("limit=-", FlawCode::InvalidFormat),
            ("limit=%D9%A1", FlawCode::InvalidFormat),
            ("limit=%FF", FlawCode::InvalidFormat),
            ("limit=", FlawCode::Required),
            ("limit", FlawCode::Required),
            ("limit=1&limit=1", FlawCode::DuplicateParameter),
        ] {
            assert_eq!(limit(query), Err(code), "{query}");
        }
    }

    #[test]
    fn the_order_of_names_does_not_count() {
        let (first, second) = (Query::parse("a=1&b=2&b=3"), Query::parse("b=2&a=%31&b=3"));
        assert_eq!(first.canonical(), second.canonical());
        assert_eq!(first.canonical(), r#"{"a":"1","b":["2","3"]}"#);
    }
}
