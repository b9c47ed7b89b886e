//! Builds the responses of successful requests.
//!
//! An *answer* is a status with a body, which can be stored and replayed ([`StoredResponse`]). [`reply`] converts it to
//! an HTTP response.

use crate::problem::Problem;
use crate::views::List;
use actix_web::HttpResponse;
use actix_web::body::MessageBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue};
use florin_ports::StoredResponse;
use serde::Serialize;
use utoipa::ToSchema;

/// The media type of all responses except files and pages.
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A function that renders the result of a write as an answer.
pub(crate) trait Render<T>: Fn(&T) -> StoredResponse + Send + Sync + 'static {}

impl<T, F: Fn(&T) -> StoredResponse + Send + Sync + 'static> Render<T> for F {}

/// Creates an answer with a JSON body.
pub(crate) fn answer(status: StatusCode, body: &impl Serialize) -> StoredResponse {
    // Serialization of a view cannot fail: its keys are strings.
    StoredResponse { status: status.as_u16(), body: serde_json::to_string(body).unwrap_or_default() }
}

/// Creates an answer with status 204 and without a body.
pub(crate) fn no_content() -> StoredResponse {
    StoredResponse { status: StatusCode::NO_CONTENT.as_u16(), body: String::new() }
}

/// Converts an answer to an HTTP response. `replayed` marks it as the replay of a stored response.
pub(crate) fn reply(answer: StoredResponse, replayed: bool) -> Result<HttpResponse, Problem> {
    let status = StatusCode::from_u16(answer.status).map_err(|_| Problem::internal())?;
    let mut builder = HttpResponse::build(status);
    if !answer.body.is_empty() {
        builder.insert_header((CONTENT_TYPE, JSON));
    }
    if replayed {
        builder.insert_header((HeaderName::from_static("idempotent-replayed"), "true"));
    }
    Ok(builder.body(answer.body))
}

/// Returns a 200 response with a JSON body.
pub(crate) fn ok(body: &impl Serialize) -> Result<HttpResponse, Problem> {
    Ok(json(serde_json::to_vec(body).map_err(|_| Problem::internal())?))
}

/// Returns a 200 response with a page of a list.
pub(crate) fn ok_list<T: Serialize + ToSchema>(list: &List<T>) -> Result<HttpResponse, Problem> {
    Ok(json(list.json().map_err(|_| Problem::internal())?))
}

/// Returns a 200 response with a JSON text.
pub(crate) fn json(text: impl MessageBody + 'static) -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, JSON)).body(text)
}

/// Returns a 200 response with a CSV, as a download with this file name.
pub(crate) fn csv_file(written: Result<Vec<u8>, csv::Error>, name: &str) -> Result<HttpResponse, Problem> {
    let bytes = written.map_err(|error| {
        tracing::error!(%error, "cannot write a CSV");
        Problem::internal()
    })?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .body(bytes))
}
