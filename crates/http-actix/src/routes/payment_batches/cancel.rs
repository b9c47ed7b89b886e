//! `DELETE /v2/payment-batches/{paymentBatchId}`

use super::common::{BatchPath, WRITE};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim_without_body, execute};
use crate::mapping::{BATCH, cancel_problem};
use crate::problem::{Problem, expect_valid};
use crate::reply::no_content;
use crate::routes::error_sets::CancelErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::cancel_batch;

/// Cancels a payment batch before its processing starts, and releases its reservations.
///
/// The batch can still be read.
#[utoipa::path(delete, path = "/v2/payment-batches/{paymentBatchId}", tag = "Payment batches",
    operation_id = "deletePaymentBatch",
    security(("apiKey" = [WRITE.scope])),
    params(BatchPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 204, description = "Cancelled."), CancelErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    call.no_body(payload).await?;
    let key = call.idempotency_key();
    let batch = call.read::<BatchPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let claim = claim_without_body(&call, key, &account, |_| no_content());
    let batch = expect_valid(batch)?.id;
    let refused = |refusal| cancel_problem(&refusal);
    execute(
        claim,
        (BATCH, "payment batch"),
        refused,
        |_| no_content(),
        async |claim| cancel_batch(&app.batches, &account, batch, claim).await,
    )
    .await
}
