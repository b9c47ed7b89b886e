//! PINs of cards.

use crate::fault::Flaw;
use std::fmt;

/// A PIN in plain text: four digits. It is never printed and never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Pin(String);

impl Pin {
    /// Reads four digits.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        if text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Flaw::format("must be four digits"))
        }
    }

    /// The digits, for computing the digest.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pin(…)")
    }
}

/// The digest of a card's PIN, keyed with a secret of the store. Without the secret, it reveals nothing about the PIN.
#[derive(Clone, Copy)]
pub struct PinDigest([u8; 32]);

impl PinDigest {
    /// Wraps a digest.
    pub const fn new(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// The digest, for storing it.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Compares all bytes, so that the time does not reveal how many are equal.
impl PartialEq for PinDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).fold(0, |differing, (one, other)| differing | (one ^ other)) == 0
    }
}

impl Eq for PinDigest {}

impl fmt::Debug for PinDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PinDigest(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_has_four_digits() {
        assert_eq!(Pin::parse("0427").unwrap().expose(), "0427");
        for wrong in ["", "042", "04271", "042a", "٠٤٢٧", " 042"] {
            assert!(Pin::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_is_printed() {
        let printed = format!("{:?} {:?}", Pin::parse("0427").unwrap(), PinDigest::new([7; 32]));
        assert_eq!(printed, "Pin(…) PinDigest(…)");
    }

    #[test]
    fn every_byte_of_a_digest_counts() {
        for place in 0..32 {
            let mut other = [7; 32];
            other[place] ^= 1;
            assert_ne!(PinDigest::new(other), PinDigest::new([7; 32]));
        }
    }
}
