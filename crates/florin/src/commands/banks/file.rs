//! Reads bank lists from CSV and JSON files. A file is accepted only if all of it is valid. Every error is reported
//! with its line (CSV) or index (JSON), up to a maximum.

use florin_domain::fault::Flaw;
use florin_domain::merchant::{Bank, BankId};
use florin_domain::text::Text;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The columns of a CSV file, and the fields of a JSON object.
const MEMBERS: [&str; 4] = ["id", "name", "iconUrl", "supportsRefunds"];

/// The faults of a file, one per line.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<String>);

impl Faults {
    /// Maximum number of faults that are printed; the rest is counted.
    const MAX: usize = 50;

    fn one(fault: impl Into<String>) -> Self {
        Self(vec![fault.into()])
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0[..self.0.len().min(Self::MAX)].join("\n"))?;
        match self.0.len().saturating_sub(Self::MAX) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

/// A bank in the file: for each of [`MEMBERS`] its text, or its flaw if it is absent or has the wrong type.
type Entry = [Result<String, Flaw>; 4];

/// Reads CSV (RFC 4180, UTF-8 with or without a byte order mark) with the header `id,name,iconUrl,supportsRefunds`.
pub(super) fn from_csv(text: &[u8]) -> Result<Vec<Bank>, Faults> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text);
    let header = reader.headers().map_err(|error| Faults::one(format!("line 1: {error}")))?;
    if header.iter().ne(MEMBERS) {
        return Err(Faults::one(format!("line 1: the header must be {}", MEMBERS.join(","))));
    }
    let mut list = List::default();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                list.faults.0.push(error.to_string());
                continue;
            }
        };
        let place = format!("line {}", record.position().map_or(0, csv::Position::line));
        let cells: Vec<_> = record.iter().map(str::to_owned).collect();
        match <[String; 4]>::try_from(cells) {
            Ok(cells) => list.add(&place, |member| format!("{place}, {member}"), cells.map(Ok)),
            Err(cells) => list.faults.0.push(format!("{place}: must have 4 columns (got {})", cells.len())),
        }
    }
    list.finish()
}

/// Reads a JSON array of objects.
pub(super) fn from_json(text: &[u8]) -> Result<Vec<Bank>, Faults> {
    let value: Value = serde_json::from_slice(text).map_err(|error| Faults::one(error.to_string()))?;
    let Value::Array(entries) = value else {
        return Err(Faults::one("must be an array of objects"));
    };
    let mut list = List::default();
    for (index, entry) in entries.into_iter().enumerate() {
        let place = format!("[{index}]");
        let Value::Object(mut members) = entry else {
            list.faults.0.push(format!("{place}: must be an object"));
            continue;
        };
        let entry = MEMBERS.map(|name| match (name, members.remove(name)) {
            (_, None) => Err(Flaw::required()),
            ("supportsRefunds", Some(Value::Bool(value))) => Ok(value.to_string()),
            ("id" | "name" | "iconUrl", Some(Value::String(text))) => Ok(text),
            ("supportsRefunds", Some(_)) => Err(Flaw::value("must be true or false")),
            (_, Some(_)) => Err(Flaw::value("must be a string")),
        });
        for unknown in members.keys() {
            list.faults.0.push(format!("{place}.{unknown}: unknown field"));
        }
        list.add(&place, |member| format!("{place}.{member}"), entry);
    }
    list.finish()
}

/// Banks and faults found so far.
#[derive(Default)]
struct List {
    banks: Vec<Bank>,
    /// The place at which each id was first used.
    seen: BTreeMap<BankId, String>,
    faults: Faults,
}

impl List {
    /// Adds the bank of an entry, or all its faults. `place` is the place of the entry in the file, and `at` returns
    /// the place of a member of the entry.
    fn add(&mut self, place: &str, at: impl Fn(&str) -> String, entry: Entry) {
        let before = self.faults.0.len();
        let [id, name, icon_url, supports_refunds] = entry;
        let faults = &mut self.faults;
        let id = value_or_fault(faults, &at("id"), id.and_then(|text| BankId::parse(&text)));
        let name = value_or_fault(faults, &at("name"), name.and_then(Text::<1, 140>::parse));
        let icon_url = value_or_fault(faults, &at("iconUrl"), icon_url.and_then(web_address));
        let supports_refunds =
            value_or_fault(faults, &at("supportsRefunds"), supports_refunds.and_then(|text| boolean(&text)));
        if let Some(id) = &id {
            let first = self.seen.entry(id.clone()).or_insert_with(|| place.to_owned());
            if first != place {
                self.faults.0.push(format!("{}: duplicate id, first used in {first}", at("id")));
            }
        }
        let (Some(id), Some(name), Some(icon_url), Some(supports_refunds)) = (id, name, icon_url, supports_refunds)
        else {
            return;
        };
        if self.faults.0.len() == before {
            self.banks.push(Bank { id, name: name.into_string(), icon_url, supports_refunds });
        }
    }

