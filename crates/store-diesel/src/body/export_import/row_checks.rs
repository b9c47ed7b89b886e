//! Checks the rows of imported snapshot files with the functions that read stored rows.
//!
//! Constraints of the database do not cover everything that these functions require, such as the members of JSON in a
//! column. Without these checks, a file with such a row would be imported, and the reads of its worlds would fail.

use super::body::errors::{Outcome, corrupt};
use super::body::journal;
use super::body::json_values::{self, reason};
use super::body::statements::Row;
use super::body::tables::{batches, cards, checkout, disputes, events, merchant, money, people, worlds};
use florin_domain::merchant::WebUrl;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Maximum value of a counter in a file, so that the counters of a world can still be incremented.
const MAX_COUNTER: i64 = 1 << 53;

/// Reads a row, as JSON. `Corrupt`: it can't be read.
type RowCheck = fn(&str) -> Outcome<()>;

/// The tables with rows that can be wrong although every column has a valid value.
const CHECKS: [(&str, RowCheck); 25] = [
    (worlds::TimelineRow::TABLE, |json| read(json, timeline)),
    (merchant::ProfileRow::TABLE, |json| read(json, |row: merchant::ProfileRow| row.read(None).map(drop))),
    (merchant::SettlementAccountRow::TABLE, |json| {
        read(json, |row: merchant::SettlementAccountRow| row.read().map(drop))
    }),
    (merchant::PayeeRow::TABLE, |json| read(json, |row: merchant::PayeeRow| row.read().map(drop))),
    (merchant::CheckoutRow::TABLE, |json| read(json, |row: merchant::CheckoutRow| urls_of_checkout(&row))),
    (people::PersonRow::TABLE, |json| read(json, |row: people::PersonRow| row.read().map(drop))),
    (money::BudgetRow::TABLE, |json| read(json, |row: money::BudgetRow| row.record(Vec::new()).map(drop))),
    (money::BalanceRow::TABLE, |json| read(json, |row: money::BalanceRow| row.read().map(drop))),
    (money::LegRow::TABLE, |json| read(json, |row: money::LegRow| leg(&row))),
    (money::TransferRow::TABLE, |json| read(json, |row: money::TransferRow| counter("number", row.number))),
    (money::CounterRow::TABLE, |json| read(json, |row: money::CounterRow| counter("last_number", row.last_number))),
    (money::CreditRow::TABLE, |json| read(json, credit)),
    (cards::CardRecordRow::TABLE, |json| read(json, cards::CardRecordRow::check)),
    (cards::LimitRow::TABLE, |json| read(json, |row: cards::LimitRow| row.read().map(drop))),
    (cards::MessageRow::TABLE, |json| read(json, |row: cards::MessageRow| row.read().map(drop))),
    (cards::ChainRow::TABLE, |json| read(json, |row: cards::ChainRow| row.read().map(drop))),
    (cards::ReasonRow::TABLE, |json| read(json, |row: cards::ReasonRow| row.read().map(drop))),
    (cards::CardSettingsRow::TABLE, |json| read(json, |row: cards::CardSettingsRow| row.read().map(drop))),
    (disputes::DisputeRow::TABLE, |json| read(json, |row: disputes::DisputeRow| row.read(Vec::new()).map(drop))),
    (batches::BatchRow::TABLE, |json| read(json, |row: batches::BatchRow| row.read().map(drop))),
    (batches::PaymentRow::TABLE, |json| read(json, payment)),
    (batches::AlertRow::TABLE, |json| read(json, |row: batches::AlertRow| row.read().map(drop))),
    (checkout::SessionRow::TABLE, |json| read(json, session)),
    (checkout::PaymentRow::TABLE, |json| read(json, |row: checkout::PaymentRow| row.read().map(drop))),
    (events::SequenceRow::TABLE, |json| {
        read(json, |row: events::SequenceRow| counter("last_sequence", row.last_sequence))
    }),
];

/// Whether rows of this table are checked.
#[cfg(test)]
pub(super) fn has_check(table: &str) -> bool {
    CHECKS.iter().any(|(known, _)| *known == table)
}

/// Reads a row of a table as the store reads it. `Corrupt`: the store could not read it.
pub(super) fn check(table: &str, json: &str) -> Outcome<()> {
    match CHECKS.iter().find(|(known, _)| *known == table) {
        Some((_, check)) => check(json),
        None => Ok(()),
    }
}

fn read<R: DeserializeOwned>(json: &str, check: impl FnOnce(R) -> Outcome<()>) -> Outcome<()> {
    check(serde_json::from_str(json).map_err(|error| corrupt(reason(&error)))?)
}

