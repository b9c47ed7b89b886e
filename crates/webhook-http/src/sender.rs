//! Sends webhooks over HTTP.

use crate::client::{GuardedClient, SenderError, SenderSettings};
use crate::signature::signed_headers;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::webhook::AttemptOutcome;
use florin_ports::{WebhookRequest, WebhookSender};
use reqwest::Response;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Maximum number of bytes that are read of a response's body.
const BODY_MAX: usize = 1024;
/// Maximum time for reading the body after the headers have arrived.
const BODY_TIME: Duration = Duration::from_secs(2);
/// Maximum number of concurrent lookups of host names for one client.
const LOOKUPS_OF_CLIENT_MAX: usize = 32;

/// Sends webhooks over HTTP.
pub struct HttpWebhookSender {
    client: GuardedClient,
}

impl HttpWebhookSender {
    /// The time limit of an attempt until the headers of the response are complete.
    pub const TIME_LIMIT: Duration = Duration::from_secs(15);
    /// Maximum number of concurrent lookups of host names for all clients.
    pub const LOOKUPS_MAX: usize = 256;

    /// Creates a sender. Reads the certificate authorities of the machine.
    pub fn new(settings: SenderSettings) -> Result<Self, SenderError> {
        Ok(Self { client: GuardedClient::new(settings, LOOKUPS_OF_CLIENT_MAX)? })
    }
}

#[async_trait]
impl WebhookSender for HttpWebhookSender {
    async fn send(&self, request: WebhookRequest) -> AttemptOutcome {
        let began = Instant::now();
        let (headers, body) = (headers(&request), request.body.to_string());
        let response = self.client.post(request.url.as_str(), headers, body, request.client).await;
        let took = TimeDelta::from_std(began.elapsed()).unwrap_or_default();
        match response {
            Ok(response) => {
                let retry_after = response.headers().get(RETRY_AFTER);
                let retry_after = retry_after.and_then(|value| read_retry_after(value, request.at + took));
                let status = response.status().as_u16();
                AttemptOutcome { response: Ok(status), body: Some(start_of_body(response).await), retry_after, took }
            }
            Err(error) => AttemptOutcome { response: Err(error), body: None, retry_after: None, took },
        }
    }
}

/// Returns the headers that identify and sign a request.
pub(crate) fn headers(request: &WebhookRequest) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in signed_headers(request) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    let authorization = request.secrets.authorization.as_deref();
    if let Some(mut value) = authorization.and_then(|value| HeaderValue::from_str(value).ok()) {
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    headers
}

/// Reads the start of the body, for the log of attempts. The body does not affect the outcome, so it may be cut off, or
/// take too long.
async fn start_of_body(mut response: Response) -> String {
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(chunk.get(..BODY_MAX - body.len()).unwrap_or(&chunk));
            if body.len() >= BODY_MAX {
                break;
            }
        }
    };
    // After a timeout, the bytes that were read are kept.
    let _ = timeout(BODY_TIME, read).await;
    as_text(&body)
}

/// Returns the text of a body, at most [`BODY_MAX`] bytes. Bytes that are not UTF-8 are replaced, which makes the text
/// longer.
fn as_text(body: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(body).replace('\0', "\u{fffd}");
    let end = (0..=BODY_MAX.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or_default());
    text
}

/// Reads `Retry-After`: seconds, or a date. `None` if the value is invalid, or the date is past.
fn read_retry_after(value: &HeaderValue, now: DateTime<Utc>) -> Option<TimeDelta> {
    let text = value.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that is too large becomes the maximum, which is longer than any delay that is accepted.
        return TimeDelta::try_seconds(text.parse::<u32>().unwrap_or(u32::MAX).into());
    }
    let date = DateTime::parse_from_rfc2822(text).ok()?;
    Some(date.to_utc() - now).filter(|wait| *wait > TimeDelta::zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contract gives receivers 15 seconds.
    #[test]
    fn the_time_limit_is_that_of_the_contract() {
        assert_eq!(HttpWebhookSender::TIME_LIMIT, Duration::from_secs(15));
    }

    #[test]
    fn texts_of_bodies_are_bounded() {
        assert_eq!(as_text(b"h\0llo"), "h\u{fffd}llo");
        let text = as_text(&[0xff; BODY_MAX]);
        assert_eq!((text.len(), text.chars().count()), (1023, 341));
        assert_eq!(as_text(&[b'x'; BODY_MAX]).len(), BODY_MAX);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = DateTime::from_timestamp(1_445_412_420, 0).unwrap();
        let read = |text: &'static str| read_retry_after(&HeaderValue::from_static(text), now);
        assert_eq!(read("120"), Some(TimeDelta::seconds(120)));
        assert_eq!(read("0"), Some(TimeDelta::zero()));
        assert_eq!(read("99999999999999999999"), Some(TimeDelta::seconds(u32::MAX.into())));
        assert_eq!(read("Wed, 21 Oct 2015 07:28:00 GMT"), Some(TimeDelta::seconds(60)));
        for invalid in ["", "-1", "1.5", "soon", "+7", "Wed, 21 Oct 2015 07:26:00 GMT", "2015-10-21T07:28:00Z"] {
            assert_eq!(read(invalid), None, "{invalid}");
        }
    }
}
