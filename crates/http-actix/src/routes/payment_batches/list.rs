//! `GET /v2/payment-batches`

use super::common::{READ, SortParameter};
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{BatchView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::batch::{BatchFilter, PaymentBatchStatus};
use florin_domain::ids::PaymentBatchId;

parameters! {
    /// Filters of the list of payment batches.
    pub(crate) struct BatchParameters in Query {
        /// Only batches with one of these ids, comma-separated.
        "ids" => ids: Vec<PaymentBatchId>,
        /// Only batches with one of these statuses, comma-separated.
        "statuses" => statuses: Vec<PaymentBatchStatus>,
        /// Whether to include hidden batches. Default: false.
        "includeHidden" => include_hidden: bool,
    }
}

/// Lists the account's payment batches, newest first.
#[utoipa::path(get, path = "/v2/payment-batches", tag = "Payment batches",
    operation_id = "listPaymentBatches",
    security(("apiKey" = [READ.scope])),
    params(AccountParameter, PageParameters, SortParameter, BatchParameters),
    responses((status = 200, description = "One page of batches.", body = List<BatchView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let page = call.page();
    let (filter, sort) = (call.read::<BatchParameters>(), call.read::<SortParameter>());
    let account = call.account(account_id).await?;
    let BatchParameters { ids, statuses, include_hidden } = expect_valid(filter)?;
    let direction = expect_valid(sort)?.direction.unwrap_or_default();
    let filter = BatchFilter { ids, statuses, include_hidden, direction };
    let found = app.batches.reading.list(&account.id, filter, page).await?;
    ok_list(&List::new(page, found, |summary| BatchView::from(&summary)))
}
