//! Converts the rows of a snapshot to the rows of a file, and back.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Failure, Outcome, Stop, corrupt};
use super::body::json_values::reason;
use super::body::statements::Row;
use super::body::tables;
use super::body::tables::batches::{AcceptedRow, PaymentRow};
use super::body::tables::cards::CardRecordRow;
use super::body::tables::events::EventRow;
use super::body::tables::mfa::SessionRow;
use super::body::tables::service::RecordRow;
use super::body::tables::table::Table;
use super::positions::{Line, PLACED, push_line};
use super::{row_checks, secrets};
use florin_domain::world::ImportRefusal;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The tables that a file leaves out: their rows have a meaning only in the world that wrote them.
const LEFT_OUT: [&str; 3] = [EventRow::TABLE, RecordRow::TABLE, SessionRow::TABLE];

/// A row of a file.
struct FileRow {
    /// The number of its line. The first line of the file is the header, so these lines are numbered from 2.
    line: u64,
    table: &'static Table,
    columns: Map<String, Value>,
}

impl FileRow {
    /// Checks that the store can read the row. Errors name the line and the table, and the column if one is wrong.
    fn check(&self) -> Result<(), String> {
        if let Some((column, _)) = self.columns.iter().find(|(_, value)| row_checks::has_nul(value)) {
            return Err(self.wrong(format_args!("`{column}` must not contain the NUL character")));
        }
        let json = serde_json::to_string(&self.columns).map_err(|error| self.wrong(error))?;
        self.table.check_columns(&json).map_err(|error| self.wrong(reason(&error)))?;
        row_checks::check(self.table.name, &json).map_err(|failure| self.wrong(failure))
    }

    fn wrong(&self, reason: impl fmt::Display) -> String {
        format!("line {}: `{}`: {reason}", self.line, self.table.name)
    }
}

/// The rows of a file as a snapshot of this store contains them.
pub(crate) struct StoreRows {
    /// The rows as lines of JSON.
    pub(crate) text: String,
    /// The line of the file for each of these lines.
    lines: Vec<u64>,
}

impl StoreRows {
    /// Returns the line of the file for a line of the text, which is numbered from 1.
    pub(crate) fn line_of(&self, line: u64) -> u64 {
        let index = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
        index.and_then(|index| self.lines.get(index)).copied().unwrap_or_default()
    }
}

/// Whether a file contains the rows of a table.
fn is_in_files(table: &str) -> bool {
    !LEFT_OUT.contains(&table) && !secrets::are_in(table)
}

/// Returns the rows of a snapshot that a file contains.
pub(crate) fn for_file(contents: &str) -> Outcome<String> {
    let rows = read(contents).map_err(corrupt)?;
    text(&rows)
}

/// Returns the rows of a file as a snapshot of this store contains them: with positions that are drawn here. Each row
/// is checked.
pub(crate) fn for_store(conn: &mut Conn, contents: &str) -> Result<StoreRows, Stop<ImportRefusal>> {
    let invalid = |reason: String| Stop::Answer(ImportRefusal::Invalid(reason));
    let mut rows = read(contents).map_err(invalid)?;
    rows.iter().try_for_each(FileRow::check).map_err(invalid)?;
    keep_own_acceptances(&mut rows);
    replace_positions(conn, &mut rows)?;
    Ok(StoreRows { text: text(&rows)?, lines: rows.iter().map(|row| row.line).collect() })
}

/// Reads the rows of the tables that files contain. PINs are left out. Errors name the line of the file.
fn read(contents: &str) -> Result<Vec<FileRow>, String> {
    let mut rows = Vec::new();
    for (number, line) in (2_u64..).zip(contents.lines()) {
        let Line { table, row } =
            serde_json::from_str(line).map_err(|error| format!("line {number}: {}", reason(&error)))?;
        let known = tables::named(table).filter(|known| known.is_reverted());
        let table = known.ok_or_else(|| format!("line {number}: `{table}` is no table of a snapshot"))?;
        if !is_in_files(table.name) {
            continue;
        }
        let columns = serde_json::from_str(row.get());
        let mut columns: Map<String, Value> =
            columns.map_err(|error| format!("line {number}: `{}`: {}", table.name, reason(&error)))?;
        if table.name == CardRecordRow::TABLE {
            columns.insert("pin_digest".into(), Value::Null);
        }
        rows.push(FileRow { line: number, table, columns });
    }
    Ok(rows)
}

fn text(rows: &[FileRow]) -> Outcome<String> {
    let mut text = String::new();
    for FileRow { table, columns, .. } in rows {
        let row = serde_json::to_string(columns).map_err(corrupt)?;
        push_line(&mut text, table.name, &row);
    }
    Ok(text)
}

