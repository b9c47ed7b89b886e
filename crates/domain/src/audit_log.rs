//! The audit log: acts of operators and refused authentications, in an append-only chain.

use chrono::{DateTime, Utc};
use std::fmt;

/// The state of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditOutcome {
    /// It is about to begin. An act that was interrupted has no later record.
    Begun,
    /// It succeeded.
    Done,
    /// It failed. If the error says that the outcome is unknown, it may have taken effect.
    Failed,
    /// It was refused.
    Refused,
}

impl AuditOutcome {
    /// All outcomes.
    pub const ALL: [Self; 4] = [Self::Begun, Self::Done, Self::Failed, Self::Refused];

    /// The name as stored.
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

/// The SHA-256 of a record, which contains that of the record before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditHash(pub [u8; 32]);

impl AuditHash {
    /// The hash before the first record.
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

/// 64 hexadecimal digits.
impl fmt::Display for AuditHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Maximum length of the details of an event, in characters.
const MAX_DETAILS: usize = 1000;
/// Number of letters and digits in a row from which on they may be a secret: an API key, an encryption key, a TOTP secret.
const SECRET: usize = 32;

/// Makes a text safe for the log: hides what may be a secret, escapes what may disguise the text on a terminal, and
/// marks where it was cut. People paste secrets where ids are expected.
pub fn safe_details(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut safe = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = rest.find(|c| is_part(c) != is_part(first)).unwrap_or(rest.len());
        let (part, later) = rest.split_at(run);
        rest = later;
        if is_part(first) && part.len() >= SECRET {
            safe.extend(["[hidden: ", &part.len().to_string(), " characters]"]);
        } else {
            part.chars().for_each(|c| if disguises(c) { safe.extend(c.escape_unicode()) } else { safe.push(c) });
        }
    }
    match safe.char_indices().nth(MAX_DETAILS) {
        Some((end, _)) => format!("{}… ({} characters)", &safe[..end], safe.chars().count()),
        None => safe,
    }
}

/// Whether a character ends a line, moves the cursor or changes the direction of the text.
fn disguises(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// An event for the audit log. It contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    /// When it happened, in real time.
    pub at: DateTime<Utc>,
    /// Who acted: a user of the operating system, or the id of an API key; `-` if unknown.
    pub actor: String,
    /// From where: a host, or the address of a caller.
    pub source: String,
    /// What was done, such as `keys revoke`.
    pub action: String,
    /// Its outcome.
    pub outcome: AuditOutcome,
    /// The number of the record in which the act began; `None` for that record itself, and for a single one.
    pub begun: Option<i64>,
    /// Its arguments or result.
    pub details: String,
}

/// A record of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its position, from 1.
    pub number: i64,
    /// What happened.
    pub event: AuditEvent,
    /// The hash of the record before.
    pub previous: AuditHash,
    /// The hash of this record.
    pub hash: AuditHash,
}

impl AuditEvent {
    /// The bytes of which the hash is taken: each part with its length.
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
    fn details_hold_no_secret_and_no_disguise() {
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
