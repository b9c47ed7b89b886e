//! Reads payments from a CSV (RFC 4180). An unreadable file is refused. An error within a row is recorded for that row.

use super::columns::{COLUMNS, Column, REQUIRED};
use super::guard::unguarded;
use super::quotes::{self, BadQuotes};
use super::suggest::meant;
use super::write_csv::ADDED;
use csv::{Reader, ReaderBuilder, StringRecord};
use florin_domain::batch::{FieldCount, PaymentInput, PaymentRow, Separator};
use florin_domain::fault::{Faults, Flaw, FlawCode};
use std::collections::BTreeSet;

/// Maximum number of rows of one CSV.
pub(crate) const MAX_ROWS: usize = 10_000;

/// Reads the rows of a CSV, and records faults. Returns an error if the file is not a readable CSV.
pub(crate) fn read(bytes: &[u8], faults: &mut Faults) -> Result<Vec<PaymentRow>, Flaw> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Flaw::format(format!("must be UTF-8 (byte {} is not part of a character)", error.valid_up_to() + 1))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = separator(text);
    let byte = match separator {
        Separator::Comma => b',',
        Separator::Semicolon => b';',
    };
    quotes::check(text.as_bytes(), byte).map_err(bad_quotes)?;
    // The header is read like any other row. Rows may have any number of fields here; their number is compared below.
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(byte).from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    next_record(&mut reader, &mut record)?;
    let header = read_header(&record, faults);
    let mut rows = Vec::new();
    let mut lines = Lines { text: text.as_bytes(), searched_bytes: 0, line: 1 };
    while !faults.is_full() && next_record(&mut reader, &mut record)? {
        // Spreadsheets save emptied rows as lines of separators.
        if record.iter().all(str::is_empty) {
            continue;
        }
        if rows.len() == MAX_ROWS {
            faults.push(Flaw::range(format!("must have at most {MAX_ROWS} rows")).at("body"));
            break;
        }
        let mut row = read_row(&record, &header, rows.len(), faults);
        if record.len() != header.len() {
            let line = lines.line_of(&record);
            let ends_empty = record.len() > header.len() && record.iter().skip(header.len()).all(str::is_empty);
            let (found, expected) = (record.len(), header.len());
            row.miscounted = Some(FieldCount { line, separator, ends_empty, found, expected });
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Returns the separator: a semicolon if the header contains a semicolon and no comma. Names of columns contain
/// neither.
fn separator(text: &str) -> Separator {
    let header = text.lines().find(|line| !line.is_empty()).unwrap_or_default();
    if header.contains(';') && !header.contains(',') { Separator::Semicolon } else { Separator::Comma }
}

/// Finds the lines of records. Records must be passed in order.
struct Lines<'a> {
    text: &'a [u8],
    /// The number of bytes that were searched for line ends.
    searched_bytes: usize,
    /// The line of the next byte.
    line: usize,
}

impl Lines<'_> {
    /// Returns the line on which a record begins. The parser's position of a record may be at blank lines before it.
    fn line_of(&mut self, record: &StringRecord) -> usize {
        let start = record.position().and_then(|position| usize::try_from(position.byte()).ok()).unwrap_or_default();
        while let Some(byte) = self.text.get(self.searched_bytes) {
            if self.searched_bytes >= start && !matches!(byte, b'\r' | b'\n') {
                break;
            }
            self.line += usize::from(*byte == b'\n');
            self.searched_bytes += 1;
        }
        self.line
    }
}

fn next_record(reader: &mut Reader<&[u8]>, record: &mut StringRecord) -> Result<bool, Flaw> {
    reader.read_record(record).map_err(|error| Flaw::format(format!("must be a CSV: {error}")))
}

fn bad_quotes(bad: BadQuotes) -> Flaw {
    Flaw::format(match bad {
        BadQuotes::Open { line } => format!("must close the quote opened on line {line}"),
        BadQuotes::Continued { line } => {
            format!("must double quotes inside a quoted field (line {line})")
        }
    })
}