/// Removes the simulated bank's rows for payments that are not in the file. Worlds share these rows, which have the ids
/// of payments.
fn keep_own_acceptances(rows: &mut Vec<FileRow>) {
    let id = |row: &FileRow| row.columns.get("id").and_then(Value::as_str).map(str::to_owned);
    let payments: BTreeSet<_> = rows.iter().filter(|row| row.table.name == PaymentRow::TABLE).filter_map(id).collect();
    rows.retain(|row| row.table.name != AcceptedRow::TABLE || id(row).is_some_and(|id| payments.contains(&id)));
}

/// Replaces the positions of the rows by positions of this store, in the same order. Positions of another store have no
/// meaning here.
fn replace_positions(conn: &mut Conn, rows: &mut [FileRow]) -> Result<(), Failure> {
    let position = |row: &FileRow| row.columns.get("position").and_then(Value::as_i64);
    let is_placed = |row: &&FileRow| PLACED.contains(&row.table.name);
    let old: BTreeSet<i64> = rows.iter().filter(is_placed).filter_map(position).collect();
    if old.is_empty() {
        return Ok(());
    }
    let new = driver::draw_positions(conn, old.len())?;
    let moved: BTreeMap<i64, i64> = old.into_iter().zip(new).collect();
    for row in rows.iter_mut().filter(|row| PLACED.contains(&row.table.name)) {
        if let Some(new) = position(row).and_then(|old| moved.get(&old)) {
            row.columns.insert("position".into(), (*new).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn refusal(contents: &str) -> String {
        read(contents).and_then(|rows| rows.iter().try_for_each(FileRow::check)).unwrap_err()
    }

    /// Whoever adds a table decides whether its rows need a check.
    #[test]
    fn tables_without_a_check_are_known() {
        // Every value of their columns can be read. Other checks compare the counts with the rows.
        const VALID: [&str; 12] = [
            "budget_counts",
            "card_budgets",
            "card_counts",
            "card_transitions",
            "card_words",
            "checkout_counts",
            "dispute_evidence",
            "merchant_logos",
            "merchant_payment_counts",
            "payment_orders",
            "people_counts",
            "sandbox_payments",
        ];
        let (in_files, others): (BTreeSet<_>, BTreeSet<_>) = tables::all()
            .filter(|table| table.is_reverted())
            .map(|table| table.name)
            .partition(|table| is_in_files(table));
        let unchecked: BTreeSet<_> = in_files.into_iter().filter(|table| !row_checks::has_check(table)).collect();
        assert_eq!(unchecked, BTreeSet::from(VALID));
        assert!(!others.into_iter().any(row_checks::has_check));
    }

    #[test]
    fn a_refusal_names_the_line_the_table_and_the_column() {
        let total = |total: &str| {
            format!(r#"{{"table":"people_counts","row":{{"account_id":"W1","role":"Owner","total":{total}}}}}"#)
        };
        let person = r#"{"table":"people","row":{"account_id":"W1","id":"0198c0de-0000-7000-8000-000000000001",
            "persona_id":"0198c0de-0000-7000-8000-000000000002","first_name":"Ada","last_name":"Byron",
            "email":"nobody","email_key":"nobody","role":"Owner","status":"active",
            "created_at":"2026-01-05T12:00:00Z","updated_at":"2026-01-05T12:00:00Z"}}"#;
        let person = person.replace('\n', "");
        let left_out = r#"{"table":"idempotency_records","row":{}}"#;
        for (contents, expected) in [
            ("no row".to_owned(), "line 2: expected ident"),
            (r#"{"table":"people_counts"}"#.to_owned(), "line 2: missing field `row`"),
            (r#"{"table":"people_counts","row":[]}"#.to_owned(), "line 2: `people_counts`: invalid type: sequence"),
            (format!("{}\n{}", total("1"), total("\"1\"")), "line 3: `people_counts`: `total`: invalid type: string"),
            (format!("{left_out}\n{}", total("null")), "line 3: `people_counts`: `total`: invalid type: null"),
            (total(r#"1,"more":1"#), "line 2: `people_counts`: unknown field `more`"),
            (total("1").replace("Owner", "\\u0000"), "line 2: `people_counts`: `role` must not contain the NUL"),
            (total("1").replace("Owner", "King"), "line 2: `people_counts`: `role`: `King` is not"),
            (person, "line 2: `people`: `email` must be"),
        ] {
            let refusal = refusal(&contents);
            assert!(refusal.starts_with(expected), "{refusal}");
            assert!(!refusal.contains("column 1"), "a position in a row has no meaning for the file: {refusal}");
        }
        assert_eq!(read(&total("1")).unwrap().iter().try_for_each(FileRow::check), Ok(()));
    }
}
