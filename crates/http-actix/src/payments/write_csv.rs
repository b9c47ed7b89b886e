//! Writes payments as a CSV: the empty template, and a download that can be corrected and uploaded again.

use super::columns::COLUMNS;
use super::guard::guarded;
use csv::{Terminator, Writer, WriterBuilder};
use florin_domain::batch::{Alert, AlertKind, BatchContent, Payment};
use std::collections::BTreeMap;

/// The columns that a download adds and an upload ignores.
pub(super) const ADDED: [&str; 3] = ["status", "errors", "warnings"];

/// The text between several alerts in one cell.
const BETWEEN: &str = " | ";

/// Writes the template, which has only the header.
pub(crate) fn template() -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv_writer();
    writer.write_record(COLUMNS.iter().map(|column| column.name))?;
    finish_csv(writer)
}

/// Writes the payments of a batch, each with its alerts.
pub(crate) fn download(content: &BatchContent) -> Result<Vec<u8>, csv::Error> {
    let mut alerts: BTreeMap<u32, Vec<&Alert>> = BTreeMap::new();
    for alert in &content.alerts {
        if let Some(index) = alert.index {
            alerts.entry(index).or_default().push(alert);
        }
    }
    let mut writer = csv_writer();
    writer.write_record(COLUMNS.iter().map(|column| column.name).chain(ADDED))?;
    for payment in &content.payments {
        let alerts = alerts.get(&payment.index).map_or(&[][..], Vec::as_slice);
        write_row(&mut writer, payment, alerts)?;
    }
    finish_csv(writer)
}

fn write_row(writer: &mut Writer<Vec<u8>>, payment: &Payment, alerts: &[&Alert]) -> Result<(), csv::Error> {
    for column in COLUMNS {
        writer.write_field(guarded((column.get)(&payment.input).unwrap_or_default()).as_bytes())?;
    }
    writer.write_field(payment.status().as_str())?;
    for kind in [AlertKind::Error, AlertKind::Warning] {
        let messages = alerts.iter().filter(|alert| alert.kind == kind);
        let messages: Vec<_> = messages.map(|alert| format!("{}: {}", alert.code.as_str(), alert.message)).collect();
        writer.write_field(messages.join(BETWEEN))?;
    }
    writer.write_record(None::<&[u8]>)
}

/// Creates a CSV writer (RFC 4180).
pub(crate) fn csv_writer() -> Writer<Vec<u8>> {
    WriterBuilder::new().has_headers(false).terminator(Terminator::CRLF).from_writer(Vec::new())
}

/// Returns the bytes that were written.
pub(crate) fn finish_csv(writer: Writer<Vec<u8>>) -> Result<Vec<u8>, csv::Error> {
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}