/// Returns the column of each field of a row. `None`: the column is ignored, because it is unknown or only for
/// information.
fn read_header(record: &StringRecord, faults: &mut Faults) -> Vec<Option<&'static Column>> {
    let mut seen = BTreeSet::new();
    let mut columns = Vec::with_capacity(record.len().min(COLUMNS.len() + ADDED.len()));
    for (index, name) in record.iter().enumerate() {
        if faults.is_full() {
            break;
        }
        let found = COLUMNS.iter().find(|column| column.name == name);
        if found.is_none() && !ADDED.contains(&name) {
            let message = unknown_column(name, index, record.len());
            faults.push(Flaw::new(FlawCode::UnknownField, message).at(path_of(name)));
        } else if !seen.insert(name) {
            let flaw = Flaw::new(FlawCode::DuplicateField, "must be in the header only once");
            faults.push(flaw.at(path_of(name)));
        }
        columns.push(found);
    }
    for name in REQUIRED {
        if !seen.contains(name) {
            faults.push(Flaw::new(FlawCode::Required, "is required in the header").at(path_of(name)));
        }
    }
    columns
}

fn unknown_column(name: &str, index: usize, count: usize) -> String {
    if name.is_empty() {
        let hint = if index + 1 == count { "; remove the separator at the end of the header" } else { "" };
        return format!("column {} of the header has no name{hint}", index + 1);
    }
    let hint = meant(name).map_or_else(String::new, |column| format!("; did you mean {column:?}?"));
    format!("unknown column {name:?}{hint}")
}

fn path_of(name: &str) -> String {
    if name.is_empty() { "body".to_owned() } else { format!("body.{name}") }
}

