//! The file of a snapshot: one line of JSON that describes it, then one line of JSON per row.

use crate::codes::ErrorCode;
use crate::idempotency::hash;
use crate::problem::Problem;
use actix_web::http::StatusCode;
use chrono::SecondsFormat;
use florin_domain::fault::Flaw;
use florin_domain::ids::AccountId;
use florin_domain::text::Text;
use florin_domain::world::{SnapshotFile, parse_snapshot_time};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The media type of the file.
pub(crate) const MEDIA_TYPE: &str = "application/x-ndjson";
/// The version of the format.
const VERSION: u32 = 1;

/// The first line of a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    /// The version of the format.
    florin_snapshot: u32,
    schema: String,
    account_id: String,
    name: Option<String>,
    /// The time of creation, with microseconds.
    created_at: String,
    /// The SHA-256 of the following lines, in hexadecimal.
    sha256: String,
}

/// The first line of a file as sent: its members can have any type, so that the error about a wrong member can name it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SentHeader {
    florin_snapshot: Value,
    schema: Value,
    account_id: Value,
    #[serde(default)]
    name: Value,
    created_at: Value,
    sha256: Value,
}

/// Renders the file of a snapshot.
pub(crate) fn write(file: &SnapshotFile) -> Result<String, Problem> {
    let header = Header {
        florin_snapshot: VERSION,
        schema: file.schema.clone(),
        account_id: file.account.to_string(),
        name: file.name.as_ref().map(|name| name.as_str().to_owned()),
        created_at: file.created_at.to_rfc3339_opts(SecondsFormat::Micros, true),
        sha256: hash(file.contents.as_bytes()),
    };
    let header = serde_json::to_string(&header).map_err(|_| Problem::internal())?;
    Ok(format!("{header}\n{}", file.contents))
}

/// Returns the name of the file. It contains only characters that every file system accepts.
pub(crate) fn name(file: &SnapshotFile) -> String {
    let time = file.created_at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let compact_time: String = time.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{}-{compact_time}.ndjson", file.account)
}

/// Reads the file of a snapshot. Its checksum is verified, but its rows are not checked. An error in the first line
/// names the member that is wrong.
pub(crate) fn read(bytes: &[u8]) -> Result<SnapshotFile, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8"))?;
    let (header, contents) = text.split_once('\n').ok_or_else(|| malformed("it has only one line"))?;
    let header: SentHeader =
        serde_json::from_str(header).map_err(|error| malformed(&format!("its first line: {error}")))?;
    if header.florin_snapshot != VERSION {
        return Err(wrong_member("florinSnapshot", &format!("must be {VERSION}")));
    }
    let schema = member("schema", header.schema, |text| Ok(text.to_owned()))?;
    let account = member("accountId", header.account_id, AccountId::parse)?;
    let name = match header.name {
        Value::Null => None,
        name => Some(member("name", name, |text| Text::parse(text))?),
    };
    let created_at = member("createdAt", header.created_at, parse_snapshot_time)?;
    let sha256 = member("sha256", header.sha256, |text| Ok(text.to_owned()))?;
    if sha256 != hash(contents.as_bytes()) {
        let message = "was changed: its lines do not have the SHA-256 that `sha256` in its first line states";
        return Err(refusal(ErrorCode::InvalidValue, message.into()));
    }
    Ok(SnapshotFile { schema, account, name, created_at, contents: contents.to_owned() })
}

/// Reads a member of the first line, which must be a string.
fn member<T>(name: &str, value: Value, parse: impl FnOnce(&str) -> Result<T, Flaw>) -> Result<T, Problem> {
    match value {
        Value::String(text) => parse(&text).map_err(|flaw| wrong_member(name, &flaw.message)),
        _ => Err(wrong_member(name, "must be a string")),
    }
}

fn wrong_member(name: &str, message: &str) -> Problem {
    malformed(&format!("`{name}` in its first line {message}"))
}

fn malformed(reason: &str) -> Problem {
    let message = format!("must be a file of `GET /v2/sandbox/worlds/…/snapshots/…/file`: {reason}");
    refusal(ErrorCode::InvalidFormat, message)
}

fn refusal(code: ErrorCode, message: String) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "body", code, message)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic fails the test")]

    use super::*;

    fn file() -> SnapshotFile {
        SnapshotFile {
            schema: "000040_x".into(),
            account: AccountId::parse("W1").unwrap(),
            name: Some(Text::parse("before").unwrap()),
            created_at: "2026-01-05T12:00:00.000001Z".parse().unwrap(),
            contents: "{\"table\":\"a\",\"row\":{}}\n".into(),
        }
    }

    #[test]
    fn a_written_file_is_read_again() {
        let text = write(&file()).unwrap();
        assert_eq!(read(text.as_bytes()).unwrap_or_else(|_| panic!("a fault")), file());
        assert_eq!(name(&file()), "W1-20260105T120000Z.ndjson");
    }

    #[test]
    fn a_changed_file_is_refused() {
        let text = write(&file()).unwrap();
        for (from, to) in [("\"a\"", "\"b\""), ("before", ""), (":1,", ":2,"), ("\n", ""), ("\"W1\"", "1")] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            assert!(read(changed.as_bytes()).is_err(), "{changed}");
        }
        assert!(read(b"\xff").is_err());
        assert!(read(b"").is_err());
    }

    #[test]
    fn an_error_names_the_member_of_the_first_line() {
        let text = write(&file()).unwrap();
        for (from, to, expected) in [
            (":1,", ":2,", "`florinSnapshot` in its first line must be 1"),
            ("\"000040_x\"", "40", "`schema` in its first line must be a string"),
            ("\"schema\":\"000040_x\",", "", "its first line: missing field `schema`"),
            ("\"W1\"", "\"\"", "`accountId` in its first line is required"),
            ("\"before\"", "\"\"", "`name` in its first line must not be empty"),
            ("\"before\"", "7", "`name` in its first line must be a string"),
            ("2026-01-05T", "2026-01-05 at ", "`createdAt` in its first line must be a time"),
            ("2026-", "9999-", "`createdAt` in its first line must be in the years 2000 to 2199"),
            ("\"sha256\":\"", "\"sha256\":\"0", "that `sha256` in its first line states"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            let Err(problem) = read(changed.as_bytes()) else { panic!("{changed} is read") };
            assert!(problem.to_string().contains(expected), "{problem}");
        }
    }
}
