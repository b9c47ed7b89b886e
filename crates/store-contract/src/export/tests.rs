#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use chrono::DateTime;
use std::io::Cursor;

fn origin() -> ExportOrigin {
    ExportOrigin {
        environment: "sandbox".into(),
        at: DateTime::from_timestamp_micros(1_795_000_000_000_001).unwrap(),
        secret_key: "00010203040506ff".into(),
        sandbox_key: None,
    }
}

/// A file with two rows in one table and none in another.
fn file() -> Vec<u8> {
    let mut out = Vec::new();
    let mut export = ExportWriter::begin(&mut out, &ExportHeader::new(&origin(), "0006_service".into())).unwrap();
    export.table("clients");
    export.row("clients", r#"{"id":1}"#).unwrap();
    export.row("clients", r#"{"id":2}"#).unwrap();
    export.table("banks");
    assert_eq!(export.end().unwrap().total(), 2);
    out
}

fn read(bytes: &[u8]) -> Result<(ExportContents, Vec<String>), ExportError> {
    let mut file = Cursor::new(bytes);
    let rows = ExportReader::open(&mut file)?;
    rows.header().check_fits("0006_service", "sandbox")?;
    let mut seen = Vec::new();
    let contents = rows.each(|row| {
        seen.push(format!("{} {} {}", row.line, row.table, row.json));
        Ok(())
    })?;
    Ok((contents, seen))
}

fn refusal(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

#[test]
fn write_and_read_round_trip() {
    let (contents, seen) = read(&file()).unwrap();
    assert_eq!(seen, [r#"2 clients {"id":1}"#, r#"3 clients {"id":2}"#]);
    assert_eq!(contents.rows, BTreeMap::from([("banks".to_owned(), 0), ("clients".to_owned(), 2)]));
    let text = String::from_utf8(file()).unwrap();
    let header = r#"{"format":"florin-export","version":1,"schema":"0006_service","environment":"sandbox","#;
    let expected = header.to_owned() + r#""exportedAt":"2026-11-18T11:06:40.000001Z","secretKey":"00010203040506ff"}"#;
    assert_eq!(text.lines().next(), Some(expected.as_str()));
}

#[test]
fn every_truncated_file_is_refused() {
    let file = file();
    for length in 0..file.len() {
        assert!(read(&file[..length]).is_err(), "the first {length} bytes");
    }
    let last = file[..file.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
    assert!(refusal(&file[..=last]).contains("incomplete"));
    assert!(refusal(&file[..last]).contains("incomplete"));
}

#[test]
fn every_changed_byte_is_detected() {
    let file = file();
    for place in 0..file.len() {
        let mut changed = file.clone();
        changed[place] ^= 1;
        // Only the last line names a table without rows. The reader accepts another name there, but a store compares
        // the names with those of its own tables.
        let unnoticed = read(&changed).is_ok_and(|(contents, _)| contents.rows == read(&file).unwrap().0.rows);
        assert!(!unnoticed, "byte {place}");
    }
    assert!(refusal(&[&file[..], b"{}\n"].concat()).contains("follows"));
    let text = String::from_utf8(file).unwrap();
    assert!(refusal(text.replace(r#"{"id":2}"#, r#"{"id":3}"#).as_bytes()).contains("SHA-256"));
    assert!(refusal(text.replace(r#""clients":2"#, r#""clients":3"#).as_bytes()).contains("rows"));
    let lines: Vec<_> = text.lines().collect();
    let without = [lines[0], lines[1], lines[3], ""].join("\n");
    assert!(refusal(without.as_bytes()).contains("SHA-256"));
}

#[test]
fn a_header_that_does_not_match_is_refused() {
    let text = String::from_utf8(file()).unwrap();
    for (from, to, said) in [
        ("florin-export", "other", "not a Florin export"),
        (r#""version":1"#, r#""version":2"#, "version 2"),
        ("0006_service", "0005_batches", "0005_batches"),
        ("sandbox", "production", "--environment production"),
    ] {
        let message = refusal(text.replacen(from, to, 1).as_bytes());
        assert!(message.contains(said), "{message}");
    }
    for other in ["", "\n", "SQLite format 3\0", "[]\n", "{}\n"] {
        assert!(refusal(other.as_bytes()).contains("not a Florin export"), "{other:?}");
    }
}
