//! Secrets of a subscription: they sign its deliveries, or are sent with them.

use crate::fault::{Flaw, FlawCode};
use crate::ids::parse_uuid;
use crate::secret::Secret;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use std::fmt;

/// The prefix of a signing secret in text form.
const PREFIX: &str = "whsec_";
/// The first line of encoded secrets, which names the version of the encoding.
const VERSION: &str = "webhook 1";
/// Maximum length of the `Authorization` header of deliveries, in characters.
const MAX_AUTHORIZATION: usize = 512;

/// A secret that signs deliveries. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(Vec<u8>);

impl SigningSecret {
    /// Number of random bytes of a secret that Florin creates.
    pub const LENGTH: usize = 32;

    /// Creates a secret from random bytes.
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the key of the HMAC.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// Returns the text that the client receives once: `whsec_` and the Base64 of the bytes.
    pub fn to_text(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(…)")
    }
}

/// All secrets of a subscription. They are never printed, and are stored encrypted.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecrets {
    /// The secret that signs every delivery.
    pub current: SigningSecret,
    /// The previous secret, which also signs deliveries until this time.
    pub previous: Option<(SigningSecret, DateTime<Utc>)>,
    /// The client's secret for the header `x-em-signature`, exactly as sent.
    pub shared: Option<String>,
    /// The `Authorization` header of deliveries.
    pub authorization: Option<String>,
}

impl WebhookSecrets {
    /// Creates the secrets of a new subscription. If there is a shared secret, its bytes are also the signing secret.
    pub fn new(random: SigningSecret, shared: Option<String>, authorization: Option<String>) -> Self {
        let current = shared.as_ref().map_or(random, |shared| SigningSecret(shared.as_bytes().to_vec()));
        Self { current, previous: None, shared, authorization }
    }

    /// Replaces the signing secret. The old one also signs until `until`, so at most two secrets sign. The shared
    /// secret does not change.
    #[must_use]
    pub fn rotated(&self, new: SigningSecret, until: Option<DateTime<Utc>>) -> Self {
        let previous = until.map(|until| (self.current.clone(), until));
        Self { current: new, previous, ..self.clone() }
    }

    /// Returns the secrets that sign at a given time, newest first.
    pub fn signing(&self, now: DateTime<Utc>) -> impl Iterator<Item = &SigningSecret> {
        let previous = self.previous.as_ref().filter(|(_, until)| now < *until).map(|(secret, _)| secret);
        [Some(&self.current), previous].into_iter().flatten()
    }

    /// Encodes the secrets as bytes, for encryption.
    pub fn encode(&self) -> Secret {
        let line = |bytes: Option<&[u8]>| bytes.map(|bytes| STANDARD.encode(bytes)).unwrap_or_default();
        let previous = self.previous.as_ref();
        let until = previous.map(|(_, until)| until.timestamp_micros().to_string()).unwrap_or_default();
        let lines = [
            VERSION.to_owned(),
            line(Some(self.current.expose())),
            line(previous.map(|(secret, _)| secret.expose())),
            until,
            line(self.shared.as_deref().map(str::as_bytes)),
            line(self.authorization.as_deref().map(str::as_bytes)),
        ];
        Secret::new(lines.join("\n").into_bytes())
    }

    /// Decodes secrets; `None` if they are damaged.
    pub fn decode(secret: &Secret) -> Option<Self> {
        let text = std::str::from_utf8(secret.expose()).ok()?;
        let lines: Vec<_> = text.split('\n').collect();
        let [VERSION, current, previous, until, shared, authorization] = lines[..] else { return None };
        let bytes = |line: &str| STANDARD.decode(line).ok();
        let optional = |line: &str| match line {
            "" => Some(None),
            line => Some(Some(String::from_utf8(bytes(line)?).ok()?)),
        };
        let previous = match (previous, until) {
            ("", "") => None,
            (secret, until) => {
                let until = DateTime::from_timestamp_micros(until.parse().ok()?)?;
                Some((SigningSecret(bytes(secret)?), until))
            }
        };
        Some(Self {
            current: SigningSecret(bytes(current)?),
            previous,
            shared: optional(shared)?,
            authorization: optional(authorization)?,
        })
    }
}

impl fmt::Debug for WebhookSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecrets(…)")
    }
}

/// Checks a shared secret from a client, which must be a UUID. It is used exactly as sent, including the case of its
/// letters.
pub fn shared_secret(text: &str) -> Result<String, Flaw> {
    parse_uuid(text)?;
    Ok(text.to_owned())
}

