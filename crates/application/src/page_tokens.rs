//! Tokens in the URLs of payment pages.

use crate::{SecretDigests, SecretsError};
use florin_domain::checkout::PageTokenHash;
use florin_domain::ids::AccountId;
use florin_domain::secret::{Secret, SecretOwner};
use florin_ports::{PageTokens, SecretCipher, Secrets};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::Arc;
use uuid::Uuid;

/// Derives the tokens of payment pages. A token has 128 bits, derived from a secret of the store, the account, and the
/// id of the session or refund. So the URL of a page can be shown again, although only the hash of its token is stored.
#[derive(Clone, Debug)]
pub struct PageTokenMaker(Secret);

impl PageTokenMaker {
    /// Reads and decrypts the store's secret for payment pages. If the store has none yet, stores `random` as the
    /// secret.
    pub async fn open(
        secrets: &(impl Secrets + ?Sized),
        cipher: &dyn SecretCipher,
        random: Secret,
    ) -> Result<Self, SecretsError> {
        let kept = secrets.page_secret(cipher.seal(&SecretOwner::Pages, &random)?).await?;
        Ok(Self(cipher.open(&SecretOwner::Pages, &kept)?))
    }

    /// Derives tokens from a given secret.
    pub const fn new(secret: Secret) -> Self {
        Self(secret)
    }

    /// Returns the token of the page of a session or refund: 32 hexadecimal digits.
    pub fn token(&self, account: &AccountId, id: Uuid) -> String {
        // HMAC accepts keys of any length, so this never fails.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.expose()) else { return String::new() };
        mac.update(id.as_bytes());
        mac.update(account.as_str().as_bytes());
        hexadecimal(&mac.finalize().into_bytes())
    }

    /// Returns the URL of the payment page of a session, for a server with this public URL.
    pub fn checkout_url(&self, public_url: &str, account: &AccountId, session: Uuid) -> String {
        format!("{public_url}/pay/{}", self.token(account, session))
    }

    /// Returns the hash of a token. Pages are stored under these hashes.
    pub fn hash(token: &str) -> PageTokenHash {
        PageTokenHash(Sha256::digest(token.as_bytes()).into())
    }

    /// Returns the hash of the token of a session or refund.
    pub fn hash_of(&self, account: &AccountId, id: Uuid) -> PageTokenHash {
        Self::hash(&self.token(account, id))
    }

    /// Signs a text of a payment page, such as the token of a form. Returns 32 hexadecimal digits.
    pub fn sign(&self, account: &AccountId, id: Uuid, text: &str) -> String {
        self.signing(account, id, text).map(|mac| hexadecimal(&mac.finalize().into_bytes())).unwrap_or_default()
    }

    /// Whether a signature was created by [`Self::sign`] for this text and page. The comparison takes constant time.
    pub fn is_signed(&self, account: &AccountId, id: Uuid, text: &str, signature: &str) -> bool {
        let mac = self.signing(account, id, text);
        let bits = (signature.len() == 32).then(|| u128::from_str_radix(signature, 16).ok()).flatten();
        mac.zip(bits).is_some_and(|(mac, bits)| mac.verify_truncated_left(&bits.to_be_bytes()).is_ok())
    }

    /// Prepares a signature. Its key is derived from the secret, so that a signature is never a valid page token.
    fn signing(&self, account: &AccountId, id: Uuid, text: &str) -> Option<Hmac<Sha256>> {
        let mut key = Hmac::<Sha256>::new_from_slice(self.0.expose()).ok()?;
        key.update(b"signatures of payment pages");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key.finalize().into_bytes()).ok()?;
        mac.update(id.as_bytes());
        // No account id contains NUL.
        mac.update(account.as_str().as_bytes());
        mac.update(b"\0");
        mac.update(text.as_bytes());
        Some(mac)
    }

    /// Returns the digests that are derived from the same secret.
    pub fn digests(&self) -> SecretDigests {
        SecretDigests::new(self.0.clone())
    }

    /// Returns a function that hashes tokens. A store calls it when it copies sessions to another account.
    pub fn hashes(&self) -> PageTokens {
        let maker = self.clone();
        Arc::new(move |account, id| maker.hash_of(account, id))
    }
}

/// Returns the first 128 bits as hexadecimal digits.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().take(16).fold(String::with_capacity(32), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_follows_from_the_secret_the_account_and_the_id() {
        let maker = |secret: &[u8]| PageTokenMaker(Secret::new(secret.to_vec()));
        let (account, other) = (AccountId::parse("F1").unwrap(), AccountId::parse("F2").unwrap());
        let (id, next) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let token = maker(b"a").token(&account, id);
        assert_eq!((token.len(), &token), (32, &maker(b"a").token(&account, id)));
        for different in
            [maker(b"b").token(&account, id), maker(b"a").token(&other, id), maker(b"a").token(&account, next)]
        {
            assert_ne!(token, different);
        }
        assert_eq!(maker(b"a").hashes()(&account, id), PageTokenMaker::hash(&token));
    }

    #[test]
    fn a_signature_is_valid_for_one_text_of_one_page() {
        let maker = PageTokenMaker(Secret::new(b"a".to_vec()));
        let (account, id) = (AccountId::parse("F1").unwrap(), Uuid::from_u128(1));
        let signature = maker.sign(&account, id, "form");
        let is_signed = |account: &AccountId, id, text, signature: &str| maker.is_signed(account, id, text, signature);
        assert_eq!(signature.len(), 32);
        assert!(is_signed(&account, id, "form", &signature));
        assert!(!is_signed(&account, id, "other", &signature));
        assert!(!is_signed(&account, Uuid::from_u128(2), "form", &signature));
        assert!(!is_signed(&AccountId::parse("F2").unwrap(), id, "form", &signature));
        assert!(!PageTokenMaker(Secret::new(b"b".to_vec())).is_signed(&account, id, "form", &signature));
        for forged in
            ["", "0", &signature[1..], &format!("{signature}0"), &maker.token(&account, id), "é".repeat(16).as_str()]
        {
            assert!(!is_signed(&account, id, "form", forged), "{forged}");
        }
    }
}
