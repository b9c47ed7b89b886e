//! `GET /v2/merchant/checkout-sessions`

use super::common::session_view;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::routes::merchant::common::READ_SESSIONS;
use crate::state::App;
use crate::views::{List, SessionView};
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::NaiveDate;
use florin_domain::checkout::{SessionFilter, SessionStatus};
use florin_domain::ids::CheckoutId;
use florin_domain::merchant::CheckoutType;
use florin_domain::page::Page;
use florin_domain::text::Text;

parameters! {
    /// Filters of the list of checkout sessions.
    pub(crate) struct SessionParameters in Query {
        /// Only sessions created on this day or later, in UTC.
        "startDate" => from: Option<NaiveDate>,
        /// Only sessions created on this day or earlier, in UTC.
        "endDate" => to: Option<NaiveDate>,
        /// Only sessions of this checkout.
        "checkoutId" => checkout: Option<CheckoutId>,
        /// Only sessions of this type.
        "type" => checkout_type: Option<CheckoutType>,
        /// Only sessions with this status.
        "status" => status: Option<SessionStatus>,
        /// Only sessions with this reference.
        "merchantReference" => merchant_reference: Option<Text<1, 128>>,
    }
}

/// Lists the account's checkout sessions, newest first.
///
/// Top-ups of budgets are not in the list. The list shows expiries, and reports of banks, within 5 seconds.
#[utoipa::path(get, path = "/v2/merchant/checkout-sessions", tag = "Merchant", operation_id = "listCheckoutSessions",
    security(("apiKey" = [READ_SESSIONS.scope])),
    params(AccountParameter, PageParameters, SessionParameters),
    responses((status = 200, description = "One page of sessions.", body = List<SessionView<'static>>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_SESSIONS).await?;
    let account_id = call.account_id();
    let page = call.page();
    let filter = call.read::<SessionParameters>();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let SessionParameters { from, to, checkout, checkout_type, status, merchant_reference } = expect_valid(filter)?;
    let merchant_reference = merchant_reference.map(Text::into_string);
    let filter = SessionFilter { from, to, checkout, checkout_type, status, merchant_reference };
    let Page { count, rows } = app.checkouts.sessions.list(&account.id, filter, page).await?;
    ok_list(&List::new(page, Page { count, rows: rows.iter().collect() }, |session| {
        session_view(&app.checkouts, session)
    }))
}
