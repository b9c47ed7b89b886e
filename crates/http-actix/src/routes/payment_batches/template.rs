//! `GET /v2/payment-batch-template`

use super::common::READ;
use crate::call::Call;
use crate::payments::write_csv;
use crate::problem::Problem;
use crate::reply::csv_file;
use crate::routes::error_sets::NoParameterErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns the header row of a payments CSV.
///
/// The row is the same for every account, so the request names no account.
#[utoipa::path(get, path = "/v2/payment-batch-template", tag = "Payment batches",
    operation_id = "getPaymentBatchTemplate",
    security(("apiKey" = [READ.scope])),
    responses((status = 200, description = "The header row.", body = String, content_type = "text/csv"),
        NoParameterErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    Call::enter(&app, &request, &READ).await?.finish_reading()?;
    csv_file(write_csv::template(), "payment-batch-template.csv")
}
