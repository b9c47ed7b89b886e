//! Encrypts secrets under the operator's secret key, with XChaCha20-Poly1305 and random nonces.
//!
//! An encrypted secret consists of a nonce and the ciphertext. The name of the record that owns the secret is
//! authenticated with it, so a secret that was copied to another record can't be decrypted.

mod key;

pub use key::SecretKey;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use florin_domain::secret::{SealedParts, SealedSecret, Secret, SecretKeyId, SecretOwner};
use florin_ports::{SecretCipher, SecretError};
use std::fmt;

/// Length of a nonce, in bytes.
const NONCE_LENGTH: usize = 24;

/// Encrypts under the current key, and decrypts under the current and the previous key.
pub struct KeyRing {
    current: SecretKey,
    previous: Option<SecretKey>,
}

impl KeyRing {
    /// Creates a key ring. `previous` is needed during a rotation of the secret key.
    pub const fn new(current: SecretKey, previous: Option<SecretKey>) -> Self {
        Self { current, previous }
    }

    fn find(&self, id: SecretKeyId) -> Option<&SecretKey> {
        [Some(&self.current), self.previous.as_ref()].into_iter().flatten().find(|key| key.id() == id)
    }
}

impl SecretCipher for KeyRing {
    fn key(&self) -> SecretKeyId {
        self.current.id()
    }

    fn has(&self, key: SecretKeyId) -> bool {
        self.find(key).is_some()
    }

    fn seal(&self, owner: &SecretOwner, secret: &Secret) -> Result<SealedSecret, SecretError> {
        let mut nonce = [0; NONCE_LENGTH];
        getrandom::fill(&mut nonce).map_err(|error| SecretError::Random(error.to_string()))?;
        let payload = Payload { msg: secret.expose(), aad: &bound_to(owner) };
        let encrypted = cipher(&self.current).encrypt(&XNonce::from(nonce), payload);
        let encrypted = encrypted.map_err(|_| SecretError::Damaged(owner.clone()))?;
        Ok(SealedSecret::encrypted(self.key(), &[nonce.as_slice(), &encrypted].concat()))
    }

    fn open(&self, owner: &SecretOwner, sealed: &SealedSecret) -> Result<Secret, SecretError> {
        let damaged = || SecretError::Damaged(owner.clone());
        let Some(SealedParts::Encrypted { key, contents }) = sealed.parts() else { return Err(damaged()) };
        let secret_key = self.find(key).ok_or_else(|| SecretError::Key { owner: owner.clone(), key })?;
        let (nonce, encrypted) = contents.split_first_chunk::<NONCE_LENGTH>().ok_or_else(damaged)?;
        let payload = Payload { msg: encrypted, aad: &bound_to(owner) };
        let secret = cipher(secret_key).decrypt(&XNonce::from(*nonce), payload);
        secret.map(Secret::new).map_err(|_| damaged())
    }
}

/// Shows the ids of the keys.
impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRing").field("current", &self.current).field("previous", &self.previous).finish()
    }
}

fn cipher(key: &SecretKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(key.bytes().into())
}

/// Returns the authenticated data of a secret: it binds the secret to the record that owns it.
fn bound_to(owner: &SecretOwner) -> Vec<u8> {
    format!("florin secret 1 {owner}").into_bytes()
}

#[cfg(test)]
mod tests;
