//! `GET /v2/merchant/checkout-sessions/{checkoutSessionId}`

use super::common::{SESSION, SessionPath, session_view};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::routes::merchant::common::READ_SESSIONS;
use crate::state::App;
use crate::views::SessionView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::find_session;

/// Returns a checkout session, or the session of a top-up.
#[utoipa::path(get, path = "/v2/merchant/checkout-sessions/{checkoutSessionId}", tag = "Merchant",
    operation_id = "getCheckoutSession",
    security(("apiKey" = [READ_SESSIONS.scope])),
    params(SessionPath, AccountParameter),
    responses((status = 200, description = "The session.", body = SessionView<'static>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_SESSIONS).await?;
    let path = call.read::<SessionPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let found = find_session(&app.checkouts, &account, expect_valid(path)?.id).await?;
    let found = found.ok_or_else(|| Problem::absent(SESSION.0, SESSION.1))?;
    ok(&session_view(&app.checkouts, &found.session))
}
