//! The headers that sign a delivery, as Standard Webhooks defines them, and the signature of the original service.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use florin_domain::webhook::SigningSecret;
use florin_ports::WebhookRequest;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Returns the headers that identify and sign a request.
pub fn signed_headers(request: &WebhookRequest) -> Vec<(&'static str, String)> {
    let id = request.id.to_string();
    let timestamp = request.at.timestamp().to_string();
    let signed = [id.as_bytes(), b".", timestamp.as_bytes(), b".", request.body.as_bytes()];
    let signatures = request.secrets.signing(request.at).map(|secret| format!("v1,{}", hmac(secret.expose(), &signed)));
    let signatures = signatures.collect::<Vec<_>>().join(" ");
    let mut headers = vec![("webhook-id", id), ("webhook-timestamp", timestamp), ("webhook-signature", signatures)];
    if let Some(shared) = &request.secrets.shared {
        headers.push(("x-em-signature", hmac(shared.as_bytes(), &[request.body.as_bytes()])));
    }
    headers
}

/// Derives the secret that signs the events that `florin listen` forwards. One API key has the same secret in every
/// run. Without the key, the secret can't be computed.
pub fn derived_secret(api_key: &str) -> SigningSecret {
    SigningSecret::new(mac(api_key.as_bytes(), &[b"florin listen"]).unwrap_or_default())
}

/// Returns the HMAC-SHA256 of the parts, in Base64.
fn hmac(key: &[u8], parts: &[&[u8]]) -> String {
    mac(key, parts).map(|code| STANDARD.encode(code)).unwrap_or_default()
}

/// Returns the HMAC-SHA256 of the parts. Never `None`, because every length of key is accepted.
fn mac(key: &[u8], parts: &[&[u8]]) -> Option<Vec<u8>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    for part in parts {
        mac.update(part);
    }
    Some(mac.finalize().into_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{DateTime, TimeDelta};
    use florin_domain::ids::EventId;
    use florin_domain::webhook::{WebhookSecrets, WebhookUrl};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    /// The example in the specification of Standard Webhooks.
    #[test]
    fn hmac_matches_the_example_of_the_specification() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let text = b"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}";
        assert_eq!(hmac(&key, &[text]), "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn two_secrets_sign_during_an_overlap() {
        let at = DateTime::from_timestamp(1_614_265_330, 0).unwrap();
        let first = WebhookSecrets::new(SigningSecret::new(vec![1; 32]), Some("shared".into()), None);
        let second = first.rotated(SigningSecret::new(vec![2; 32]), Some(at + TimeDelta::hours(1)));
        let headers = |secrets: &WebhookSecrets| -> BTreeMap<_, _> {
            let request = WebhookRequest {
                client: None,
                url: WebhookUrl::stored("https://example.com/".into()),
                id: EventId(uuid::Uuid::nil()),
                body: "{}".into(),
                secrets: Arc::new(secrets.clone()),
                at,
            };
            signed_headers(&request).into_iter().collect()
        };
        let (before, during) = (headers(&first), headers(&second));
        let alone = headers(&second.rotated(SigningSecret::new(vec![3; 32]), None));
        let [newest, oldest] = during["webhook-signature"].split(' ').collect::<Vec<_>>()[..] else { panic!() };
        assert_eq!(oldest, before["webhook-signature"]);
        assert_ne!(newest, oldest);
        assert!(!alone["webhook-signature"].contains(' '));
        assert_eq!(before["x-em-signature"], alone["x-em-signature"]);
        assert_eq!(during["webhook-timestamp"], "1614265330");
    }
}
