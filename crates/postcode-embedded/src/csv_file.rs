//! Reads an operator's addresses from CSV.

use csv::{ByteRecord, Reader, ReaderBuilder, Terminator};
use florin_domain::address::{Address, UkPostcode};
use std::fmt;
use std::io::Read;

/// The columns that the header must have, in any order.
const COLUMNS: [&str; 6] = ["addressLine1", "addressLine2", "addressLine3", "city", "postcode", "county"];
/// Columns that must have a value in every row.
const REQUIRED: [&str; 3] = ["addressLine1", "city", "postcode"];
/// Maximum length of a value, in characters.
const MAX_LENGTH: usize = 255;
/// Maximum number of rows of a file.
const MAX_ROWS: usize = 1_000_000;
/// Maximum number of faults; after that the rest of the file is not read.
const MAX_FAULTS: usize = 20;

/// All faults of a file, displayed as one line of text each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(LineFault::to_string).collect::<Vec<_>>().join("\n"))]
pub struct CsvFault(Vec<LineFault>);

impl CsvFault {
    /// The faults, at most 20 of them.
    pub fn faults(&self) -> &[LineFault] {
        &self.0
    }
}

/// One fault of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFault {
    /// The line, from 1.
    pub line: u64,
    /// The column, if the fault concerns one value.
    pub column: Option<&'static str>,
    /// The message.
    pub message: String,
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            Some(column) => write!(f, "line {}, {column}: {}", self.line, self.message),
            None => write!(f, "line {}: {}", self.line, self.message),
        }
    }
}

/// Reads addresses from a CSV file (RFC 4180, UTF-8 with or without a byte order mark) with a header line.
///
/// The header must have all columns. `addressLine1`, `city` and `postcode` must have a value in every row. White space
/// around values is removed. The postcode must have a UK format; it is returned in upper case without a space. If any
/// row has a fault, no address is returned.
pub fn read_csv(file: impl Read) -> Result<Vec<Address>, CsvFault> {
    read_at_most(MAX_ROWS, file)
}

fn read_at_most(max_rows: usize, file: impl Read) -> Result<Vec<Address>, CsvFault> {
    // The parser ends lines at LF, so that they can be counted. A CR before it is removed as white space.
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).terminator(Terminator::Any(b'\n'));
    let mut reader = builder.from_reader(file.chain(b"\n".as_slice()));
    let mut record = ByteRecord::new();
    let mut faults = Vec::new();
    let mut addresses = Vec::new();
    let Some(columns) = read_header(&mut reader, &mut record, &mut faults) else { return Err(CsvFault(faults)) };
    while faults.len() < MAX_FAULTS {
        let line = match next_record(&mut reader, &mut record) {
            Ok(None) => break,
            Ok(Some(line)) => line,
            Err(fault) => {
                faults.push(fault);
                break;
            }
        };
        if addresses.len() == max_rows {
            faults.push(whole_line(line, format!("a file must have at most {max_rows} addresses")));
            break;
        }
        addresses.push(Row { line, record: &record, faults: &mut faults }.read(&columns));
    }
    faults.truncate(MAX_FAULTS);
    if faults.is_empty() { Ok(addresses) } else { Err(CsvFault(faults)) }
}

const fn whole_line(line: u64, message: String) -> LineFault {
    LineFault { line, column: None, message }
}

/// Reads the next record that is not blank, trims its values, and returns the line on which it starts. `None`: the end
/// of the file.
fn next_record<R: Read>(reader: &mut Reader<R>, record: &mut ByteRecord) -> Result<Option<u64>, LineFault> {
    loop {
        match reader.read_byte_record(record) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(error) => {
                return Err(whole_line(reader.position().line(), format!("cannot read the file: {error}")));
            }
        }
        // The reader is on the line after the record. Quoted values may contain line ends.
        let line_ends_within: u64 = record.as_slice().iter().map(|byte| u64::from(*byte == b'\n')).sum();
        let line = reader.position().line().saturating_sub(line_ends_within + 1);
        record.trim();
        if record.len() != 1 || !record[0].is_empty() {
            return Ok(Some(line));
        }
    }
}

/// Reads the header. Returns the columns in the order of the file; `None` if the header has faults, which are
/// collected.
fn read_header<R: Read>(
    reader: &mut Reader<R>,
    record: &mut ByteRecord,
    faults: &mut Vec<LineFault>,
) -> Option<Vec<&'static str>> {
    let line = match next_record(reader, record) {
        Ok(Some(line)) => line,
        Ok(None) => {
            faults.push(whole_line(1, format!("the file is empty; expected the header {}", COLUMNS.join(","))));
            return None;
        }
        Err(fault) => {
            faults.push(fault);
            return None;
        }
    };
    let mut found = Vec::new();
    for name in record.iter().take(MAX_FAULTS) {
        match COLUMNS.into_iter().find(|column| column.as_bytes() == name) {
            Some(column) if found.contains(&column) => {
                faults.push(whole_line(line, format!("the column {column} is repeated")));
            }
            Some(column) => found.push(column),
            None => {
                let name: String = String::from_utf8_lossy(name).chars().take(40).collect();
                faults.push(whole_line(line, format!("unknown column {name:?}")));
            }
        }
    }
    for column in COLUMNS.into_iter().filter(|column| !found.contains(column)) {
        faults.push(whole_line(line, format!("the column {column} is missing")));
    }
    faults.truncate(MAX_FAULTS);
    faults.is_empty().then_some(found)
}

/// One row, with the list that collects its faults.
struct Row<'a> {
    line: u64,
    record: &'a ByteRecord,
    faults: &'a mut Vec<LineFault>,
}

impl Row<'_> {
    /// Reads the address of the row, and collects faults. The address is valid only if the row has no faults.
    fn read(mut self, columns: &[&'static str]) -> Address {
        let mut address = Address::default();
        if self.record.len() != columns.len() {
            let message = format!("expected {} values, found {}", columns.len(), self.record.len());
            self.faults.push(whole_line(self.line, message));
            return address;
        }
        for (column, value) in columns.iter().copied().zip(self.record) {
            let Some(value) = self.checked(column, value) else { continue };
            let field = match column {
                "addressLine1" => &mut address.address_line1,
                "addressLine2" => &mut address.address_line2,
                "addressLine3" => &mut address.address_line3,
                "city" => &mut address.city,
                "postcode" => &mut address.postcode,
                _ => &mut address.county,
            };
            *field = value;
        }
        address
    }

    fn checked(&mut self, column: &'static str, value: &[u8]) -> Option<String> {
        match check(column, value) {
            Ok(value) => Some(value),
            Err(message) => {
                self.faults.push(LineFault { line: self.line, column: Some(column), message });
                None
            }
        }
    }
}

fn check(column: &str, value: &[u8]) -> Result<String, String> {
    let value = std::str::from_utf8(value).map_err(|_| "must be UTF-8".to_owned())?;
    if value.contains('\0') {
        return Err("must not contain NUL".into());
    }
    if value.chars().count() > MAX_LENGTH {
        return Err(format!("must be at most {MAX_LENGTH} characters"));
    }
    if value.is_empty() && REQUIRED.contains(&column) {
        return Err("is required".into());
    }
    if column == "postcode" {
        let postcode = UkPostcode::parse(value).map_err(|flaw| flaw.message.into_owned())?;
        return Ok(postcode.as_str().to_owned());
    }
    Ok(value.to_owned())
}

#[cfg(test)]
#[path = "csv_file_tests.rs"]
mod tests;
