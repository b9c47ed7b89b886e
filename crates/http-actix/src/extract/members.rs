//! Reading the members of JSON objects.

use crate::extract::body::missing;
use crate::extract::json::Json;
use crate::extract::query::find;
use chrono::NaiveDate;
use florin_domain::fault::{Faults, Flaw, FlawCode};
use florin_domain::money::DecimalAmount;
use florin_domain::text::Text;
use std::collections::{BTreeMap, BTreeSet};

/// An object whose members are read one by one; [`Members::finish`] names those that nobody read.
pub(crate) struct Members<'a> {
    path: String,
    entries: &'a [(String, Json)],
    known: Vec<&'static str>,
}

impl<'a> Members<'a> {
    /// The body of a request: an object, and there.
    pub(crate) fn of_body(body: Option<&'a Json>, faults: &mut Faults) -> Option<Self> {
        let object = body.ok_or_else(missing).and_then(object);
        if let Some(body) = body {
            duplicates(body, "body", faults);
        }
        let entries = faults.take("body", object)?;
        Some(Self { path: "body".to_owned(), entries, known: Vec::new() })
    }

    /// A member that must be there and not null.
    pub(crate) fn required<T>(
        &mut self,
        name: &'static str,
        faults: &mut Faults,
        read: impl FnOnce(&'a Json) -> Result<T, Flaw>,
    ) -> Option<T> {
        let place = self.place(name);
        let value = self.find(name).ok_or_else(Flaw::required);
        faults.take(&place, value.and_then(read))
    }

    /// A member that may be missing or null. The outer `None`: a fault was noted.
    #[expect(clippy::option_option, reason = "faulty, missing and there are three cases")]
    pub(crate) fn optional<T>(
        &mut self,
        name: &'static str,
        faults: &mut Faults,
        read: impl FnOnce(&'a Json) -> Result<T, Flaw>,
    ) -> Option<Option<T>> {
        let place = self.place(name);
        match self.find(name) {
            None => Some(None),
            Some(value) => faults.take(&place, read(value)).map(Some),
        }
    }

    /// A list that must be there. A fault names the place of its item.
    pub(crate) fn required_list<T>(
        &mut self,
        name: &'static str,
        faults: &mut Faults,
        read: impl Fn(&'a Json) -> Result<T, Flaw>,
    ) -> Option<Vec<T>> {
        let place = self.place(name);
        each(self.required(name, faults, array)?, &place, faults, read)
    }

    /// A list that may be missing or null. The outer `None`: a fault was noted.
    #[expect(clippy::option_option, reason = "faulty, missing and there are three cases")]
    pub(crate) fn optional_list<T>(
        &mut self,
        name: &'static str,
        faults: &mut Faults,
        read: impl Fn(&'a Json) -> Result<T, Flaw>,
    ) -> Option<Option<Vec<T>>> {
        let place = self.place(name);
        match self.optional(name, faults, array)? {
            None => Some(None),
            Some(items) => each(items, &place, faults, read).map(Some),
        }
    }

    /// An object that must be there.
    pub(crate) fn required_object(&mut self, name: &'static str, faults: &mut Faults) -> Option<Self> {
        let path = self.place(name);
        let entries = self.required(name, faults, object)?;
        Some(Self { path, entries, known: Vec::new() })
    }

    /// An object that may be missing or null. The outer `None`: a fault was noted.
    #[expect(clippy::option_option, reason = "faulty, missing and there are three cases")]
    pub(crate) fn optional_object(&mut self, name: &'static str, faults: &mut Faults) -> Option<Option<Self>> {
        let path = self.place(name);
        let entries = self.optional(name, faults, object)?;
        Some(entries.map(|entries| Self { path, entries, known: Vec::new() }))
    }

    /// Names every member that was not read.
    pub(crate) fn finish(self, faults: &mut Faults) {
        let names: BTreeSet<_> = self.entries.iter().map(|(name, _)| name.as_str()).collect();
        for name in names {
            if !self.known.contains(&name) {
                let flaw = Flaw::new(FlawCode::UnknownField, "There is no such member here.");
                faults.push(flaw.at(format!("{}.{name}", self.path)));
            }
        }
    }

    fn place(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    /// The member's value; null is as good as missing.
    fn find(&mut self, name: &'static str) -> Option<&'a Json> {
        self.known.push(name);
        let found = self.entries.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        found.filter(|value| **value != Json::Null)
    }
}

/// Names every member of every object that is given more than once, each once.
fn duplicates(value: &Json, path: &str, faults: &mut Faults) {
    match value {
        Json::Object(entries) => {
            let mut seen = BTreeMap::new();
            for (name, value) in entries {
                let times: &mut u32 = seen.entry(name).or_default();
                *times += 1;
                let place = format!("{path}.{name}");
                if *times == 2 {
                    let flaw = Flaw::new(FlawCode::DuplicateField, "This member is given more than once.");
                    faults.push(flaw.at(place.clone()));
                }
                duplicates(value, &place, faults);
            }
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                duplicates(item, &format!("{path}[{index}]"), faults);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

pub(super) fn wanted(what: &str) -> Flaw {
    Flaw::new(FlawCode::InvalidType, format!("{what} is wanted."))
}

fn object(value: &Json) -> Result<&[(String, Json)], Flaw> {
    match value {
        Json::Object(members) => Ok(members),
        _ => Err(wanted("An object")),
    }
}

fn array(value: &Json) -> Result<&[Json], Flaw> {
    match value {
        Json::Array(items) => Ok(items),
        _ => Err(wanted("A list")),
    }
}

/// Every item of a list; `None` where faults were noted.
fn each<'a, T>(
    items: &'a [Json],
    place: &str,
    faults: &mut Faults,
    read: impl Fn(&'a Json) -> Result<T, Flaw>,
) -> Option<Vec<T>> {
    let read = |(index, item)| faults.take(&format!("{place}[{index}]"), read(item));
    let values: Vec<_> = items.iter().enumerate().map(read).collect();
    values.into_iter().collect()
}

/// A JSON string, without NUL.
pub(crate) fn string(value: &Json) -> Result<&str, Flaw> {
    match value {
        Json::String(Some(text)) if text.contains('\0') => Err(Flaw::format("The NUL character is not allowed.")),
        Json::String(Some(text)) => Ok(text),
        Json::String(None) => Err(Flaw::format("A lone surrogate is no character.")),
        _ => Err(wanted("A string")),
    }
}

/// A string within its limits.
pub(crate) fn text<const MIN: usize, const MAX: usize>(value: &Json) -> Result<Text<MIN, MAX>, Flaw> {
    Text::parse(string(value)?)
}

/// true or false.
pub(crate) fn boolean(value: &Json) -> Result<bool, Flaw> {
    match value {
        Json::Bool(value) => Ok(*value),
        _ => Err(wanted("true or false")),
    }
}

/// An amount as a JSON number.
pub(crate) fn amount(value: &Json) -> Result<DecimalAmount, Flaw> {
    match value {
        Json::Number(literal) => DecimalAmount::from_json_number(literal),
        _ => Err(wanted("A number")),
    }
}

/// An amount above zero as a JSON number.
pub(crate) fn positive_amount(value: &Json) -> Result<DecimalAmount, Flaw> {
    amount(value)?.positive()
}

/// An amount as a decimal string.
pub(crate) fn decimal(value: &Json) -> Result<DecimalAmount, Flaw> {
    DecimalAmount::from_decimal_string(string(value)?)
}

/// An amount above zero as a decimal string.
pub(crate) fn positive_decimal(value: &Json) -> Result<DecimalAmount, Flaw> {
    decimal(value)?.positive()
}

/// A whole number of a range, written in digits.
pub(crate) fn whole(value: &Json, least: u32, max: u32) -> Result<u32, Flaw> {
    let Json::Number(literal) = value else { return Err(wanted("A number")) };
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Flaw::format("A whole number is wanted."));
    }
    let number = literal.parse().ok().filter(|number| (least..=max).contains(number));
    number.ok_or_else(|| Flaw::range(format!("A number from {least} to {max} is wanted.")))
}

/// A date: `2026-09-01`.
pub(crate) fn date(value: &Json) -> Result<NaiveDate, Flaw> {
    let text = string(value)?;
    let wrong = || Flaw::format("A date such as 2026-09-01 is wanted.");
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| wrong())?;
    // The parser takes signs, spaces and short numbers, too.
    if text.len() == 10 && date.to_string() == text { Ok(date) } else { Err(wrong()) }
}

/// One of the values of an enum, by its exact name.
pub(crate) fn one_of<T: Copy>(value: &Json, all: &[T], as_str: fn(T) -> &'static str) -> Result<T, Flaw> {
    find(string(value)?, all, as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(body: &str) -> Vec<(String, FlawCode)> {
        let json = Json::parse(body.as_bytes()).unwrap();
        let mut faults = Faults::default();
        if let Some(mut members) = Members::of_body(Some(&json), &mut faults) {
            members.required("amount", &mut faults, positive_amount);
            members.optional("final", &mut faults, boolean);
            if let Some(mut inner) = members.required_object("inner", &mut faults) {
                inner.required("name", &mut faults, text::<1, 3>);
                inner.finish(&mut faults);
            }
            members.finish(&mut faults);
        }
        faults.into_vec().into_iter().map(|fault| (fault.path, fault.flaw.code)).collect()
    }

    #[test]
    fn whole_numbers_and_dates_are_as_they_are_written() {
        let code = |flaw: Flaw| flaw.code;
        let number = |text: &str| whole(&Json::Number(text.to_owned()), 1, 10).map_err(code);
        assert_eq!(number("10"), Ok(10));
        for wrong in ["0", "11", "-1", "99999999999999999999"] {
            assert_eq!(number(wrong), Err(FlawCode::OutOfRange), "{wrong}");
        }
        for wrong in ["1.0", "1e1"] {
            assert_eq!(number(wrong), Err(FlawCode::InvalidFormat), "{wrong}");
        }
        let day = |text: &str| date(&Json::String(Some(text.to_owned()))).map_err(code);
        assert_eq!(day("2028-02-29").map(|day| day.to_string()), Ok("2028-02-29".to_owned()));
        for wrong in ["2027-02-29", "2027-2-09", "+2027-02-9", "2027-02-09T00:00:00Z", ""] {
            assert_eq!(day(wrong), Err(FlawCode::InvalidFormat), "{wrong}");
        }
    }

    #[test]
    fn all_faults_are_told_at_once() {
        assert_eq!(faults_of(r#"{"amount": 1, "final": null, "inner": {"name": "äöü"}}"#), []);
        let seen = faults_of(
            r#"{"amount": "1", "final": 1, "amount": 2, "inner": {"name": "abcd", "x": 1}, "y": {"z": 1, "z": 2}}"#,
        );
        let expected = [
            ("body.amount", FlawCode::DuplicateField),
            ("body.y.z", FlawCode::DuplicateField),
            ("body.amount", FlawCode::InvalidType),
            ("body.final", FlawCode::InvalidType),
            ("body.inner.name", FlawCode::TooLong),
            ("body.inner.x", FlawCode::UnknownField),
            ("body.y", FlawCode::UnknownField),
        ];
        assert_eq!(seen, expected.map(|(path, code)| (path.to_owned(), code)));
        assert_eq!(faults_of("null"), [("body".to_owned(), FlawCode::InvalidType)]);
    }
}
