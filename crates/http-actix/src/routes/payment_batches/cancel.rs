//! `DELETE /v2/payment-batches/{paymentBatchId}`

use super::{WRITE, batch_id};
use crate::call::Call;
use crate::extract::body;
use crate::extract::headers::idempotency_key;
use crate::mapping::{BATCH, cancel_problem};
use crate::problem::{Problem, read};
use crate::repeat::{claim_of, execute};
use crate::routes::error_sets::WriteErrors;
use crate::state::App;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::cancel_batch;
use florin_domain::batch::PaymentBatch;
use florin_ports::{Answer, RecordedBody};

/// Cancels a payment batch that has not started, and releases what was reserved for it. It can still be read.
#[utoipa::path(delete, path = "/v2/payment-batches/{paymentBatchId}", tag = "Payment batches",
    operation_id = "deletePaymentBatch",
    params(
        ("paymentBatchId" = String, Path, description = "The payment batch.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 204, description = "Cancelled."), WriteErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    body::nothing(&request, payload, &mut call.faults).await?;
    let key = idempotency_key(&request, &mut call.faults);
    let batch = batch_id(&mut call);
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let claim = key.map(|key| claim_of(&call, key, &account, RecordedBody::Json(String::new()), render));
    let batch = read(batch)?;
    let object = (BATCH, "payment batch");
    execute(
        claim,
        object,
        |refusal| cancel_problem(&refusal),
        render,
        async |claim| cancel_batch(&app.batches, &account, batch, claim).await,
    )
    .await
}

fn render(_: &PaymentBatch) -> Answer {
    Answer { status: StatusCode::NO_CONTENT.as_u16(), body: String::new() }
}
