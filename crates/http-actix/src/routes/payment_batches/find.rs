//! `GET /v2/payment-batches/{paymentBatchId}`

use super::common::{BatchPath, READ};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::mapping::no_batch;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::BatchView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a payment batch, in any state, hidden or not.
#[utoipa::path(get, path = "/v2/payment-batches/{paymentBatchId}", tag = "Payment batches",
    operation_id = "getPaymentBatch",
    security(("apiKey" = [READ.scope])),
    params(BatchPath, AccountParameter),
    responses((status = 200, description = "The batch.", body = BatchView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let batch = call.read::<BatchPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.batches.reading.find(&account.id, expect_valid(batch)?.id).await?.ok_or_else(no_batch)?;
    ok(&BatchView::from(&found))
}
