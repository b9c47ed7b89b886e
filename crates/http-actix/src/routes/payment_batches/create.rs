//! `POST /v2/payment-batches`

use super::common::WRITE;
use super::rows::{self, Received};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, body, missing_body};
use crate::extract::body::unsupported;
use crate::extract::headers::is_json;
use crate::idempotency::{claim_with_body, execute};
use crate::mapping::upload_problem;
use crate::payments::JsonUpload;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::CreateBatchErrors;
use crate::state::App;
use crate::views::BatchView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewBatch, Upload, create_batch};
use florin_domain::batch::{BatchName, BatchSummary, InputFormat, UploadRefusal};
use florin_ports::StoredResponse;

body! {
    /// A new payment batch.
    pub(crate) struct CreateBatchBody as "CreatePaymentBatchRequest" {
        /// Display name. Default: `Payment batch` and the time.
        "name" => name: Option<BatchName>,
        /// Whether lists show the batch. Default: true.
        "visible" => visible: Option<bool>,
        /// The payments. A batch created with payments is locked: it accepts no uploads.
        "payments" => payments: Option<JsonUpload>,
    }
}

/// Creates a payment batch, with or without payments.
#[utoipa::path(post, path = "/v2/payment-batches", tag = "Payment batches", operation_id = "createPaymentBatch",
    security(("apiKey" = [WRITE.scope])),
    request_body = CreateBatchBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses(
        (status = 201, description = "The batch, without payments.", body = BatchView),
        (status = 202, description = "The batch with its payments, locked.", body = BatchView),
        CreateBatchErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    let received = Received::read(&call, payload).await?;
    let memory = received.memory.clone();
    if !received.bytes.is_empty() && !is_json(&request) {
        return Err(unsupported("must be sent as application/json in UTF-8"));
    }
    let key = call.idempotency_key();
    let account_id = call.account_id();
    let mut body = None;
    if received.bytes.is_empty() {
        call.faults.push(missing_body().at("body"));
    } else {
        let has_payments = |body: &CreateBatchBody| body.payments.is_some();
        body = rows::json(received, key.is_some(), &mut call, has_payments).await?;
    }
    let account = call.account(account_id).await?;
    let body = expect_valid(body)?;
    let claim = key.zip(body.recorded).map(|(key, body)| claim_with_body(&call, key, &account, body, render));
    let CreateBatchBody { name, visible, payments } = body.value;
    let payments = match payments {
        Some(JsonUpload { default_budget, rows }) => {
            let upload = Upload { format: InputFormat::Json, rows, default_budget };
            Some(rows::check(&app, &account, upload, &memory).await?)
        }
        None => None,
    };
    let new = NewBatch { name, visible: visible.unwrap_or(true), payments };
    let client = call.caller.client.id;
    let refused = |refusal: UploadRefusal| upload_problem(&refusal, "body.payments");
    let object = ("query.accountId", "account");
    execute(claim, object, refused, render, async |claim| {
        create_batch(&app.batches, client, &account, new, claim).await
    })
    .await
}

/// Renders 202 for a batch with payments, and 201 for a batch without payments.
fn render(summary: &BatchSummary) -> StoredResponse {
    let status = if summary.batch.locked { StatusCode::ACCEPTED } else { StatusCode::CREATED };
    answer(status, &BatchView::from(summary))
}
