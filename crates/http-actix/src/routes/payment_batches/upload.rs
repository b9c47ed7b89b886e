//! `POST /v2/payment-batches/{paymentBatchId}/payments`

use super::common::{BatchPath, WRITE};
use super::rows::{self, ParsedBody, Received};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, missing_body, parameters};
use crate::extract::body;
use crate::extract::headers::{is_csv, is_json};
use crate::idempotency::{claim_with_body, execute};
use crate::mapping::{BATCH, upload_problem};
use crate::payments::{JsonUpload, read_csv};
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::UploadErrors;
use crate::state::App;
use crate::views::InputView;
use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::{Upload, upload_payments};
use florin_domain::batch::{InputFormat, PaymentBatch, UploadRefusal};
use florin_domain::ids::BudgetId;
use florin_ports::StoredResponse;

parameters! {
    /// Options of a CSV upload.
    pub(crate) struct CsvParameters in Query {
        /// CSV only: the budget that funds rows without a funding budget.
        "defaultFundingBudgetId" => default_budget: Option<BudgetId>,
    }
}

/// Replaces the payments of a draft or validated batch that is not locked.
///
/// The payments are checked before the response. Invalid values become alerts.
#[utoipa::path(post, path = "/v2/payment-batches/{paymentBatchId}/payments", tag = "Payment batches",
    operation_id = "uploadPayments",
    security(("apiKey" = [WRITE.scope])),
    request_body(description = "At most 3,000 payments as JSON, or 10,000 as CSV.",
        content((JsonUpload = "application/json"), (String = "text/csv"))),
    params(BatchPath, AccountParameter, CsvParameters, IdempotencyKeyHeader),
    responses((status = 202, description = "The result of the upload.", body = InputView), UploadErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    let received = Received::read(&call, payload).await?;
    let memory = received.memory.clone();
    let format = format_of(&request, &received.bytes)?;
    let key = call.idempotency_key();
    let batch = call.read::<BatchPath>();
    let account_id = call.account_id();
    let mut read_body = None;
    match format {
        None => call.faults.push(missing_body().at("body")),
        Some(format) => {
            read_body = read_as(format, received, key.is_some(), &mut call).await?.map(|body| (format, body));
        }
    }
    let account = call.account(account_id).await?;
    let (format, body) = expect_valid(read_body)?;
    let claim = key.zip(body.recorded).map(|(key, body)| claim_with_body(&call, key, &account, body, render));
    let batch = expect_valid(batch)?.id;
    let JsonUpload { default_budget, rows } = body.value;
    let upload = rows::check(&app, &account, Upload { format, rows, default_budget }, &memory).await?;
    let refused = |refusal: UploadRefusal| upload_problem(&refusal, BATCH);
    execute(claim, (BATCH, "payment batch"), refused, render, async |claim| {
        upload_payments(&app.batches, &account, batch, upload, claim).await
    })
    .await
}

/// Determines the format of the body. Returns `None` for an empty body.
fn format_of(request: &HttpRequest, bytes: &Bytes) -> Result<Option<InputFormat>, Problem> {
    if bytes.is_empty() {
        Ok(None)
    } else if is_json(request) {
        Ok(Some(InputFormat::Json))
    } else if is_csv(request) {
        Ok(Some(InputFormat::Csv))
    } else {
        Err(body::unsupported("must be sent as application/json or text/csv in UTF-8"))
    }
}

async fn read_as(
    format: InputFormat,
    received: Received,
    has_key: bool,
    call: &mut Call<'_>,
) -> Result<Option<ParsedBody<JsonUpload>>, Problem> {
    if format == InputFormat::Json {
        return rows::json(received, has_key, call, |_| true).await;
    }
    let parameters = call.read::<CsvParameters>();
    let body = rows::not_json(received, has_key, &mut call.faults, |bytes, faults| {
        let rows = read_csv::read(bytes, faults).map_err(|flaw| Problem::faults(vec![flaw.at("body")]))?;
        Ok(JsonUpload { default_budget: None, rows })
    });
    let mut body = body.await?;
    if let (Some(body), Some(parameters)) = (&mut body, parameters) {
        body.value.default_budget = parameters.default_budget;
    }
    Ok(body)
}

/// Renders the result of the upload as 202.
fn render(batch: &PaymentBatch) -> StoredResponse {
    answer(StatusCode::ACCEPTED, &batch.input.as_ref().map(InputView::from))
}
