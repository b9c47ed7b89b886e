//! `POST /v2/payment-batches/{paymentBatchId}/payments/download`

use super::common::{BatchPath, READ, StatusesParameter};
use crate::call::Call;
use crate::declare::{AccountParameter, parameters};
use crate::mapping::no_batch;
use crate::payments::write_csv;
use crate::problem::{Problem, expect_valid};
use crate::reply::csv_file;
use crate::routes::error_sets::DownloadErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::batch::{Direction, PaymentFilter};
use florin_domain::ids::OrderId;

parameters! {
    /// The filter of payments by order.
    pub(crate) struct OrdersParameter in Query {
        /// Only payments of one of these orders, comma-separated.
        "orderIds" => orders: Vec<OrderId>,
    }
}

/// Downloads the payments of a batch as CSV.
///
/// The rows are in upload order, each with its alerts. The file can be corrected and uploaded again.
#[utoipa::path(post, path = "/v2/payment-batches/{paymentBatchId}/payments/download", tag = "Payment batches",
    operation_id = "downloadPayments",
    security(("apiKey" = [READ.scope])),
    params(BatchPath, AccountParameter, StatusesParameter, OrdersParameter),
    responses((status = 200, description = "The payments.", body = String, content_type = "text/csv"), DownloadErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    call.no_body(payload).await?;
    // A download changes nothing, so its idempotency key is checked and not stored.
    call.idempotency_key();
    let batch = call.read::<BatchPath>();
    let account_id = call.account_id();
    let (statuses, orders) = (call.read::<StatusesParameter>(), call.read::<OrdersParameter>());
    let account = call.account(account_id).await?;
    let (statuses, orders) = (expect_valid(statuses)?.statuses, expect_valid(orders)?.orders);
    let filter = PaymentFilter { statuses, orders, direction: Direction::Ascending };
    let content =
        app.batches.reading.content(&account.id, expect_valid(batch)?.id, filter).await?.ok_or_else(no_batch)?;
    let written = web::block(move || write_csv::download(&content)).await.map_err(|_| Problem::internal())?;
    csv_file(written, "payments.csv")
}
