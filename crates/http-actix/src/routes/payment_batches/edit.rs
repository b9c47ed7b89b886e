//! `PATCH /v2/payment-batches/{paymentBatchId}`

use super::common::{BatchPath, WRITE};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, body};
use crate::idempotency::{claim, execute};
use crate::mapping::BATCH;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::SetErrors;
use crate::state::App;
use crate::views::BatchView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::edit_batch;
use florin_domain::batch::{BatchEdit, BatchName, BatchSummary};
use florin_ports::StoredResponse;

body! {
    /// The changes. Omitted members keep their values.
    pub(crate) struct EditBatchBody as "EditPaymentBatchRequest" {
        /// New display name.
        "name" => name: Option<BatchName>,
        /// Whether lists show the batch.
        "visible" => visible: Option<bool>,
    }
}

/// Renames, hides or shows a payment batch, in any state.
#[utoipa::path(patch, path = "/v2/payment-batches/{paymentBatchId}", tag = "Payment batches",
    operation_id = "updatePaymentBatch", request_body = EditBatchBody,
    security(("apiKey" = [WRITE.scope])),
    params(BatchPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The batch.", body = BatchView), SetErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let batch = write.call.read::<BatchPath>();
    let body = write.read::<EditBatchBody>()?;
    let account = write.account().await?;
    let claim = claim(&write, &account, false, render)?;
    let (batch, EditBatchBody { name, visible }) = (expect_valid(batch)?.id, expect_valid(body)?);
    let edit = BatchEdit { name, visible };
    execute(
        claim,
        (BATCH, "payment batch"),
        |never| match never {},
        render,
        async |claim| edit_batch(&app.batches, &account, batch, edit, claim).await,
    )
    .await
}

fn render(summary: &BatchSummary) -> StoredResponse {
    answer(StatusCode::OK, &BatchView::from(summary))
}
