//! Answers that are files.

use crate::problem::Problem;
use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};

/// 200 with a CSV to be kept under this name.
pub(super) fn csv(written: Result<Vec<u8>, csv::Error>, name: &str) -> Result<HttpResponse, Problem> {
    let bytes = written.map_err(|error| {
        tracing::error!(%error, "a CSV could not be written");
        Problem::internal()
    })?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .body(bytes))
}
