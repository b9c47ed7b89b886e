//! `GET /v2/payment-batches/{paymentBatchId}/validate`

use super::{READ, batch_id};
use crate::call::Call;
use crate::mapping::no_batch;
use crate::problem::{Problem, read};
use crate::repeat::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::BatchCheckView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::validate_batch;

/// Whether a payment batch could be confirmed now, and if not, why. Nothing changes.
#[utoipa::path(get, path = "/v2/payment-batches/{paymentBatchId}/validate", tag = "Payment batches",
    operation_id = "validatePaymentBatch",
    params(
        ("paymentBatchId" = String, Path, description = "The payment batch.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36)),
    responses((status = 200, description = "What stands in the way.", body = BatchCheckView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let batch = batch_id(&mut call);
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let (batch, check) = validate_batch(&app.batches, &account, read(batch)?).await?.ok_or_else(no_batch)?;
    ok(&BatchCheckView::new(&batch, &check))
}
