//! The file of a snapshot: one line of JSON that describes it, then one line of JSON per row.

use crate::codes::ErrorCode;
use crate::idempotency::hash;
use crate::problem::Problem;
use actix_web::http::StatusCode;
use chrono::{DateTime, SecondsFormat, Utc};
use florin_domain::ids::AccountId;
use florin_domain::text::Text;
use florin_domain::world::SnapshotFile;
use serde::{Deserialize, Serialize};

/// The media type of the file.
pub(crate) const MEDIA_TYPE: &str = "application/x-ndjson";
/// The version of the format.
const VERSION: u32 = 1;

/// The first line of a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
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
    let day = file.created_at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let plain: String = day.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{}-{plain}.ndjson", file.account)
}

/// Reads the file of a snapshot. Its checksum is verified, but its rows are not checked.
pub(crate) fn read(bytes: &[u8]) -> Result<SnapshotFile, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8"))?;
    let (header, contents) = text.split_once('\n').ok_or_else(|| malformed("it has only one line"))?;
    let invalid_header = |reason: &str| malformed(&format!("its first line: {reason}"));
    let header: Header = serde_json::from_str(header).map_err(|error| invalid_header(&error.to_string()))?;
    if header.florin_snapshot != VERSION {
        return Err(invalid_header(&format!("`florinSnapshot` must be {VERSION}")));
    }
    if header.sha256 != hash(contents.as_bytes()) {
        let message = "was changed: its lines do not have the SHA-256 that its first line states";
        return Err(refusal(ErrorCode::InvalidValue, message.into()));
    }
    Ok(SnapshotFile {
        schema: header.schema,
        account: AccountId::parse(&header.account_id).map_err(|flaw| invalid_header(&flaw.message))?,
        name: header.name.map(Text::parse).transpose().map_err(|flaw| invalid_header(&flaw.message))?,
        created_at: header.created_at.parse::<DateTime<Utc>>().map_err(|error| invalid_header(&error.to_string()))?,
        contents: contents.to_owned(),
    })
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
}