    fn finish(mut self) -> Result<Vec<Bank>, Faults> {
        if self.banks.is_empty() && self.faults.0.is_empty() {
            self.faults.0.push("the file contains no banks".to_owned());
        }
        if self.faults.0.is_empty() { Ok(self.banks) } else { Err(self.faults) }
    }
}

/// Returns a value, or records its flaw at a place in the file.
fn value_or_fault<T>(faults: &mut Faults, place: &str, checked: Result<T, Flaw>) -> Option<T> {
    checked.map_err(|flaw| faults.0.push(format!("{place}: {}", flaw.message))).ok()
}

fn web_address(text: String) -> Result<String, Flaw> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_valid =
        host.is_some_and(|rest| !rest.is_empty()) && text.len() <= 2048 && text.bytes().all(|b| b.is_ascii_graphic());
    if is_valid { Ok(text) } else { Err(Flaw::format("must be a URL such as https://example.com/icon.svg")) }
}

fn boolean(text: &str) -> Result<bool, Flaw> {
    text.parse().map_err(|_| Flaw::value("must be true or false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789ABCDEF";

    fn csv(rows: &[&str]) -> Result<Vec<Bank>, String> {
        let text = format!("\u{feff}id,name,iconUrl,supportsRefunds\n{}\n", rows.join("\n"));
        from_csv(text.as_bytes()).map_err(|faults| faults.to_string())
    }

    fn json(text: &str) -> Result<Vec<Bank>, String> {
        from_json(text.as_bytes()).map_err(|faults| faults.to_string())
    }

    #[test]
    fn csv_and_json_give_the_same_banks() {
        let by_csv = csv(&[&format!("{ID},\"Salt, & Sons\",https://x.example/a.svg,true")]).unwrap();
        let entry = serde_json::json!({
            "id": ID, "name": "Salt, & Sons", "iconUrl": "https://x.example/a.svg", "supportsRefunds": true
        });
        assert_eq!(by_csv, json(&format!("[{entry}]")).unwrap());
        assert_eq!(by_csv[0].id.as_str(), ID.to_lowercase());
    }

    #[test]
    fn every_error_of_a_csv_file_is_reported() {
        let good = format!("{ID},Good,https://x.example/a.svg,true");
        let said = csv(&[&good, "abc,,ftp://x,maybe", &good, "one,two"]).unwrap_err();
        for fault in
            ["line 3, id:", "line 3, name:", "line 3, iconUrl:", "line 3, supportsRefunds:", "line 4, id:", "line 5:"]
        {
            assert_eq!(said.lines().filter(|line| line.starts_with(fault)).count(), 1, "{fault} in {said}");
        }
        assert_eq!(said.lines().count(), 6, "{said}");
        assert!(from_csv(b"name,id\n").unwrap_err().to_string().contains("id,name,iconUrl,supportsRefunds"));
        assert!(csv(&[]).unwrap_err().contains("no bank"));
        assert!(from_csv(b"id,name,iconUrl,supportsRefunds\n\xff,a,b,c\n").unwrap_err().to_string().contains("line"));
    }

    #[test]
    fn every_error_of_a_json_file_is_reported() {
        let said = json(r#"[{"id": 1, "nam": "x", "iconUrl": null, "supportsRefunds": "true"}, 7]"#).unwrap_err();
        for fault in ["[0].id:", "[0].nam:", "[0].name:", "[0].iconUrl:", "[0].supportsRefunds:", "[1]:"] {
            assert_eq!(said.lines().filter(|line| line.starts_with(fault)).count(), 1, "{fault} in {said}");
        }
        for wrong in ["", "{}", "[]", "[{]"] {
            assert!(json(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_duplicate_names_the_first_place_of_its_id() {
        let row = format!("{ID},Bank,https://x.example/a.svg,true");
        let said = csv(&[&row, &row, &row]).unwrap_err();
        for line in [3, 4] {
            assert!(said.contains(&format!("line {line}, id: duplicate id, first used in line 2")), "{said}");
        }
    }
}
