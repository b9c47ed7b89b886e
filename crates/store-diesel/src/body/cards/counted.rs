//! The amounts of a chain that limits have counted, as JSON. Each entry is a list: limit, first day of the window,
//! amount, and the kind unless it is `Spent`.

use super::body::errors::Outcome;
use super::body::json_values;
use super::body::types::{Day, Id};
use florin_domain::card::{CountedAmount, CountedKind};
use florin_domain::ids::LimitId;
use florin_domain::money::Minor;
use serde::{Deserialize, Serialize};

/// An entry as stored.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Entry {
    Spent(Id, Day, i64),
    Other(Id, Day, i64, Kind),
}

#[derive(Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "kept")]
    Permanent,
    #[serde(rename = "lowered")]
    Refunded,
}

impl From<&CountedAmount> for Entry {
    fn from(entry: &CountedAmount) -> Self {
        let (limit, start, amount) = (Id(entry.limit.0), Day(entry.window_start), entry.amount.0);
        match entry.kind {
            CountedKind::Spent => Self::Spent(limit, start, amount),
            CountedKind::Permanent => Self::Other(limit, start, amount, Kind::Permanent),
            CountedKind::Refunded => Self::Other(limit, start, amount, Kind::Refunded),
        }
    }
}

impl From<Entry> for CountedAmount {
    fn from(entry: Entry) -> Self {
        let (limit, start, amount, kind) = match entry {
            Entry::Spent(limit, start, amount) => (limit, start, amount, CountedKind::Spent),
            Entry::Other(limit, start, amount, Kind::Permanent) => (limit, start, amount, CountedKind::Permanent),
            Entry::Other(limit, start, amount, Kind::Refunded) => (limit, start, amount, CountedKind::Refunded),
        };
        Self { limit: LimitId(limit.0), window_start: start.0, amount: Minor(amount), kind }
    }
}

/// Returns the text to store; `None` for nothing.
pub(super) fn text(counted: &[CountedAmount]) -> Option<String> {
    let entries: Vec<_> = counted.iter().map(Entry::from).collect();
    // Serialization cannot fail: the entries consist of texts and numbers.
    (!entries.is_empty()).then(|| serde_json::to_string(&entries).unwrap_or_default())
}

/// Reads a stored text.
pub(crate) fn read(text: Option<&str>) -> Outcome<Vec<CountedAmount>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let entries: Vec<Entry> = json_values::column("counted", text)?;
    Ok(entries.into_iter().map(CountedAmount::from).collect())
}
