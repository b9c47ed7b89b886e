//! The error body of every response with status 400 or above (contract 1.3).

use crate::codes::ErrorCode;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use florin_domain::fault::{Fault, Faults};
use florin_ports::StoredResponse;
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// Maximum length of a message, in characters.
const MESSAGE_MAX: usize = 1024;
/// Maximum length of a path, in characters.
const PATH_MAX: usize = 256;

/// A response with status 400 or above.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    message: String,
    entries: Vec<ProblemEntry>,
    retry_after: Option<u64>,
    allow: Option<&'static str>,
    /// Whether the world of the request was restored while it ran.
    is_world_restored: bool,
}

/// The error body.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ProblemBody {
    /// A human-readable summary: the first error, or the number of errors.
    #[schema(max_length = 1024)]
    message: String,
    /// One entry for each error.
    #[schema(min_items = 1)]
    errors: Vec<ProblemEntry>,
}

/// One error of a request.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ErrorEntry)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProblemEntry {
    /// The location of the invalid value: `query.X`, `path.X`, `header.X`, `body` or `body.member`. Empty if the error
    /// concerns the request as a whole.
    #[schema(max_length = 256)]
    path: String,
    /// The error, as the rest of a sentence that begins with the path: `must be a number`.
    #[schema(max_length = 1024)]
    message: String,
    /// A stable code from a closed list.
    error_code: &'static str,
}

impl ProblemEntry {
    /// Creates an entry. A path or message that is too long is shortened.
    pub(crate) fn new(path: impl Into<String>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { path: cut(path.into(), PATH_MAX), message: cut(message.into(), MESSAGE_MAX), error_code: code.as_str() }
    }

    /// Returns the path and the message as a full sentence.
    fn sentence(&self) -> String {
        if self.path.is_empty() { self.message.clone() } else { format!("{} {}", self.path, self.message) }
    }
}

