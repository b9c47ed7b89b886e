//! The audit log: the append-only list of acts of operators and refused authentications.

use chrono::{DateTime, Utc};
use std::fmt;

/// The outcome of an act, or the mark of its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditOutcome {
    /// The act is about to begin. If it is interrupted, no later record follows.
    Begun,
    /// The act succeeded.
    Done,
    /// The act failed. It may have taken effect if the error says that the outcome is unknown.
    Failed,
    /// The act was refused.
    Refused,
}

impl AuditOutcome {
    /// All outcomes.
    pub const ALL: [Self; 4] = [Self::Begun, Self::Done, Self::Failed, Self::Refused];

    /// Returns the stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }

    /// Parses a stored name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == name)
    }
}

/// The SHA-256 of a record. The record contains the hash of its predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditHash(pub [u8; 32]);

impl AuditHash {
    /// The hash that the first record contains instead of a predecessor's.
    pub const START: Self = Self([0; 32]);

    /// Parses 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let mut hash = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        for (byte, place) in hash.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(text.get(place..place + 2)?, 16).ok()?;
        }
        Some(Self(hash))
    }
}

/// Formats the hash as 64 hexadecimal digits.
impl fmt::Display for AuditHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Maximum length of the details of an event, in characters.
const MAX_DETAILS: usize = 1000;
/// Minimum length of a run of letters and digits that may be a secret: an API key, an encryption key, a TOTP secret.
const MIN_SECRET: usize = 32;

/// Makes a text safe for the log. People paste secrets where ids are expected. Therefore this function hides runs of
/// characters that may be secrets, escapes characters that could disguise the text on a terminal, and marks the place
/// where the text is cut.
pub fn safe_details(text: &str) -> String {
    let is_in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut safe = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_in_word(c) != is_in_word(first)).unwrap_or(rest.len());
        let (run, later) = rest.split_at(end);
        rest = later;
        if is_in_word(first) && run.len() >= MIN_SECRET {
            safe.extend(["[hidden: ", &run.len().to_string(), " characters]"]);
        } else {
            run.chars().for_each(|c| if disguises(c) { safe.extend(c.escape_unicode()) } else { safe.push(c) });
        }
    }
    match safe.char_indices().nth(MAX_DETAILS) {
        Some((end, _)) => format!("{}… ({} characters)", &safe[..end], safe.chars().count()),
        None => safe,
    }
}

/// Returns whether a character ends a line, moves the cursor or changes the direction of the text.
fn disguises(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// An event for the audit log. It contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    /// When it occurred, in real time.
    pub at: DateTime<Utc>,
    /// Who acted: a user of the operating system, or the id of an API key. `-` if unknown.
    pub actor: String,
    /// Where the act came from: a host, or the address of a caller.
    pub source: String,
    /// The action, such as `keys revoke`.
    pub action: String,
    /// Its outcome.
    pub outcome: AuditOutcome,
    /// The number of the record in which the act began. `None`: this is that record, or the act has only one record.
    pub begun: Option<i64>,
    /// The arguments or the result of the action.
    pub details: String,
}

/// A record of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its position in the log, from 1.
    pub number: i64,
    /// The event.
    pub event: AuditEvent,
    /// The hash of the previous record.
    pub previous: AuditHash,
    /// The hash of this record.
    pub hash: AuditHash,
}

impl AuditEvent {
    /// Returns the bytes to hash: each part of the record, texts with their lengths.
    pub fn hashed(&self, number: i64, previous: AuditHash) -> Vec<u8> {
        let at = self.at.timestamp_micros().to_string();
        let begun = self.begun.map(|number| number.to_string()).unwrap_or_default();
        let texts = [&at, &self.actor, &self.source, &self.action, self.outcome.as_str(), &begun, &self.details];
        let mut bytes = b"florin audit 1".to_vec();
        bytes.extend(number.to_be_bytes());
        bytes.extend(previous.0);
        for text in texts {
            bytes.extend((text.len() as u64).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> AuditEvent {
        AuditEvent {
            at: DateTime::UNIX_EPOCH,
            actor: "ada".into(),
            source: "host".into(),
            action: "keys revoke".into(),
            outcome: AuditOutcome::Done,
            begun: None,
            details: String::new(),
        }
    }

    #[test]
    fn every_part_is_hashed() {
        let all = [
            event().hashed(1, AuditHash::START),
            event().hashed(2, AuditHash::START),
            event().hashed(1, AuditHash([1; 32])),
            AuditEvent { at: DateTime::UNIX_EPOCH + chrono::TimeDelta::microseconds(1), ..event() }
                .hashed(1, AuditHash::START),
            AuditEvent { actor: "ad".into(), source: "ahost".into(), ..event() }.hashed(1, AuditHash::START),
            AuditEvent { outcome: AuditOutcome::Failed, ..event() }.hashed(1, AuditHash::START),
            AuditEvent { details: "x".into(), ..event() }.hashed(1, AuditHash::START),
            AuditEvent { begun: Some(1), ..event() }.hashed(1, AuditHash::START),
            AuditEvent { details: "1".into(), ..event() }.hashed(1, AuditHash::START),
        ];
        for (place, one) in all.iter().enumerate() {
            assert!(!all[..place].contains(one), "{place}");
        }
    }

    #[test]
    fn details_hide_secrets_and_escape_control_characters() {
        let id = "0198c0de-0006-7000-8000-000000000001";
        assert_eq!(safe_details(id), id);
        let key = format!("keys revoke florin_production_{}", "a1".repeat(32));
        assert_eq!(safe_details(&key), "keys revoke [hidden: 82 characters]");
        assert_eq!(safe_details("--name \"A\n7 bob\u{1b}[2K\u{202e}\""), "--name \"A\\u{a}7 bob\\u{1b}[2K\\u{202e}\"");
        let long = safe_details(&"x ".repeat(600));
        assert!(long.ends_with("x … (1200 characters)"), "{long}");
    }

    #[test]
    fn hashes_are_hexadecimal() {
        let hash = AuditHash([0xab; 32]);
        assert_eq!(AuditHash::parse(&hash.to_string()), Some(hash));
        assert_eq!(AuditHash::parse("ab"), None);
        assert_eq!(AuditHash::parse(&"é".repeat(32)), None);
    }
}
