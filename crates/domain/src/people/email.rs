//! Email addresses.

use crate::fault::{Flaw, FlawCode};
use std::fmt;

/// An email address: a local part, one `@` and a domain, at most 254 characters in total.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmailAddress(String);

/// Omits the address, because it is personal data.
impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailAddress(…)")
    }
}

impl EmailAddress {
    /// Maximum number of characters.
    pub const MAX: usize = 254;

    /// Parses an address. The check covers the form only, not whether the mailbox exists.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let length = text.chars().count();
        if length > Self::MAX {
            return Err(Flaw::new(
                FlawCode::TooLong,
                format!("must be at most {} characters (got {length})", Self::MAX),
            ));
        }
        let is_plain = |part: &str| !part.is_empty() && !part.chars().any(|c| c.is_whitespace() || c.is_control());
        match text.split_once('@') {
            Some((local, domain)) if is_plain(local) && is_plain(domain) && !domain.contains('@') => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(Flaw::format("must be an email address such as ada@example.com")),
        }
    }

    /// Returns the address as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address in lower case. Addresses with the same key count as equal.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_one_at_sign() {
        for good in ["ada@example.com", "Ada.Byron+x@löve.example", "a@b"] {
            assert!(EmailAddress::parse(good).is_ok(), "{good}");
        }
        for wrong in ["", "ada", "@example.com", "ada@", "a@b@c", "a b@c", "a@b\n"] {
            assert_eq!(EmailAddress::parse(wrong).unwrap_err().code, FlawCode::InvalidFormat, "{wrong}");
        }
        assert_eq!(EmailAddress::parse(&format!("{}@b", "a".repeat(253))).unwrap_err().code, FlawCode::TooLong);
        assert_eq!(EmailAddress::parse("Ada@Example.com").unwrap().key(), "ada@example.com");
    }
}