impl Problem {
    /// Creates a 403.
    pub(crate) fn forbidden(path: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, path, code, message)
    }

    /// Creates a 409.
    pub(crate) fn conflict(path: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, path, code, message)
    }

    /// Creates the 409 for a balance that would exceed 64 bits.
    pub(crate) fn balance_limit(path: &str) -> Self {
        Self::conflict(path, ErrorCode::BalanceLimit, "would take a balance out of the range of 64-bit minor units")
    }

    /// Creates the 409 for a request whose world was restored while it ran.
    pub(crate) fn world_restored() -> Self {
        let message = "the world was restored during the request; retry the request";
        Self { is_world_restored: true, ..Self::conflict("", ErrorCode::InvalidState, message) }
    }

    /// Whether the world of the request was restored while it ran.
    pub(crate) const fn is_world_restored(&self) -> bool {
        self.is_world_restored
    }

    /// Creates the 403 for a caller without a valid key.
    pub(crate) fn invalid_credentials() -> Self {
        Self::forbidden("header.Authorization", ErrorCode::InvalidCredentials, "must be a valid API key")
    }

    /// Creates the 500 for a domain rule that contradicts itself, and logs the error.
    pub(crate) fn bug(error: &dyn std::error::Error) -> Self {
        tracing::error!(%error, "a domain rule contradicts itself");
        Self::internal()
    }

    /// Creates a problem with one entry. `message` continues a sentence that begins with the path. Without a path, it
    /// is a full sentence.
    pub(crate) fn new(status: StatusCode, path: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        let entry = ProblemEntry::new(path, code, message);
        Self::with_entries(status, entry.sentence(), vec![entry])
    }

    /// Creates a problem with several entries. There must be at least one.
    pub(crate) fn with_entries(status: StatusCode, message: impl Into<String>, entries: Vec<ProblemEntry>) -> Self {
        Self {
            status,
            message: cut(message.into(), MESSAGE_MAX),
            entries,
            retry_after: None,
            allow: None,
            is_world_restored: false,
        }
    }

    /// Creates the 400 with all validation errors of a request.
    pub(crate) fn faults(faults: Vec<Fault>) -> Self {
        let entries: Vec<_> = faults
            .into_iter()
            .map(|fault| ProblemEntry::new(fault.path, fault.flaw.code.into(), fault.flaw.message))
            .collect();
        let message = match entries.as_slice() {
            [] => "validation failed".to_owned(),
            [entry] => entry.sentence(),
            [first, ..] => {
                let more = if entries.len() >= Faults::MAX { " or more" } else { "" };
                format!("{}{more} validation errors; the first: {}", entries.len(), first.sentence())
            }
        };
        Self::with_entries(StatusCode::BAD_REQUEST, message, entries)
    }

    /// Creates the 404 for an object that does not exist or belongs to another account.
    pub(crate) fn absent(path: &str, what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, path, ErrorCode::NotFound, format!("must name an existing {what}"))
    }

    /// Creates a 500. The response does not contain the cause, which is only logged.
    pub(crate) fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "", ErrorCode::Internal, "internal error")
    }

    /// Creates a 503 with `Retry-After: 1`.
    pub(crate) fn unavailable(code: ErrorCode, message: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "", code, message).retry_after(1)
    }

    /// Sets `Retry-After`, in seconds.
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// Creates a 405 that lists the methods which the path accepts.
    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        let message = format!("method not allowed; allowed: {allow}");
        let problem = Self::new(StatusCode::METHOD_NOT_ALLOWED, "", ErrorCode::MethodNotAllowed, message);
        Self { allow: Some(allow), ..problem }
    }

    /// Builds the response. The message of a 5xx contains the request id, which identifies the cause in the log.
    pub(crate) fn response(&self, request_id: Option<&str>) -> HttpResponse {
        let mut builder = HttpResponse::build(self.status);
        builder.insert_header((CONTENT_TYPE, "application/json"));
        if let Some(seconds) = self.retry_after {
            builder.insert_header((RETRY_AFTER, seconds.to_string()));
        }
        if let Some(allow) = self.allow {
            builder.insert_header((ALLOW, allow));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            builder.insert_header((WWW_AUTHENTICATE, "ApiKey"));
        }
        let message = match request_id {
            Some(id) if self.status.is_server_error() => format!("{} (request id {id})", self.message),
            _ => self.message.clone(),
        };
        builder.body(self.body(message))
    }

    /// Returns the status.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the status and the body as an answer that can be stored.
    pub(crate) fn answer(&self) -> StoredResponse {
        StoredResponse { status: self.status.as_u16(), body: self.body(self.message.clone()) }
    }

    fn body(&self, message: String) -> String {
        let body = ProblemBody { message: cut(message, MESSAGE_MAX), errors: self.entries.clone() };
        serde_json::to_string(&body).unwrap_or_default()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status.as_u16(), self.message)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        self.response(None)
    }
}

/// Returns the value that was read. A missing value without a recorded fault is a bug of the reader, and returns a 500.
pub(crate) fn expect_valid<T>(value: Option<T>) -> Result<T, Problem> {
    value.ok_or_else(Problem::internal)
}

/// Shortens a text to at most `max` characters. An ellipsis replaces what is cut off.
fn cut(text: String, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text,
        Some(_) => text.chars().take(max - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_begins_with_the_path() {
        let entry = |path: &str| florin_domain::fault::Flaw::format("must be a number").at(path);
        let message = |faults: Vec<Fault>| Problem::faults(faults).message;
        assert_eq!(message(vec![entry("body.amount")]), "body.amount must be a number");
        assert_eq!(
            message(vec![entry("body.amount"), entry("body.x"), entry("query.y")]),
            "3 validation errors; the first: body.amount must be a number"
        );
        assert_eq!(Problem::method_not_allowed("POST").message, "method not allowed; allowed: POST");
    }

    #[test]
    fn long_texts_are_truncated_by_characters() {
        assert_eq!(cut("ä".repeat(10), 10), "ä".repeat(10));
        let long = cut("ä".repeat(11), 10);
        assert_eq!((long.chars().count(), long.ends_with('…')), (10, true));
    }
}
