//! The error body of every answer from 400 on (contract 1.3).

use crate::codes::ErrorCode;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use florin_domain::fault::{Fault, Faults};
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// The longest message, in characters.
const MESSAGE_MAX: usize = 1024;
/// The longest path, in characters.
const PATH_MAX: usize = 256;

/// An answer from 400 on.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    message: String,
    entries: Vec<ProblemEntry>,
    retry_after: Option<u64>,
    allow: Option<&'static str>,
}

/// The error body.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ProblemBody {
    /// What is wrong, for a person.
    #[schema(max_length = 1024)]
    message: String,
    /// One entry for each particular error.
    #[schema(min_items = 1)]
    errors: Vec<ProblemEntry>,
}

/// One particular error.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ErrorEntry)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProblemEntry {
    /// The place of the bad value: `query.X`, `path.X`, `header.X`, `body`, `body.member`, or empty for the request as
    /// a whole.
    #[schema(max_length = 256)]
    path: String,
    /// Why it was refused.
    #[schema(max_length = 1024)]
    message: String,
    /// A stable code of a closed list.
    error_code: &'static str,
}

impl ProblemEntry {
    pub(crate) fn new(path: impl Into<String>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { path: cut(path.into(), PATH_MAX), message: cut(message.into(), MESSAGE_MAX), error_code: code.as_str() }
    }
}

impl Problem {
    /// A problem with one entry, whose message is also that of the whole.
    pub(crate) fn new(status: StatusCode, path: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        let entry = ProblemEntry::new(path, code, message.clone());
        Self::with_entries(status, message, vec![entry])
    }

    /// A problem with its entries, at least one.
    pub(crate) fn with_entries(status: StatusCode, message: impl Into<String>, entries: Vec<ProblemEntry>) -> Self {
        Self { status, message: cut(message.into(), MESSAGE_MAX), entries, retry_after: None, allow: None }
    }

    /// 400 with all the faults of a request.
    pub(crate) fn faults(faults: Vec<Fault>) -> Self {
        let entries: Vec<_> = faults
            .into_iter()
            .map(|fault| ProblemEntry::new(fault.path, fault.flaw.code.into(), fault.flaw.message))
            .collect();
        let message = match entries.as_slice() {
            [entry] if entry.path.is_empty() => entry.message.clone(),
            [entry] => format!("{}: {}", entry.path, entry.message),
            entries if entries.len() >= Faults::MAX => format!("The request has {} faults or more.", Faults::MAX),
            entries => format!("The request has {} faults.", entries.len()),
        };
        Self::with_entries(StatusCode::BAD_REQUEST, message, entries)
    }

    /// 404 for an object that is absent or belongs to somebody else.
    pub(crate) fn absent(path: &str, what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, path, ErrorCode::NotFound, format!("There is no such {what}."))
    }

    /// 500; the cause is for the log.
    pub(crate) fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "", ErrorCode::Internal, "Something went wrong on our side.")
    }

    /// 503 with `Retry-After`.
    pub(crate) fn unavailable(code: ErrorCode, message: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "", code, message).retry_after(1)
    }

    /// The same problem with `Retry-After`, in seconds.
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// 405 with the methods that there are.
    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        let message = format!("This method is not allowed here. Allowed: {allow}.");
        let problem = Self::new(StatusCode::METHOD_NOT_ALLOWED, "", ErrorCode::MethodNotAllowed, message);
        Self { allow: Some(allow), ..problem }
    }

    /// The answer. A 5xx tells the request id, so that the log can be found.
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
            Some(id) if self.status.is_server_error() => format!("{} Request id: {id}.", self.message),
            _ => self.message.clone(),
        };
        let body = ProblemBody { message: cut(message, MESSAGE_MAX), errors: self.entries.clone() };
        builder.body(serde_json::to_string(&body).unwrap_or_default())
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

/// Faults, if there are any, are the answer.
pub(crate) fn none_of(faults: Faults) -> Result<(), Problem> {
    if faults.is_empty() { Ok(()) } else { Err(Problem::faults(faults.into_vec())) }
}

/// A value that is missing although no fault was noted: a bug of a reader.
pub(crate) fn read<T>(value: Option<T>) -> Result<T, Problem> {
    value.ok_or_else(Problem::internal)
}

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
    fn long_texts_are_cut_by_characters() {
        assert_eq!(cut("ä".repeat(10), 10), "ä".repeat(10));
        let long = cut("ä".repeat(11), 10);
        assert_eq!((long.chars().count(), long.ends_with('…')), (10, true));
    }
}
