//! `GET /v2/merchant/checkouts` (contract 2.1)

use super::common::READ_CHECKOUTS;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{CheckoutView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::merchant::{CheckoutFilter, CheckoutStatus, CheckoutType};

parameters! {
    /// Filters of the list of checkouts.
    pub(crate) struct CheckoutParameters in Query {
        /// Only checkouts of this type.
        "type" => checkout_type: Option<CheckoutType>,
        /// Only checkouts with this status.
        "status" => status: Option<CheckoutStatus>,
    }
}

/// Lists the account's checkouts, newest first.
#[utoipa::path(get, path = "/v2/merchant/checkouts", tag = "Merchant", operation_id = "listCheckouts",
    security(("apiKey" = [READ_CHECKOUTS.scope])),
    params(AccountParameter, PageParameters, CheckoutParameters),
    responses((status = 200, description = "One page of checkouts.", body = List<CheckoutView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_CHECKOUTS).await?;
    let account_id = call.account_id();
    let page = call.page();
    let filter = call.read::<CheckoutParameters>();
    let account = call.account(account_id).await?;
    let CheckoutParameters { checkout_type, status } = expect_valid(filter)?;
    app.merchants.active_profile(&account).await?;
    let filter = CheckoutFilter { checkout_type, status };
    let found = app.merchants.checkouts.list(&account.id, filter, page).await?;
    ok_list(&List::new(page, found, CheckoutView::from))
}
