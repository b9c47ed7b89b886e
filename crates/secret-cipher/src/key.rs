//! The operator's secret keys.

use florin_domain::secret::{Secret, SecretKeyId};
use sha2::{Digest, Sha256};
use std::fmt::{self, Write as _};
use zeroize::Zeroizing;

/// A secret key of 256 bits. It is erased from memory when it is dropped, and never printed.
#[derive(Clone)]
pub struct SecretKey(Zeroizing<[u8; 32]>);

impl SecretKey {
    /// Creates a random key. Fails if the operating system has no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(key.as_mut_slice())?;
        Ok(Self(key))
    }

    /// Parses 64 hexadecimal digits. `None`: the text is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut key = Zeroizing::new([0; 32]);
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(key))
    }

    /// Reads the key that a sandbox stores in its database. `None`: it does not have 32 bytes.
    pub fn from_stored(secret: &Secret) -> Option<Self> {
        let bytes = secret.expose();
        let mut key = Zeroizing::new([0; 32]);
        (bytes.len() == key.len()).then(|| key.copy_from_slice(bytes))?;
        Some(Self(key))
    }

    /// Returns the key in the form in which a sandbox stores it in its database.
    pub fn to_secret(&self) -> Secret {
        Secret::new(self.0.to_vec())
    }

    /// Returns the key as 64 hexadecimal digits, for a file.
    pub fn to_hex(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(64));
        for byte in self.0.iter() {
            // Writing to a string can't fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// Returns the id of the key: the first 8 bytes of the SHA-256 of a prefix and the key.
    pub fn id(&self) -> SecretKeyId {
        let hash = Sha256::new().chain_update(b"florin secret key id").chain_update(self.0.as_slice()).finalize();
        let mut id = [0; 8];
        id.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
        SecretKeyId(id)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.id())
    }
}
