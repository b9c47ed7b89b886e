//! `POST /v2/payment-batches`

use super::{WRITE, typed};
use crate::call::Call;
use crate::extract::body::{self, MAX_BYTES_OF_PAYMENTS};
use crate::extract::headers::{idempotency_key, is_json};
use crate::extract::json::NotJson;
use crate::extract::lazy::{self, is_null};
use crate::extract::members::boolean;
use crate::mapping::upload_problem;
use crate::payments::schema::PaymentsBody;
use crate::payments::{TypedPayments, read_json};
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim_of, execute};
use crate::routes::error_sets::UploadErrors;
use crate::state::App;
use crate::views::BatchView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewBatch, Upload, create_batch};
use florin_domain::batch::{BatchName, BatchSummary, InputFormat, UploadRefusal};
use florin_domain::fault::Faults;
use florin_ports::Answer;
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// A batch to be made.
#[derive(ToSchema)]
#[schema(as = CreatePaymentBatchRequest)]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct CreateBody {
    /// Its name; by default `Payment batch` and the time.
    #[schema(nullable = true, min_length = 1, max_length = 256)]
    name: Option<String>,
    /// Whether lists show it; `true` by default.
    #[schema(nullable = true)]
    visible: Option<bool>,
    /// Its payments. With them it is locked: no others can be uploaded.
    #[schema(nullable = true, value_type = Option<PaymentsBody>)]
    payments: Option<PaymentsBody>,
}

/// The body as it was read.
#[derive(Default)]
struct Made {
    name: Option<BatchName>,
    visible: Option<bool>,
    payments: Option<TypedPayments>,
}

/// Makes a payment batch, with payments or without.
#[utoipa::path(post, path = "/v2/payment-batches", tag = "Payment batches", operation_id = "createPaymentBatch",
    request_body = CreateBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses(
        (status = 201, description = "The batch, with no payments yet.", body = BatchView),
        (status = 202, description = "The batch with its payments, locked.", body = BatchView),
        UploadErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    let bytes = body::bytes(&request, payload, MAX_BYTES_OF_PAYMENTS).await?;
    if !bytes.is_empty() && !is_json(&request) {
        return Err(body::unsupported("A body of Content-Type application/json in UTF-8 is wanted."));
    }
    let key = idempotency_key(&request, &mut call.faults);
    let account_id = call.account_id();
    let mut read_body = None;
    if bytes.is_empty() {
        call.faults.push(body::missing().at("body"));
    } else {
        let faults = &mut call.faults;
        read_body = Some(typed::json(bytes, key.is_some(), faults, made, |made| made.payments.is_some()).await?);
    }
    let account = call.account(account_id).await?;
    let body = read(read_body)?;
    let claim = key.zip(body.recorded).map(|(key, body)| claim_of(&call, key, &account, body, render));
    let Made { name, visible, payments } = body.value;
    let upload = |typed: TypedPayments| Upload {
        format: InputFormat::Json,
        rows: typed.rows,
        default_budget: typed.default_budget,
    };
    let payments = match payments.map(upload) {
        Some(upload) => Some(typed::checked(&app, &account, upload).await?),
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

fn made(raw: &RawValue, faults: &mut Faults) -> Result<Made, NotJson> {
    let mut made = Made::default();
    lazy::object(raw, "body", faults, |name, value, faults| {
        match name {
            "name" => {
                let named = lazy::text(value, || "body.name".to_owned(), faults);
                made.name = named.and_then(|named| faults.take("body.name", BatchName::parse(named)));
            }
            "visible" | "payments" if is_null(value) => {}
            "visible" => made.visible = faults.take("body.visible", boolean(&lazy::small(value))),
            "payments" => made.payments = Some(read_json::payments(value, "body.payments", faults)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(made)
}

/// What was made with its payments is taken, and checked already; what has none yet is made.
fn render(summary: &BatchSummary) -> Answer {
    let status = if summary.batch.locked { StatusCode::ACCEPTED } else { StatusCode::CREATED };
    answer(status, &BatchView::from(summary))
}
