//! `GET /v2/payment-batches/{paymentBatchId}/alerts`

use super::{READ, batch_id};
use crate::call::Call;
use crate::extract::batch_query::{direction, from, to};
use crate::mapping::no_batch;
use crate::problem::{Problem, read};
use crate::repeat::ok_list;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::{AlertView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::batch::{AlertCode, AlertFilter, AlertKind};

/// What is wrong with the payments of a batch, the last row first.
#[utoipa::path(get, path = "/v2/payment-batches/{paymentBatchId}/alerts", tag = "Payment batches",
    operation_id = "listPaymentBatchAlerts",
    params(
        ("paymentBatchId" = String, Path, description = "The payment batch.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0),
        ("sort" = Option<String>, Query, description = "By input index; `desc` by default.",
            pattern = "^(asc|desc)$"),
        ("alertType" = Option<String>, Query, description = "Only of this type.", pattern = "^(Error|Warning)$"),
        ("alertCode" = Option<String>, Query, description = "Only with this code."),
        ("from" = Option<String>, Query, description = "Found at this time or later.", format = DateTime),
        ("to" = Option<String>, Query, description = "Found at this time or earlier.", format = DateTime)),
    responses((status = 200, description = "One page of alerts.", body = List<AlertView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let batch = batch_id(&mut call);
    let account_id = call.account_id();
    let (query, faults) = (&call.query, &mut call.faults);
    let page = query.page(faults);
    let filter = AlertFilter {
        kind: faults.take("query.alertType", query.one_of("alertType", &AlertKind::ALL, AlertKind::as_str)).flatten(),
        code: faults.take("query.alertCode", query.one_of("alertCode", AlertCode::ALL, AlertCode::as_str)).flatten(),
        from: from(query, "from", faults),
        to: to(query, "to", faults),
        direction: direction(query, faults),
    };
    let account = call.account(account_id).await?;
    let found = app.batches.reading.alerts(&account.id, read(batch)?, filter, page).await?.ok_or_else(no_batch)?;
    ok_list(&List::new(page, found, |alert| AlertView::from(&alert)))
}
