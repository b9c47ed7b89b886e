//! Maps errors of writes to responses: absent objects, refusals, and reused idempotency keys.

use crate::codes::ErrorCode;
use crate::json::differences;
use crate::problem::{Problem, ProblemEntry};
use actix_web::http::StatusCode;
use florin_ports::{RecordedRequest, WriteError};

/// Maps the failure of a write. `path` names the object, and `what` is its kind. `refused` maps the refusal by the
/// rule.
pub(crate) fn write_problem<R>(
    error: WriteError<R>,
    (path, what): (&str, &str),
    request: Option<&RecordedRequest>,
    refused: impl FnOnce(R) -> Problem,
) -> Problem {
    match error {
        WriteError::Absent => Problem::absent(path, what),
        WriteError::Refused(refusal) => refused(refusal),
        WriteError::Mismatch(first) => mismatch(&first, request),
        WriteError::Store(error) => error.into(),
    }
}

/// Returns a 422 with every path at which a request differs from the first one under its idempotency key.
fn mismatch(first: &RecordedRequest, second: Option<&RecordedRequest>) -> Problem {
    let paths = second.map(|second| differences(first, second)).unwrap_or_default();
    key_used_before(paths)
}

/// Returns a 422 with these paths. An empty path stands for the request as a whole.
pub(super) fn key_used_before(paths: Vec<String>) -> Problem {
    let entry = |path: String| {
        let message =
            if path.is_empty() { "the request differs from the first one" } else { "differs from the first request" };
        ProblemEntry::new(path, ErrorCode::IdempotencyMismatch, message)
    };
    let message = "idempotency key already used for a different request";
    Problem::with_entries(StatusCode::UNPROCESSABLE_ENTITY, message, paths.into_iter().map(entry).collect())
}
