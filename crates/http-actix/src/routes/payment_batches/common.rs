//! Shared parts of the operations on payment batches.

use crate::declare::parameters;
use crate::problem::Problem;
use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use florin_application::Permission;
use florin_domain::access::Scope;
use florin_domain::batch::{Direction, PaymentStatus};
use florin_domain::ids::PaymentBatchId;

pub(super) const READ: Permission = Permission::of(Scope::PaymentBatchesRead);
pub(super) const WRITE: Permission = Permission::of(Scope::PaymentBatchesWrite);

parameters! {
    /// Path parameter: a payment batch.
    pub(crate) struct BatchPath in Path {
        /// The id of the payment batch.
        "paymentBatchId" => id: PaymentBatchId,
    }
}

parameters! {
    /// The sort order of a list.
    pub(crate) struct SortParameter in Query {
        /// Sort order, by creation time or by input index. Default: `desc`.
        "sort" => direction: Option<Direction>,
    }
}

parameters! {
    /// The filter of payments.
    pub(crate) struct StatusesParameter in Query {
        /// Only payments with one of these statuses, comma-separated.
        "statuses" => statuses: Vec<PaymentStatus>,
    }
}

/// Sends a CSV with 200, as a download with this file name.
pub(super) fn csv_file(written: Result<Vec<u8>, csv::Error>, name: &str) -> Result<HttpResponse, Problem> {
    let bytes = written.map_err(|error| {
        tracing::error!(%error, "cannot write a CSV");
        Problem::internal()
    })?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .body(bytes))
}
