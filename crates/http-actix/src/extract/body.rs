//! Reads bodies as bytes: checks the size, then the media type, then the syntax.

use crate::codes::ErrorCode;
use crate::extract::headers::is_json;
use crate::json::{Document, NotJson};
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue};
use actix_web::web::{Bytes, BytesMut, Payload};
use futures_util::StreamExt;
use std::time::Duration;

/// Maximum size of a body, in bytes.
pub(crate) const MAX_BYTES: usize = 1024 * 1024;
/// Maximum size of a body of payments, in bytes.
pub(crate) const MAX_BYTES_OF_PAYMENTS: usize = 16 * 1024 * 1024;
/// Maximum number of bytes that are read from a body that is too large. Some clients read the response only after they
/// have sent everything.
const MAX_DISCARDED: usize = MAX_BYTES_OF_PAYMENTS;
/// The time to wait for the next part of a body that is too large.
const DISCARD_PATIENCE: Duration = Duration::from_millis(300);
/// The time within which a complete body must arrive.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads a JSON body. Returns `None` for an empty body.
pub(crate) async fn json(request: &HttpRequest, payload: Payload) -> Result<Option<Document>, Problem> {
    let bytes = bytes(request, payload, MAX_BYTES).await?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !is_json(request) {
        return Err(unsupported("must be sent as application/json in UTF-8"));
    }
    Ok(Some(Document::parse(bytes.into())?))
}

/// Reads a body of at most `max` bytes.
pub(crate) async fn bytes(request: &HttpRequest, payload: Payload, max: usize) -> Result<Bytes, Problem> {
    let bytes = tokio::time::timeout(TIMEOUT, read(request, payload, max)).await;
    let late = |_| invalid_json(format!("must arrive within {} s", TIMEOUT.as_secs()));
    let bytes = bytes.map_err(late)??.freeze();
    if !bytes.is_empty() && is_encoded(request) {
        return Err(unsupported_header("header.Content-Encoding", "must be absent or identity"));
    }
    Ok(bytes)
}

/// Whether the body is compressed. No operation reads compressed bodies.
fn is_encoded(request: &HttpRequest) -> bool {
    let is_identity = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    request.headers().get_all(CONTENT_ENCODING).any(|value| !is_identity(value))
}

/// Reads the body of an operation that expects none: an empty body, or `{}` of any media type. Any other JSON is
/// returned, so that its faults are reported together with those of the rest of the request.
pub(crate) async fn empty(request: &HttpRequest, payload: Payload) -> Result<Option<Document>, Problem> {
    let bytes = bytes(request, payload, MAX_BYTES).await?;
    let text = bytes.trim_ascii();
    if text.is_empty() || text.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii() == b"}") {
        return Ok(None);
    }
    if !is_json(request) {
        return Err(unsupported("must be empty or `{}`"));
    }
    Ok(Some(Document::parse(bytes.into())?))
}

/// Returns a 415 response about the `Content-Type`.
pub(crate) fn unsupported(message: &str) -> Problem {
    unsupported_header("header.Content-Type", message)
}

fn unsupported_header(path: &'static str, message: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, path, ErrorCode::UnsupportedMediaType, message)
}

fn invalid_json(message: String) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "body", ErrorCode::InvalidJson, message)
}

impl From<NotJson> for Problem {
    fn from(NotJson(message): NotJson) -> Self {
        invalid_json(message)
    }
}

async fn read(request: &HttpRequest, mut payload: Payload, max: usize) -> Result<BytesMut, Problem> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let mut bytes = BytesMut::new();
    if announced.is_some_and(|length| length > max) {
        return Err(discard(payload, max).await);
    }
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| invalid_json("ended early or has a broken transfer encoding".to_owned()))?;
        if bytes.len().saturating_add(chunk.len()) > max {
            return Err(discard(payload, max).await);
        }
        if bytes.is_empty() {
            // Reserve the announced length. A buffer that grows by doubling would take up to twice the size of the
            // body.
            bytes.reserve(announced.unwrap_or_default());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Reads the rest of a body that is too large, within limits, and returns the 413 response.
async fn discard(mut payload: Payload, max: usize) -> Problem {
    let mut discarded = 0_usize;
    while let Ok(Some(Ok(chunk))) = tokio::time::timeout(DISCARD_PATIENCE, payload.next()).await {
        discarded = discarded.saturating_add(chunk.len());
        if discarded > MAX_DISCARDED {
            break;
        }
    }
    let message = format!("must be at most {max} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body", ErrorCode::PayloadTooLarge, message)
}