fn timeline(row: worlds::TimelineRow) -> Outcome<()> {
    counter("last_number", row.last_number)?;
    row.read().map(drop)
}

fn urls_of_checkout(row: &merchant::CheckoutRow) -> Outcome<()> {
    url("return_url", Some(&row.return_url))?;
    url("dynamic_rates_url", row.dynamic_rates_url.as_deref())
}

fn leg(row: &money::LegRow) -> Outcome<()> {
    counter("number", row.number.unwrap_or_default())?;
    row.links()?;
    journal::leg(row).map(drop)
}

fn credit(row: money::CreditRow) -> Outcome<()> {
    counter("number", row.number)?;
    row.detail().map(drop)
}

fn payment(row: batches::PaymentRow) -> Outcome<()> {
    // The database searches in the JSON of `input`, so the JSON must not contain texts that a database can't read.
    if has_nul(&json_values::column("input", &row.input)?) {
        return Err(corrupt("`input` must not contain the NUL character"));
    }
    row.read().map(drop)
}

fn session(row: checkout::SessionRow) -> Outcome<()> {
    url("return_url", row.return_url.as_deref())?;
    url("dynamic_rates_url", row.dynamic_rates_url.as_deref())?;
    row.read().map(drop)
}

fn counter(column: &str, number: i64) -> Outcome<()> {
    if (0..=MAX_COUNTER).contains(&number) {
        Ok(())
    } else {
        Err(corrupt(format!("`{column}` must be from 0 to {MAX_COUNTER} (got {number})")))
    }
}

/// Checks a URL that payers follow, or that the server requests.
fn url(column: &str, text: Option<&str>) -> Outcome<()> {
    match text.map(WebUrl::parse_or_loopback) {
        Some(Err(flaw)) => Err(corrupt(format!("`{column}` {}", flaw.message))),
        Some(Ok(_)) | None => Ok(()),
    }
}

/// Whether a text in a JSON value contains the NUL character. Some databases can't store it.
pub(super) fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(elements) => elements.iter().any(has_nul),
        Value::Object(members) => members.iter().any(|(name, member)| name.contains('\0') || has_nul(member)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const ID: &str = "0198c0de-0000-7000-8000-000000000001";

    #[test]
    fn a_row_that_the_store_could_not_read_is_refused() {
        let refusal = |table: &str, json: &str| check(table, json).map_err(|failure| failure.to_string());
        let limit = |uses: &str| {
            format!(
                r#"{{"account_id":"W1","card_id":"{ID}","limit_window":"DAY","id":"{ID}","amount_minor":1,
                "max_uses":null,"active":true,"turned_off":false,"window_start":"2026-01-05","spent_minor":0,
                "uses":{uses},"carried_minor":0,"carried_uses":0}}"#
            )
        };
        assert_eq!(refusal("card_limits", &limit("7")), Ok(()));
        let wrong = refusal("card_limits", &limit("4294967296")).unwrap_err();
        assert!(wrong.starts_with("`uses`: "), "{wrong}");
        let settings = |life: &str| format!(r#"{{"account_id":"W1","hold_life":{life},"over_clearing":"ACCEPT"}}"#);
        assert_eq!(refusal("card_settings", &settings("null")), Ok(()));
        let wrong = refusal("card_settings", &settings(r#""{}""#)).unwrap_err();
        assert_eq!(wrong, "`hold_life`: missing field `default`");
        let sequence = |last: i64| format!(r#"{{"account_id":"W1","object_id":"{ID}","last_sequence":{last}}}"#);
        assert_eq!(refusal("event_sequences", &sequence(MAX_COUNTER)), Ok(()));
        let wrong = refusal("event_sequences", &sequence(MAX_COUNTER + 1)).unwrap_err();
        assert_eq!(wrong, "`last_sequence` must be from 0 to 9007199254740992 (got 9007199254740993)");
        let wrong = refusal("event_sequences", &sequence(-1)).unwrap_err();
        assert_eq!(wrong, "`last_sequence` must be from 0 to 9007199254740992 (got -1)");
        assert_eq!(refusal("card_words", "not JSON"), Ok(()), "this table has no check");
    }

    #[test]
    fn nul_is_found_in_names_and_values() {
        for (json, expected) in [
            (r#"{"a":["b",null,1,true]}"#, false),
            (r#"{"a":["\u0000"]}"#, true),
            (r#"{"a\u0000":1}"#, true),
            (r#"{"a":"\\u0000"}"#, false),
        ] {
            assert_eq!(has_nul(&serde_json::from_str(json).unwrap()), expected, "{json}");
        }
    }
}
