//! `GET /v2/payment-batches`

use super::READ;
use crate::call::Call;
use crate::extract::batch_query::{direction, names, values};
use crate::problem::Problem;
use crate::repeat::ok_list;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::{BatchView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::batch::{BatchFilter, PaymentBatchStatus};
use florin_domain::ids::PaymentBatchId;

/// The account's payment batches, newest first.
#[utoipa::path(get, path = "/v2/payment-batches", tag = "Payment batches", operation_id = "listPaymentBatches",
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0),
        ("sort" = Option<String>, Query, description = "By time of creation; `desc` by default.",
            pattern = "^(asc|desc)$"),
        ("ids" = Option<String>, Query, description = "Only these, comma separated."),
        ("statuses" = Option<String>, Query, description = "Only in one of these states, comma separated."),
        ("includeHidden" = Option<bool>, Query, description = "Hidden ones too; `false` by default.")),
    responses((status = 200, description = "One page of batches.", body = List<BatchView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let (query, faults) = (&call.query, &mut call.faults);
    let page = query.page(faults);
    let filter = BatchFilter {
        ids: values(query, "ids", faults, PaymentBatchId::parse),
        statuses: names(query, "statuses", faults, &PaymentBatchStatus::ALL, PaymentBatchStatus::as_str),
        include_hidden: query.flag("includeHidden", faults),
        direction: direction(query, faults),
    };
    let account = call.account(account_id).await?;
    let found = app.batches.reading.list(&account.id, filter, page).await?;
    ok_list(&List::new(page, found, |summary| BatchView::from(&summary)))
}
