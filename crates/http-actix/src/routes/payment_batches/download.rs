//! `POST /v2/payment-batches/{paymentBatchId}/payments/download`

use super::{READ, batch_id, file};
use crate::call::Call;
use crate::extract::batch_query::{names, values};
use crate::extract::body;
use crate::extract::headers::idempotency_key;
use crate::mapping::no_batch;
use crate::payments::write_csv;
use crate::problem::{Problem, read};
use crate::routes::error_sets::DownloadErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::batch::{Direction, PaymentFilter, PaymentStatus};
use florin_domain::ids::OrderId;

/// The payments of a batch as a CSV, in the order of their upload, with what is wrong with each. It can be mended and
/// uploaded again.
#[utoipa::path(post, path = "/v2/payment-batches/{paymentBatchId}/payments/download", tag = "Payment batches",
    operation_id = "downloadPayments",
    params(
        ("paymentBatchId" = String, Path, description = "The payment batch.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("statuses" = Option<String>, Query, description = "Only in one of these states, comma separated."),
        ("orderIds" = Option<String>, Query, description = "Only of one of these orders, comma separated.")),
    responses((status = 200, description = "The payments.", body = String, content_type = "text/csv"), DownloadErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    body::nothing(&request, payload, &mut call.faults).await?;
    // It changes nothing, so there is nothing to do only once: the key is looked at, and not kept.
    idempotency_key(&request, &mut call.faults);
    let batch = batch_id(&mut call);
    let account_id = call.account_id();
    let (query, faults) = (&call.query, &mut call.faults);
    let filter = PaymentFilter {
        statuses: names(query, "statuses", faults, &PaymentStatus::ALL, PaymentStatus::as_str),
        orders: values(query, "orderIds", faults, OrderId::parse),
        direction: Direction::Ascending,
    };
    let account = call.account(account_id).await?;
    let content = app.batches.reading.content(&account.id, read(batch)?, filter).await?.ok_or_else(no_batch)?;
    let written = web::block(move || write_csv::download(&content)).await.map_err(|_| Problem::internal())?;
    file::csv(written, "payments.csv")
}