fn read_row(record: &StringRecord, header: &[Option<&Column>], index: usize, faults: &mut Faults) -> PaymentRow {
    let mut input = PaymentInput::default();
    for (cell, column) in record.iter().zip(header) {
        let Some(column) = column.filter(|_| !cell.is_empty()) else { continue };
        if cell.contains('\0') {
            let flaw = Flaw::format("must not contain the NUL character");
            faults.push(flaw.at(format!("body.rows[{index}].{}", column.name)));
        }
        *(column.slot)(&mut input) = Some(unguarded(cell).to_owned());
    }
    PaymentRow { input, miscounted: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "amount,currencyCode,recipient.name,recipient.accountIdentifier";

    fn valid_rows(text: &str) -> Vec<PaymentRow> {
        let mut faults = Faults::default();
        let rows = read(text.as_bytes(), &mut faults).unwrap();
        assert_eq!(faults.into_vec(), [], "{text}");
        rows
    }

    fn faults_of(text: &str) -> Vec<(String, FlawCode)> {
        let mut faults = Faults::default();
        read(text.as_bytes(), &mut faults).unwrap();
        faults.into_vec().into_iter().map(|fault| (fault.path, fault.flaw.code)).collect()
    }

    #[test]
    fn equivalent_files_give_the_same_rows() {
        let plain = valid_rows(&format!("{HEADER}\n1,GBP,\"Ada, \"\"A\"\"\",12345678\n2,EUR,Bob,X\n"));
        assert_eq!(plain.len(), 2);
        assert_eq!(plain[0].input.amount.as_deref(), Some("1"));
        assert_eq!(plain[0].input.recipient.name.as_deref(), Some("Ada, \"A\""));
        for same in [
            format!("\u{feff}{HEADER}\r\n1,GBP,\"Ada, \"\"A\"\"\",12345678\r\n2,EUR,Bob,X"),
            format!("\n{HEADER}\n\n\"1\",GBP,\"Ada, \"\"A\"\"\",12345678\n\n2,EUR,Bob,X\n\n"),
            "recipient.accountIdentifier,status,recipient.name,errors,currencyCode,amount,warnings,purpose\n\
             12345678,created,\"Ada, \"\"A\"\"\",\"x\ny\",GBP,1,,\nX,,Bob,,EUR,2,,\n"
                .to_owned(),
        ] {
            assert_eq!(valid_rows(&same), plain, "{same}");
        }
    }

    #[test]
    fn a_row_with_a_wrong_number_of_fields_is_marked_and_later_rows_are_read() {
        let rows = valid_rows(&format!("{HEADER}\n1,GBP\n2,GBP,Ada,1,5\n3,GBP,Ada,1\n,,,\n"));
        let counts: Vec<_> = rows.iter().map(|row| row.miscounted.map(|count| (count.found, count.expected))).collect();
        assert_eq!(counts, [Some((2, 4)), Some((5, 4)), None]);
    }

    #[test]
    fn a_miscounted_row_is_named_by_its_line() {
        let text = format!("\n{HEADER}\r\n\n\"1\",GBP,\"A\nda\",1\n,,,\n\n2,GBP,Ada,1,\n3,GBP\n");
        let counts: Vec<_> = valid_rows(&text).into_iter().filter_map(|row| row.miscounted).collect();
        let count =
            |line, ends_empty, found| FieldCount { line, separator: Separator::Comma, ends_empty, found, expected: 4 };
        assert_eq!(counts, [count(8, true, 5), count(9, false, 2)]);
    }

    #[test]
    fn the_header_decides_on_the_separator() {
        let plain = valid_rows(&format!("{HEADER}\n1,GBP,\"Ada; A\",12345678\n"));
        let with_semicolons = HEADER.replace(',', ";");
        assert_eq!(valid_rows(&format!("\u{feff}{with_semicolons}\n1;GBP;\"Ada; A\";12345678\n")), plain);
        let rows = valid_rows(&format!("\r\n{with_semicolons}\r\n1;GBP;Ada, A;1\r\n2;GBP\r\n"));
        assert_eq!(rows[0].input.recipient.name.as_deref(), Some("Ada, A"));
        assert_eq!(rows[1].miscounted.map(|count| (count.separator, count.line)), Some((Separator::Semicolon, 4)));
        assert_eq!(faults_of("amount;currencyCode,recipient.name\n")[0].1, FlawCode::UnknownField);
    }

    #[test]
    fn lines_of_separators_are_skipped() {
        let rows = valid_rows(&format!("{HEADER}\n,,,\n1,GBP,Ada,1\n\"\",,\n,,,,,,\n"));
        assert_eq!(rows.len(), 1);
    }

    #[test]
    fn unknown_columns_get_suggestions() {
        let mut faults = Faults::default();
        read(b"Amount,currency,colour,,recipient.name,\n", &mut faults).unwrap();
        let messages: Vec<_> = faults.into_vec().into_iter().map(|fault| fault.flaw.message.into_owned()).collect();
        assert_eq!(
            messages[..5],
            [
                "unknown column \"Amount\"; did you mean \"amount\"?",
                "unknown column \"currency\"; did you mean \"currencyCode\"?",
                "unknown column \"colour\"",
                "column 4 of the header has no name",
                "column 6 of the header has no name; remove the separator at the end of the header",
            ]
        );
    }

    #[test]
    fn all_faults_of_the_header_are_reported_together() {
        let faults = faults_of("amount,amount,Amount,,currencyCode,status,status\n");
        let expected = [
            ("body.amount", FlawCode::DuplicateField),
            ("body.Amount", FlawCode::UnknownField),
            ("body", FlawCode::UnknownField),
            ("body.status", FlawCode::DuplicateField),
            ("body.recipient.name", FlawCode::Required),
            ("body.recipient.accountIdentifier", FlawCode::Required),
        ];
        assert_eq!(faults, expected.map(|(path, code)| (path.to_owned(), code)));
        assert_eq!(faults_of("\n\n").len(), 4);
        assert_eq!(faults_of(&",".repeat(100_000)).len(), Faults::MAX);
    }

    #[test]
    fn nul_is_refused_with_its_position() {
        let faults = faults_of(&format!("{HEADER}\n1,GBP,Ada,1\n1,GBP,A\0da,1\n"));
        assert_eq!(faults, [("body.rows[1].recipient.name".to_owned(), FlawCode::InvalidFormat)]);
    }

    #[test]
    fn at_most_ten_thousand_rows_are_accepted() {
        let rows = |count: usize| format!("{HEADER}\n{}", "1,GBP,Ada,1\n".repeat(count));
        assert_eq!(valid_rows(&rows(10_000)).len(), 10_000);
        assert_eq!(faults_of(&rows(10_001)), [("body".to_owned(), FlawCode::OutOfRange)]);
    }

    #[test]
    fn invalid_csv_is_refused() {
        for bytes in [b"amount\xff".as_slice(), b"amount,\"x", b"\"amount\"x,y\n"] {
            assert_eq!(read(bytes, &mut Faults::default()).unwrap_err().code, FlawCode::InvalidFormat);
        }
    }
}
