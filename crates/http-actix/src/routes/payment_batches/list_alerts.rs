//! `GET /v2/payment-batches/{paymentBatchId}/alerts`

use super::common::{BatchPath, READ, SortParameter};
use crate::call::Call;
use crate::declare::{AccountParameter, FromTime, PageParameters, ToTime, parameters};
use crate::mapping::no_batch;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{AlertView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::batch::{AlertCode, AlertFilter, AlertKind};

parameters! {
    /// Filters of the list of alerts.
    pub(crate) struct AlertParameters in Query {
        /// Only alerts of this type.
        "alertType" => kind: Option<AlertKind>,
        /// Only alerts with this code.
        "alertCode" => code: Option<AlertCode>,
        /// Only alerts raised at this time or later.
        "from" => from: Option<FromTime>,
        /// Only alerts raised at this time or earlier.
        "to" => to: Option<ToTime>,
    }
}

/// Lists the alerts of a payment batch, last row first.
#[utoipa::path(get, path = "/v2/payment-batches/{paymentBatchId}/alerts", tag = "Payment batches",
    operation_id = "listPaymentBatchAlerts",
    security(("apiKey" = [READ.scope])),
    params(BatchPath, AccountParameter, PageParameters, SortParameter, AlertParameters),
    responses((status = 200, description = "One page of alerts.", body = List<AlertView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let batch = call.read::<BatchPath>();
    let account_id = call.account_id();
    let page = call.page();
    let (filter, sort) = (call.read::<AlertParameters>(), call.read::<SortParameter>());
    let account = call.account(account_id).await?;
    let AlertParameters { kind, code, from, to } = expect_valid(filter)?;
    let (from, to) = (from.map(|from| from.0), to.map(|to| to.0));
    let filter = AlertFilter { kind, code, from, to, direction: expect_valid(sort)?.direction.unwrap_or_default() };
    let found =
        app.batches.reading.alerts(&account.id, expect_valid(batch)?.id, filter, page).await?.ok_or_else(no_batch)?;
    ok_list(&List::new(page, found, |alert| AlertView::from(&alert)))
}
