//! What limits counted of a chain, as JSON: a list of limit, first day of the window, and amount.

use super::body::errors::{Outcome, corrupt};
use super::body::types::{Day, Id};
use florin_domain::card::CountedAmount;
use florin_domain::ids::LimitId;
use florin_domain::money::Minor;

/// Returns the text to store; `None` for nothing.
pub(super) fn text(counted: &[CountedAmount]) -> Option<String> {
    let entries: Vec<_> =
        counted.iter().map(|entry| (Id(entry.limit.0), Day(entry.window_start), entry.amount.0)).collect();
    // Serialization cannot fail: the entries consist of texts and numbers.
    (!entries.is_empty()).then(|| serde_json::to_string(&entries).unwrap_or_default())
}

/// Reads a stored text.
pub(crate) fn read(text: Option<&str>) -> Outcome<Vec<CountedAmount>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let entries: Vec<(Id, Day, i64)> = serde_json::from_str(text).map_err(corrupt)?;
    let entry = |(limit, start, amount): (Id, Day, i64)| CountedAmount {
        limit: LimitId(limit.0),
        window_start: start.0,
        amount: Minor(amount),
    };
    Ok(entries.into_iter().map(entry).collect())
}
