//! `GET /v2/payment-batches/{paymentBatchId}/payments`

use super::common::{BatchPath, READ, SortParameter, StatusesParameter};
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters};
use crate::mapping::no_batch;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{List, PaymentView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::batch::PaymentFilter;

/// Lists the payments of a batch, last row first.
#[utoipa::path(get, path = "/v2/payment-batches/{paymentBatchId}/payments", tag = "Payment batches",
    operation_id = "listPayments",
    security(("apiKey" = [READ.scope])),
    params(BatchPath, AccountParameter, PageParameters, SortParameter, StatusesParameter),
    responses((status = 200, description = "One page of payments.", body = List<PaymentView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let batch = call.read::<BatchPath>();
    let account_id = call.account_id();
    let page = call.page();
    let (statuses, sort) = (call.read::<StatusesParameter>(), call.read::<SortParameter>());
    let account = call.account(account_id).await?;
    let direction = expect_valid(sort)?.direction.unwrap_or_default();
    let filter = PaymentFilter { statuses: expect_valid(statuses)?.statuses, orders: Vec::new(), direction };
    let found =
        app.batches.reading.payments(&account.id, expect_valid(batch)?.id, filter, page).await?.ok_or_else(no_batch)?;
    ok_list(&List::new(page, found, PaymentView::from))
}
