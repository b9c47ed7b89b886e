//! Bodies: size, then media type, then syntax.

use crate::codes::ErrorCode;
use crate::extract::headers::is_json;
use crate::extract::json::Json;
use crate::extract::members::Members;
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::{Bytes, BytesMut, Payload};
use florin_domain::fault::{Faults, Flaw, FlawCode};
use futures_util::StreamExt;
use std::time::Duration;

/// The largest body.
pub(crate) const MAX_BYTES: usize = 1024 * 1024;
/// The largest body of payments.
pub(crate) const MAX_BYTES_OF_PAYMENTS: usize = 16 * 1024 * 1024;
/// How much of a body that is too large is still read, so that a client that sends before it reads sees the answer…
const MAX_DISCARDED: usize = MAX_BYTES_OF_PAYMENTS;
/// …and how long the next piece of it is waited for.
const DISCARD_PATIENCE: Duration = Duration::from_millis(300);
/// How long a body may take.
const TIME_OUT: Duration = Duration::from_secs(30);

/// The body as JSON; `None` where there is none.
pub(crate) async fn json(request: &HttpRequest, payload: Payload) -> Result<Option<Json>, Problem> {
    let bytes = bytes(request, payload, MAX_BYTES).await?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !is_json(request) {
        return Err(unsupported("A body of Content-Type application/json in UTF-8 is wanted."));
    }
    Json::parse(&bytes).map(Some).map_err(|error| invalid_json(error.0))
}

/// The body as it is.
pub(crate) async fn bytes(request: &HttpRequest, payload: Payload, max: usize) -> Result<Bytes, Problem> {
    let bytes = tokio::time::timeout(TIME_OUT, read(request, payload, max)).await;
    let bytes = bytes.map_err(|_| invalid_json(format!("The body did not arrive within {} s.", TIME_OUT.as_secs())))?;
    bytes.map(BytesMut::freeze)
}

/// The body of an operation that wants none: `{}` is as good, whatever its media type.
pub(crate) async fn nothing(request: &HttpRequest, payload: Payload, faults: &mut Faults) -> Result<(), Problem> {
    let bytes = bytes(request, payload, MAX_BYTES).await?;
    let text = bytes.trim_ascii();
    if text.is_empty() || text.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii() == b"}") {
        return Ok(());
    }
    if !is_json(request) {
        return Err(unsupported("No body is wanted."));
    }
    let json = Json::parse(text).map_err(|error| invalid_json(error.0))?;
    if let Some(members) = Members::of_body(Some(&json), faults) {
        members.finish(faults);
    }
    Ok(())
}

/// 415
pub(crate) fn unsupported(message: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "body", ErrorCode::UnsupportedMediaType, message)
}

pub(crate) fn invalid_json(message: String) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "body", ErrorCode::InvalidJson, message)
}

async fn read(request: &HttpRequest, mut payload: Payload, max: usize) -> Result<BytesMut, Problem> {
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let mut bytes = BytesMut::new();
    if announced.is_some_and(|length| length > max) {
        return Err(discard(payload, max).await);
    }
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| invalid_json("The body ended early, or its encoding is broken.".to_owned()))?;
        if bytes.len().saturating_add(chunk.len()) > max {
            return Err(discard(payload, max).await);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Reads the rest of a body that is too large, within limits, and refuses it.
async fn discard(mut payload: Payload, max: usize) -> Problem {
    let mut discarded = 0_usize;
    while let Ok(Some(Ok(chunk))) = tokio::time::timeout(DISCARD_PATIENCE, payload.next()).await {
        discarded = discarded.saturating_add(chunk.len());
        if discarded > MAX_DISCARDED {
            break;
        }
    }
    too_large(max)
}

fn too_large(max: usize) -> Problem {
    let message = format!("The body is larger than {max} bytes.");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body", ErrorCode::PayloadTooLarge, message)
}

/// The fault of a body that is missing.
pub(crate) fn missing() -> Flaw {
    Flaw::new(FlawCode::Required, "A JSON body is wanted.")
}
