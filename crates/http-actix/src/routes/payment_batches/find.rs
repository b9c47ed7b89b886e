//! `GET /v2/payment-batches/{paymentBatchId}`

use super::{READ, batch_id};
use crate::call::Call;
use crate::mapping::no_batch;
use crate::problem::{Problem, read};
use crate::repeat::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::BatchView;
use actix_web::{HttpRequest, HttpResponse, web};

/// A payment batch, hidden or not, in any state.
#[utoipa::path(get, path = "/v2/payment-batches/{paymentBatchId}", tag = "Payment batches",
    operation_id = "getPaymentBatch",
    params(
        ("paymentBatchId" = String, Path, description = "The payment batch.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36)),
    responses((status = 200, description = "The batch.", body = BatchView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let batch = batch_id(&mut call);
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.batches.reading.find(&account.id, read(batch)?).await?.ok_or_else(no_batch)?;
    ok(&BatchView::from(&found))
}
