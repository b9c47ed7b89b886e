//! `POST /v2/payment-batches/{paymentBatchId}/payments`

use super::typed::{self, Typed};
use super::{WRITE, batch_id};
use crate::call::Call;
use crate::extract::body::{self, MAX_BYTES_OF_PAYMENTS};
use crate::extract::headers::{idempotency_key, is_csv, is_json};
use crate::mapping::{BATCH, upload_problem};
use crate::payments::schema::PaymentsBody;
use crate::payments::{TypedPayments, read_csv, read_json};
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim_of, execute};
use crate::routes::error_sets::UploadErrors;
use crate::state::App;
use crate::views::InputView;
use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::{Upload, upload_payments};
use florin_domain::batch::{InputFormat, PaymentBatch, UploadRefusal};
use florin_domain::ids::BudgetId;
use florin_ports::Answer;

/// Replaces the payments of a batch that is draft or validated. They are checked before the answer: what is wrong with
/// them becomes alerts.
#[utoipa::path(post, path = "/v2/payment-batches/{paymentBatchId}/payments", tag = "Payment batches",
    operation_id = "uploadPayments",
    request_body(description = "At most 3,000 payments as JSON, or 10,000 as CSV.",
        content((PaymentsBody = "application/json"), (String = "text/csv"))),
    params(
        ("paymentBatchId" = String, Path, description = "The payment batch.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("defaultFundingBudgetId" = Option<String>, Query, format = Uuid,
            description = "With CSV: the budget that pays for rows which name none."),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 202, description = "What became of it.", body = InputView), UploadErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    let bytes = body::bytes(&request, payload, MAX_BYTES_OF_PAYMENTS).await?;
    let format = format_of(&request, &bytes)?;
    let key = idempotency_key(&request, &mut call.faults);
    let batch = batch_id(&mut call);
    let account_id = call.account_id();
    let mut read_body = None;
    match format {
        None => call.faults.push(body::missing().at("body")),
        Some(format) => read_body = Some((format, read_as(format, bytes, key.is_some(), &mut call).await?)),
    }
    let account = call.account(account_id).await?;
    let (format, body) = read(read_body)?;
    let claim = key.zip(body.recorded).map(|(key, body)| claim_of(&call, key, &account, body, render));
    let batch = read(batch)?;
    let upload = Upload { format, rows: body.value.rows, default_budget: body.value.default_budget };
    let request = typed::checked(&app, &account, upload).await?;
    let refused = |refusal: UploadRefusal| upload_problem(&refusal, BATCH);
    let object = (BATCH, "payment batch");
    execute(claim, object, refused, render, async |claim| {
        upload_payments(&app.batches, &account, batch, request, claim).await
    })
    .await
}

/// What the body is; `None`: there is none.
fn format_of(request: &HttpRequest, bytes: &Bytes) -> Result<Option<InputFormat>, Problem> {
    if bytes.is_empty() {
        Ok(None)
    } else if is_json(request) {
        Ok(Some(InputFormat::Json))
    } else if is_csv(request) {
        Ok(Some(InputFormat::Csv))
    } else {
        Err(body::unsupported("A body of Content-Type application/json or text/csv in UTF-8 is wanted."))
    }
}

async fn read_as(
    format: InputFormat,
    bytes: Bytes,
    record: bool,
    call: &mut Call<'_>,
) -> Result<Typed<TypedPayments>, Problem> {
    match format {
        InputFormat::Json => {
            typed::json(
                bytes,
                record,
                &mut call.faults,
                |raw, faults| read_json::payments(raw, "body", faults),
                |_| true,
            )
            .await
        }
        InputFormat::Csv => {
            let named = call.query.one("defaultFundingBudgetId").and_then(|id| id.map(BudgetId::parse).transpose());
            let default_budget = call.faults.take("query.defaultFundingBudgetId", named).flatten();
            let mut typed = typed::other(bytes, record, &mut call.faults, |bytes, faults| {
                let rows = read_csv::read(bytes, faults).map_err(|flaw| Problem::faults(vec![flaw.at("body")]))?;
                Ok(TypedPayments { default_budget: None, rows })
            })
            .await?;
            typed.value.default_budget = default_budget;
            Ok(typed)
        }
    }
}

/// An upload leaves an input.
fn render(batch: &PaymentBatch) -> Answer {
    answer(StatusCode::ACCEPTED, &batch.input.as_ref().map(InputView::from))
}
