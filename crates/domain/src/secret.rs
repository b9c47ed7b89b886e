//! Secrets that a store keeps, such as TOTP secrets. They are encrypted with a key of the operator.

use crate::ids::{AccountId, WebhookId};
use std::fmt;

/// A decrypted secret. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Creates a secret from its bytes.
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, for use or encryption.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The id of a secret key of the operator. It is derived from the key and reveals nothing about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SecretKeyId(pub [u8; 8]);

impl SecretKeyId {
    /// Parses 16 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = is_hex.then(|| u64::from_str_radix(text, 16).ok())?;
        number.map(|number| Self(number.to_be_bytes()))
    }
}

/// Formats the id as 16 hexadecimal digits.
impl fmt::Display for SecretKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

/// The record that a secret belongs to. The secret can only be decrypted for this record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecretOwner {
    /// The TOTP enrolment of an account.
    Totp(AccountId),
    /// A subscription to events.
    Webhook(WebhookId),
    /// The decision endpoint of an account.
    Decisions(AccountId),
    /// The payment pages of all accounts. Their page tokens are derived from one secret.
    Pages,
}

impl fmt::Display for SecretOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Totp(account) => write!(f, "totp:{account}"),
            Self::Webhook(webhook) => write!(f, "webhook:{webhook}"),
            Self::Decisions(account) => write!(f, "decisions:{account}"),
            Self::Pages => f.write_str("pages"),
        }
    }
}

/// A secret as stored: encrypted, or in clear if an early version of Florin stored it. The first byte says which. In an
/// encrypted secret, the id of the secret key and the output of the cipher follow.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret(Vec<u8>);

/// The parts of a stored secret.
#[derive(Debug, PartialEq, Eq)]
pub enum SealedParts<'a> {
    /// A secret from a time before secrets were encrypted.
    Clear(Secret),
    /// An encrypted secret.
    Encrypted {
        /// The id of the secret key.
        key: SecretKeyId,
        /// The output of the cipher.
        contents: &'a [u8],
    },
}

impl SealedSecret {
    const CLEAR: u8 = 0;
    const ENCRYPTED: u8 = 1;

    /// Wraps stored bytes.
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Creates an encrypted secret from the output of a cipher.
    pub fn encrypted(key: SecretKeyId, contents: &[u8]) -> Self {
        Self([&[Self::ENCRYPTED], key.0.as_slice(), contents].concat())
    }

    /// Creates a secret that is not encrypted. The migration marks old secrets in this way.
    pub fn clear(secret: &Secret) -> Self {
        Self([&[Self::CLEAR], secret.expose()].concat())
    }

    /// Returns the stored bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the parts; `None` if the bytes are damaged.
    pub fn parts(&self) -> Option<SealedParts<'_>> {
        match self.0.split_first()? {
            (&Self::CLEAR, secret) => Some(SealedParts::Clear(Secret::new(secret.to_vec()))),
            (&Self::ENCRYPTED, rest) => {
                let (key, contents) = rest.split_first_chunk()?;
                Some(SealedParts::Encrypted { key: SecretKeyId(*key), contents })
            }
            _ => None,
        }
    }

    /// Returns whether the secret is encrypted with this key.
    pub fn is_under(&self, key: SecretKeyId) -> bool {
        matches!(self.parts(), Some(SealedParts::Encrypted { key: used, .. }) if used == key)
    }
}

/// Prints no bytes, because they may contain a secret that is not encrypted.
impl fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedSecret(…)")
    }
}

/// Selects the secrets of a store that are still to be encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretFilter {
    /// Secrets that are not encrypted at all.
    InClear,
    /// Secrets that are not encrypted with this key.
    NotUnder(SecretKeyId),
}

impl SecretFilter {
    /// Returns whether the filter selects a secret.
    pub fn includes(self, secret: &SealedSecret) -> bool {
        match self {
            Self::InClear => matches!(secret.parts(), Some(SealedParts::Clear(_))),
            Self::NotUnder(key) => !secret.is_under(key),
        }
    }
}

/// The secret key that a store is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreKey {
    /// Its id.
    pub id: SecretKeyId,
    /// The key itself, if a sandbox keeps it in the store. It is stored next to the secrets then, so it does not
    /// protect them.
    pub kept: Option<Secret>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_secret_names_its_key() {
        let key = SecretKeyId([0, 1, 2, 3, 4, 5, 6, 0xff]);
        let sealed = SealedSecret::encrypted(key, b"contents");
        assert_eq!(sealed.parts(), Some(SealedParts::Encrypted { key, contents: b"contents" }));
        assert!(sealed.is_under(key) && !sealed.is_under(SecretKeyId([0; 8])));
        let clear = SealedSecret::clear(&Secret::new(b"abc".to_vec()));
        assert_eq!(clear.parts(), Some(SealedParts::Clear(Secret::new(b"abc".to_vec()))));
        for damaged in [&[][..], &[1, 2, 3], &[2], b"a secret of an older version"] {
            assert_eq!(SealedSecret::new(damaged.to_vec()).parts(), None, "{damaged:?}");
        }
    }

    #[test]
    fn ids_of_keys_are_hexadecimal() {
        let id = SecretKeyId([0, 1, 2, 3, 4, 5, 6, 0xff]);
        assert_eq!(id.to_string(), "00010203040506ff");
        assert_eq!(SecretKeyId::parse("00010203040506ff"), Some(id));
        for wrong in ["", "0001", "00010203040506fg", "+0010203040506ff"] {
            assert_eq!(SecretKeyId::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn secrets_are_not_printed() {
        let secret = Secret::new(b"hidden".to_vec());
        let key = StoreKey { id: SecretKeyId([0; 8]), kept: Some(secret.clone()) };
        let printed =
            format!("{secret:?} {:?} {:?} {key:?}", SealedSecret::clear(&secret), SealedSecret::clear(&secret).parts());
        assert!(!printed.contains("hidden") && !printed.contains("104"), "{printed}");
    }
}
