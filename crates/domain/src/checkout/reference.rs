//! Payment references, which payers see on their bank statements.

use crate::fault::Flaw;
use std::fmt;
use uuid::Uuid;

/// The reference of a session's payments: `RQ` and 8 characters, without 0, 1, I and O. It is unique in its account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaymentReference(String);

const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const PREFIX: &str = "RQ";
const LENGTH: usize = 8;

impl PaymentReference {
    /// Creates a reference from the last 40 bits of a random id.
    pub fn of(id: Uuid) -> Self {
        let bits = id.as_u128();
        let place = |index: usize| usize::try_from(bits >> (5 * index) & 31).unwrap_or_default();
        let characters = (0..LENGTH).map(|index| char::from(ALPHABET[place(index)]));
        Self(PREFIX.chars().chain(characters).collect())
    }

    /// Parses a reference: checks the prefix, the length and the characters.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let is_reference = text
            .strip_prefix(PREFIX)
            .is_some_and(|rest| rest.len() == LENGTH && rest.bytes().all(|byte| ALPHABET.contains(&byte)));
        if is_reference { Ok(Self(text.to_owned())) } else { Err(Flaw::format("must be a payment reference")) }
    }

    /// Returns the reference as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PaymentReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_follows_from_an_id() {
        assert_eq!(PaymentReference::of(Uuid::nil()).as_str(), "RQ22222222");
        let reference = PaymentReference::of(Uuid::from_u128(u128::MAX));
        assert_eq!(reference.as_str(), "RQZZZZZZZZ");
        assert_eq!(PaymentReference::parse(reference.as_str()), Ok(reference));
        for wrong in ["", "RQ2222222", "RQ222222222", "RQ2222222O", "XX22222222", "rq22222222"] {
            assert!(PaymentReference::parse(wrong).is_err(), "{wrong}");
        }
    }
}
