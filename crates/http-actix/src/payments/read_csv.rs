//! Reads payments from a CSV (RFC 4180). An unreadable file is refused; an error within a row belongs to the row.

use super::columns::{COLUMNS, Column, REQUIRED};
use super::guard::bare;
use super::quotes::{self, BadQuotes};
use super::write_csv::ADDED;
use csv::{Reader, ReaderBuilder, StringRecord};
use florin_domain::batch::{FieldCount, PaymentInput, PaymentRow};
use florin_domain::fault::{Faults, Flaw, FlawCode};
use std::collections::BTreeSet;

/// Maximum number of rows of one CSV.
pub(crate) const MAX_ROWS: usize = 10_000;

/// Reads a CSV and records the faults of its shape. Fails if it is not a readable CSV.
pub(crate) fn read(bytes: &[u8], faults: &mut Faults) -> Result<Vec<PaymentRow>, Flaw> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Flaw::format(format!("must be UTF-8 (byte {} is not part of a character)", error.valid_up_to() + 1))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    quotes::check(text.as_bytes()).map_err(bad_quotes)?;
    // The header is read like any other row: the number of fields is compared here.
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = StringRecord::new();
    next(&mut reader, &mut record)?;
    let header = header(&record, faults);
    let mut rows = Vec::new();
    while !faults.is_full() && next(&mut reader, &mut record)? {
        if rows.len() == MAX_ROWS {
            faults.push(Flaw::range(format!("must have at most {MAX_ROWS} rows")).at("body"));
            break;
        }
        rows.push(row(&record, &header, rows.len(), faults));
    }
    Ok(rows)
}

fn next(reader: &mut Reader<&[u8]>, record: &mut StringRecord) -> Result<bool, Flaw> {
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

/// Returns the column of each field of a row. `None`: an informative column, which is ignored.
fn header(record: &StringRecord, faults: &mut Faults) -> Vec<Option<&'static Column>> {
    let mut seen = BTreeSet::new();
    let mut columns = Vec::with_capacity(record.len().min(COLUMNS.len() + ADDED.len()));
    for name in record {
        if faults.is_full() {
            break;
        }
        let found = COLUMNS.iter().find(|column| column.name == name);
        if found.is_none() && !ADDED.contains(&name) {
            let message = format!("unknown column {name:?}");
            faults.push(Flaw::new(FlawCode::UnknownField, message).at(place(name)));
        } else if !seen.insert(name) {
            let flaw = Flaw::new(FlawCode::DuplicateField, "must be in the header only once");
            faults.push(flaw.at(place(name)));
        }
        columns.push(found);
    }
    for name in REQUIRED {
        if !seen.contains(name) {
            faults.push(Flaw::new(FlawCode::Required, "is required in the header").at(place(name)));
        }
    }
    columns
}

fn place(name: &str) -> String {
    if name.is_empty() { "body".to_owned() } else { format!("body.{name}") }
}

fn row(record: &StringRecord, header: &[Option<&Column>], index: usize, faults: &mut Faults) -> PaymentRow {
    let mut input = PaymentInput::default();
    for (cell, column) in record.iter().zip(header) {
        let Some(column) = column.filter(|_| !cell.is_empty()) else { continue };
        if cell.contains('\0') {
            let flaw = Flaw::format("must not contain the NUL character");
            faults.push(flaw.at(format!("body.rows[{index}].{}", column.name)));
        }
        *(column.slot)(&mut input) = Some(bare(cell).to_owned());
    }
    let count = FieldCount { found: record.len(), wanted: header.len() };
    PaymentRow { input, miscounted: (count.found != count.wanted).then_some(count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "amount,currencyCode,recipient.name,recipient.accountIdentifier";

    fn good(text: &str) -> Vec<PaymentRow> {
        let mut faults = Faults::default();
        let rows = read(text.as_bytes(), &mut faults).unwrap();
        assert_eq!(faults.into_vec(), [], "{text}");
        rows
    }

    fn bad(text: &str) -> Vec<(String, FlawCode)> {
        let mut faults = Faults::default();
        read(text.as_bytes(), &mut faults).unwrap();
        faults.into_vec().into_iter().map(|fault| (fault.path, fault.flaw.code)).collect()
    }

    #[test]
    fn equivalent_files_give_the_same_rows() {
        let plain = good(&format!("{HEADER}\n1,GBP,\"Ada, \"\"A\"\"\",12345678\n2,EUR,Bob,X\n"));
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
            assert_eq!(good(&same), plain, "{same}");
        }
    }

    #[test]
    fn a_row_with_a_wrong_number_of_fields_is_marked_and_hides_no_other_fault() {
        let rows = good(&format!("{HEADER}\n1,GBP\n2,GBP,Ada,1,5\n3,GBP,Ada,1\n,,,\n"));
        let counts: Vec<_> = rows.iter().map(|row| row.miscounted.map(|count| (count.found, count.wanted))).collect();
        assert_eq!(counts, [Some((2, 4)), Some((5, 4)), None, None]);
        assert_eq!(rows[3].input, PaymentInput::default());
    }

    #[test]
    fn all_faults_of_the_header_are_reported_together() {
        let faults = bad("amount,amount,Amount,,currencyCode,status,status\n");
        let expected = [
            ("body.amount", FlawCode::DuplicateField),
            ("body.Amount", FlawCode::UnknownField),
            ("body", FlawCode::UnknownField),
            ("body.status", FlawCode::DuplicateField),
            ("body.recipient.name", FlawCode::Required),
            ("body.recipient.accountIdentifier", FlawCode::Required),
        ];
        assert_eq!(faults, expected.map(|(path, code)| (path.to_owned(), code)));
        assert_eq!(bad("\n\n").len(), 4);
        assert_eq!(bad(&",".repeat(100_000)).len(), Faults::MAX);
    }

    #[test]
    fn nul_is_refused_with_its_position() {
        let faults = bad(&format!("{HEADER}\n1,GBP,Ada,1\n1,GBP,A\0da,1\n"));
        assert_eq!(faults, [("body.rows[1].recipient.name".to_owned(), FlawCode::InvalidFormat)]);
    }

    #[test]
    fn at_most_ten_thousand_rows_are_accepted() {
        let rows = |count: usize| format!("{HEADER}\n{}", "1,GBP,Ada,1\n".repeat(count));
        assert_eq!(good(&rows(10_000)).len(), 10_000);
        assert_eq!(bad(&rows(10_001)), [("body".to_owned(), FlawCode::OutOfRange)]);
    }

    #[test]
    fn invalid_csv_is_refused() {
        for bytes in [b"amount\xff".as_slice(), b"amount,\"x", b"\"amount\"x,y\n"] {
            assert_eq!(read(bytes, &mut Faults::default()).unwrap_err().code, FlawCode::InvalidFormat);
        }
    }
}
