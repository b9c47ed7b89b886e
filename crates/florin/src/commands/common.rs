//! The context of commands, and helpers for arguments, files, times and errors.

use crate::cli::CommandLine;
use crate::output;
use crate::settings::Settings;
use crate::usage::UsageError;
use crate::wiring;
use anyhow::anyhow;
use chrono::{DateTime, SubsecRound, Utc};
use florin_domain::fault::Flaw;
use florin_ports::StoreError;
use serde::Serialize;
use std::cell::RefCell;
use std::fs;
use std::path::Path;

/// The context of a command.
pub(crate) struct Context {
    /// The settings.
    pub(crate) settings: Settings,
    /// Whether to print results as JSON.
    pub(crate) json: bool,
    /// The command as given, for the audit log.
    pub(crate) command_line: CommandLine,
    /// The result of the command for the audit log, without secrets.
    pub(crate) result: RefCell<String>,
}

impl Context {
    /// Sets the result of the command for the audit log. A command calls it as soon as it has taken effect.
    pub(crate) fn record_result(&self, result: String) {
        self.result.replace(result);
    }
}

/// Waits until the caches of running servers have expired: once the command returns, every new request sees its change.
pub(super) async fn wait_for_cache_expiry() {
    actix_web::rt::time::sleep(wiring::MAX_CACHE_AGE).await;
}

/// Parses an argument, or returns an error that explains its flaw.
pub(super) fn argument<'a, T>(
    name: &str,
    text: &'a str,
    read: impl FnOnce(&'a str) -> Result<T, Flaw>,
) -> Result<T, UsageError> {
    read(text).map_err(|flaw| UsageError::new(format!("{name} {text:?}: {}", flaw.message)))
}

/// Converts a store error into a message for operators: `absent` for a missing record, `taken` for a duplicate.
pub(super) fn explain(
    error: StoreError,
    absent: impl FnOnce() -> String,
    taken: impl FnOnce() -> String,
) -> anyhow::Error {
    match error {
        StoreError::NotFound(_) => anyhow!(absent()),
        StoreError::Duplicate(_) => anyhow!(taken()),
        other => other.into(),
    }
}

/// Reads a file to import. Its maximum size is 64 MiB.
pub(super) fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    const MAX: u64 = 64 * 1024 * 1024;
    let unreadable = |error| anyhow!("cannot read {}: {error}", path.display());
    if fs::metadata(path).map_err(unreadable)?.len() > MAX {
        return Err(anyhow!("{} is larger than {} MiB", path.display(), MAX / 1024 / 1024));
    }
    fs::read(path).map_err(unreadable)
}

/// Prints the number of imported records: `Imported 3 banks.`, or as JSON.
pub(super) fn print_imported(context: &Context, imported: usize, records: &str) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Imported {
        imported: usize,
    }
    output::print_json_or_text(context.json, &Imported { imported }, || format!("Imported {imported} {records}."))
}

/// Percent-encodes a part of a URI.
pub(super) fn percent_encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// A time as the API writes it: UTC, whole seconds.
pub(crate) fn format_time(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Parses an RFC 3339 time of an argument, and drops fractions of a second.
pub(super) fn parse_time(argument: &str, text: &str) -> Result<DateTime<Utc>, UsageError> {
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.to_utc().trunc_subsecs(0));
    time.map_err(|_| UsageError::new(format!("{argument} must be a time such as 2027-01-01T00:00:00Z (got {text:?})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_whole_seconds_of_utc() {
        assert_eq!(format_time(parse_time("--from", "2027-01-01T01:00:00.5+01:00").unwrap()), "2027-01-01T00:00:00Z");
        assert!(parse_time("--expires-at", "tomorrow").unwrap_err().to_string().starts_with("--expires-at must be"));
    }
}
