use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::time::{SystemTime, UNIX_EPOCH};

fn verify(secret: &str, id: &str, timestamp: &str, signatures: &str, body: &str) -> Option<bool> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    let is_fresh = timestamp.parse::<u64>().ok()?.abs_diff(now) < 300;
    let key = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    let is_right = |signature: &str| {
        let bytes = signature.strip_prefix("v1,").and_then(|text| STANDARD.decode(text).ok());
        bytes.is_some_and(|bytes| mac.clone().verify_slice(&bytes).is_ok())
    };
    Some(is_fresh && signatures.split(' ').any(is_right))
}