/// Checks an `Authorization` header: 1 to 512 visible ASCII characters and spaces.
pub fn authorization_header(text: &str) -> Result<String, Flaw> {
    let length = text.chars().count();
    if length > MAX_AUTHORIZATION {
        let message = format!("must be at most {MAX_AUTHORIZATION} characters (got {length})");
        return Err(Flaw::new(FlawCode::TooLong, message));
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return Err(Flaw::format("must be visible ASCII characters and spaces"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use proptest::prelude::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn secret(byte: u8) -> SigningSecret {
        SigningSecret::new(vec![byte; 32])
    }

    #[test]
    fn a_shared_secret_is_also_the_signing_secret() {
        let shared = "0198C0DE-0000-7000-8000-00000000000a";
        let secrets = WebhookSecrets::new(secret(1), Some(shared_secret(shared).unwrap()), None);
        assert_eq!(secrets.current.expose(), shared.as_bytes());
        assert_eq!(secrets.current.to_text(), "whsec_MDE5OEMwREUtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDBh");
        assert_eq!(secrets.shared.as_deref(), Some(shared));
        assert_eq!(WebhookSecrets::new(secret(1), None, None).current, secret(1));
        assert!(shared_secret("secret").is_err());
    }

    #[test]
    fn both_secrets_sign_until_the_overlap_ends_newest_first() {
        let hour = TimeDelta::hours(1);
        let first = WebhookSecrets { shared: Some("shared".into()), ..WebhookSecrets::new(secret(1), None, None) };
        let second = first.rotated(secret(2), Some(NOW + hour));
        assert_eq!(second.signing(NOW).collect::<Vec<_>>(), [&secret(2), &secret(1)]);
        assert_eq!(second.signing(NOW + hour).collect::<Vec<_>>(), [&secret(2)]);
        let third = second.rotated(secret(3), Some(NOW + hour));
        assert_eq!(third.signing(NOW).collect::<Vec<_>>(), [&secret(3), &secret(2)]);
        assert_eq!(third.shared.as_deref(), Some("shared"));
        let alone = second.rotated(secret(3), None);
        assert_eq!(alone.signing(NOW).collect::<Vec<_>>(), [&secret(3)]);
    }

    #[test]
    fn headers_are_ascii_text() {
        assert!(authorization_header("Bearer a b~").is_ok());
        for wrong in ["", "a\r\nX: y", "\tb", "é", "\0", "a\u{7f}"] {
            assert_eq!(authorization_header(wrong).unwrap_err().code, FlawCode::InvalidFormat, "{wrong:?}");
        }
        assert!(authorization_header(&"x".repeat(512)).is_ok());
        assert_eq!(authorization_header(&"x".repeat(513)).unwrap_err().code, FlawCode::TooLong);
    }

    #[test]
    fn secrets_are_not_printed() {
        let secrets = WebhookSecrets::new(secret(65), Some("shared".into()), Some("Bearer hidden".into()));
        let printed = format!("{secrets:?} {:?}", secrets.current);
        assert!(!printed.contains("65") && !printed.contains("hidden") && !printed.contains("AAAA"), "{printed}");
    }

    #[test]
    fn damaged_secrets_are_not_read() {
        let encoded = WebhookSecrets::new(secret(1), None, None).encode();
        let text = std::str::from_utf8(encoded.expose()).unwrap();
        for wrong in [&text[..text.len() - 1], &text.replace("webhook 1", "webhook 2"), "", &format!("{text}\n")] {
            assert_eq!(WebhookSecrets::decode(&Secret::new(wrong.as_bytes().to_vec())), None, "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn encoded_secrets_are_read_again(
            current in proptest::collection::vec(any::<u8>(), 1..64),
            previous in proptest::option::of((proptest::collection::vec(any::<u8>(), 1..64), 0..i64::from(u32::MAX))),
            shared in proptest::option::of("[ -~\u{e9}\n]{1,40}"),
            authorization in proptest::option::of("[ -~]{1,40}"),
        ) {
            let previous = previous.map(|(secret, seconds)| (SigningSecret(secret), NOW + TimeDelta::seconds(seconds)));
            let secrets = WebhookSecrets { current: SigningSecret(current), previous, shared, authorization };
            prop_assert_eq!(WebhookSecrets::decode(&secrets.encode()), Some(secrets));
        }
    }
}
