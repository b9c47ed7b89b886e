//! `GET /v2/payment-batches/{paymentBatchId}/validate`

use super::common::{BatchPath, READ};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::mapping::no_batch;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::BatchCheckView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::validate_batch;

/// Checks whether a payment batch could be confirmed now, and returns the obstacles.
///
/// Changes nothing.
#[utoipa::path(get, path = "/v2/payment-batches/{paymentBatchId}/validate", tag = "Payment batches",
    operation_id = "validatePaymentBatch",
    security(("apiKey" = [READ.scope])),
    params(BatchPath, AccountParameter),
    responses((status = 200, description = "The result of the check.", body = BatchCheckView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let batch = call.read::<BatchPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let (batch, check) = validate_batch(&app.batches, &account, expect_valid(batch)?.id).await?.ok_or_else(no_batch)?;
    ok(&BatchCheckView::new(&batch, &check))
}
