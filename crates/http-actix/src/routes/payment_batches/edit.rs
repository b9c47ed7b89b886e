//! `PATCH /v2/payment-batches/{paymentBatchId}`

use super::{WRITE, batch_id};
use crate::call::Call;
use crate::extract::members::{Members, boolean, text};
use crate::mapping::BATCH;
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim, execute};
use crate::routes::error_sets::WriteErrors;
use crate::state::App;
use crate::views::BatchView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::edit_batch;
use florin_domain::batch::{BatchEdit, BatchSummary};
use florin_ports::Answer;
use utoipa::ToSchema;

/// What is to be changed; what is not there stays.
#[derive(ToSchema)]
#[schema(as = EditPaymentBatchRequest)]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct EditBody {
    /// Its new name.
    #[schema(nullable = true, min_length = 1, max_length = 256)]
    name: Option<String>,
    /// Whether lists show it.
    #[schema(nullable = true)]
    visible: Option<bool>,
}

/// Renames a payment batch, hides it or shows it, in any state.
#[utoipa::path(patch, path = "/v2/payment-batches/{paymentBatchId}", tag = "Payment batches",
    operation_id = "updatePaymentBatch", request_body = EditBody,
    params(
        ("paymentBatchId" = String, Path, description = "The payment batch.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 200, description = "The batch.", body = BatchView), WriteErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let batch = batch_id(&mut write.call);
    let faults = &mut write.call.faults;
    let mut edit = BatchEdit::default();
    if let Some(mut members) = Members::of_body(write.body.as_ref(), faults) {
        edit.name = members.optional("name", faults, text).flatten();
        edit.visible = members.optional("visible", faults, boolean).flatten();
        members.finish(faults);
    }
    let account = write.account().await?;
    let claim = claim(&write, &account, false, render);
    let batch = read(batch)?;
    let object = (BATCH, "payment batch");
    execute(
        claim,
        object,
        |never| match never {},
        render,
        async |claim| edit_batch(&app.batches, &account, batch, edit, claim).await,
    )
    .await
}

fn render(summary: &BatchSummary) -> Answer {
    answer(StatusCode::OK, &BatchView::from(summary))
}
