//! Banks at which payers can pay checkout sessions.

use crate::fault::Flaw;
use std::fmt;

/// The id of a bank: 32 hexadecimal characters in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BankId(String);

impl BankId {
    /// Parses an id, and converts it to lower case.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        if text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(Flaw::format("must be a bank id of 32 hexadecimal characters"))
        }
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BankId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A bank of the bank list. An operator imports the list, and all merchants share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bank {
    /// Its id.
    pub id: BankId,
    /// Its display name.
    pub name: String,
    /// The URL of its icon.
    pub icon_url: String,
    /// Whether it pays refunds.
    pub supports_refunds: bool,
}
