//! `GET /v2/merchant/checkouts` (contract 2.1)

use crate::call::Call;
use crate::problem::Problem;
use crate::repeat::ok_list;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::{CheckoutView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{Permission, list_checkouts};
use florin_domain::access::Scope;
use florin_domain::merchant::{CheckoutFilter, CheckoutStatus, CheckoutType};

const PERMISSION: Permission = Permission::of(Scope::MerchantCheckoutsRead);

/// The account's checkouts, newest first.
#[utoipa::path(get, path = "/v2/merchant/checkouts", tag = "Merchant", operation_id = "listCheckouts",
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0),
        ("type" = Option<String>, Query, description = "Only of this type.", pattern = "^(SHOPPING|TOP_UP)$"),
        ("status" = Option<String>, Query, description = "Only in this state.", pattern = "^(ACTIVE|DEACTIVATED)$")),
    responses((status = 200, description = "One page of checkouts.", body = List<CheckoutView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let account_id = call.account_id();
    let page = call.query.page(&mut call.faults);
    let checkout_type = call.query.one_of("type", &CheckoutType::ALL, CheckoutType::as_str);
    let status = call.query.one_of("status", &CheckoutStatus::ALL, CheckoutStatus::as_str);
    let filter = CheckoutFilter {
        checkout_type: call.faults.take("query.type", checkout_type).flatten(),
        status: call.faults.take("query.status", status).flatten(),
    };
    let account = call.account(account_id).await?;
    let found = list_checkouts(&app.services, &account, filter, page).await?;
    ok_list(&List::new(page, found, CheckoutView::from))
}
