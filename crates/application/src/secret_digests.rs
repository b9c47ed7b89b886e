//! Keyed digests of secrets that are too short for a plain hash.

use florin_domain::card::{Pin, PinDigest};
use florin_domain::ids::CardId;
use florin_domain::secret::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// Computes digests of secrets, such as PINs. Without the store's secret, a digest reveals nothing about its input.
#[derive(Clone, Debug)]
pub struct SecretDigests(Secret);

impl SecretDigests {
    /// Computes digests with keys that are derived from this secret.
    pub const fn new(secret: Secret) -> Self {
        Self(secret)
    }

    /// Returns the digest of a card's PIN. The account is not part of the digest, because a copied world has the same
    /// cards in another account.
    pub fn pin(&self, card: CardId, pin: &Pin) -> PinDigest {
        PinDigest::new(self.digest(b"PINs of cards", &[card.0.as_bytes(), pin.expose().as_bytes()]))
    }

    /// Returns the digest of a request body that contains a secret. The digest is stored instead of the body, so that
    /// repeats of the request are recognized.
    pub fn body(&self, body: &str) -> [u8; 32] {
        self.digest(b"bodies with secrets", &[body.as_bytes()])
    }

    /// Computes a digest. Each purpose has its own key, derived from the secret.
    fn digest(&self, purpose: &[u8], parts: &[&[u8]]) -> [u8; 32] {
        let key = mac(Sha256::digest(self.0.expose()).into(), &[purpose]);
        mac(key, parts)
    }
}

fn mac(key: [u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC pads a key with zeros to the length of a block.
    let mut block = [0; 64];
    block[..32].copy_from_slice(&key);
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_digest_of_a_pin_follows_from_the_secret_the_card_and_the_pin() {
        let digest = |secret: &[u8], card, pin: &str| {
            let digests = SecretDigests::new(Secret::new(secret.to_vec()));
            digests.pin(CardId(Uuid::from_u128(card)), &Pin::parse(pin).unwrap())
        };
        let one = digest(b"a", 1, "0427");
        assert_eq!(one, digest(b"a", 1, "0427"));
        assert!(
            [digest(b"b", 1, "0427"), digest(b"a", 2, "0427"), digest(b"a", 1, "0428")]
                .iter()
                .all(|other| *other != one)
        );
    }

    #[test]
    fn a_digest_of_a_body_is_no_plain_hash() {
        let digests = |secret: &[u8]| SecretDigests::new(Secret::new(secret.to_vec()));
        let body = r#"{"pin":"0427"}"#;
        assert_eq!(digests(b"a").body(body), digests(b"a").body(body));
        for other in [digests(b"b").body(body), digests(b"a").body("{}"), Sha256::digest(body).into()] {
            assert_ne!(digests(b"a").body(body), other);
        }
    }
}
