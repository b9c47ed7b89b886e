//! `GET /v2/merchant/payments/export`

use super::common::PaymentParameters;
use super::write_csv::write;
use crate::call::Call;
use crate::codes::ErrorCode;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::csv_file;
use crate::routes::error_sets::ExportErrors;
use crate::routes::merchant::common::READ_PAYMENTS;
use crate::state::App;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::page::PageRequest;

/// Maximum number of rows of an export.
const MAX_ROWS: i64 = 10_000;

/// Exports payments and refunds as CSV (RFC 4180). If more than 10,000 match, the response is 422.
///
/// A null value is an empty cell. A text that a spreadsheet would execute as a formula is prefixed with an apostrophe.
#[utoipa::path(get, path = "/v2/merchant/payments/export", tag = "Merchant", operation_id = "exportMerchantPayments",
    security(("apiKey" = [READ_PAYMENTS.scope])),
    params(AccountParameter, PaymentParameters),
    responses((status = 200, description = "The payments.", body = String, content_type = "text/csv"), ExportErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_PAYMENTS).await?;
    let account_id = call.account_id();
    let parameters = call.read::<PaymentParameters>();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let (filter, sort) = expect_valid(parameters)?.into_parts();
    let all = PageRequest { limit: MAX_ROWS, offset: 0 };
    let found = app.checkouts.payments.list(&account.id, filter, sort, all).await?;
    if found.count > MAX_ROWS {
        let message = format!("{} payments match, but an export can have at most {MAX_ROWS}; add filters", found.count);
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "", ErrorCode::TooManyRows, message));
    }
    let written = web::block(move || write(&found.rows)).await.map_err(|_| Problem::internal())?;
    csv_file(written, "payments.csv")
}
