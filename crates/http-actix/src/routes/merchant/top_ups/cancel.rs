//! `POST /v2/merchant/top-ups/{topUpId}/cancel`

use super::common::{TOP_UP, TopUpPath, find_top_up, top_up_view};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim_without_body, execute};
use crate::mapping::session_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::CancelSessionErrors;
use crate::routes::merchant::common::WRITE_TOP_UPS;
use crate::state::App;
use crate::stored_page_urls::{with_tokens, without_tokens};
use crate::views::TopUpView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::act_on_session;
use florin_domain::checkout::{CheckoutSession, SessionAction};
use florin_ports::Mode;

/// Cancels an OPEN top-up. If it has a payment in progress, the payment becomes CANCELLED, too.
#[utoipa::path(post, path = "/v2/merchant/top-ups/{topUpId}/cancel", tag = "Merchant", operation_id = "cancelTopUp",
    security(("apiKey" = [WRITE_TOP_UPS.scope])),
    params(TopUpPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The top-up.", body = TopUpView<'static>), CancelSessionErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE_TOP_UPS).await?;
    call.no_body(payload).await?;
    let key = call.idempotency_key();
    let path = call.read::<TopUpPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let id = find_top_up(&app, &account, expect_valid(path)?.id).await?.id;
    let rendering_app = web::Data::clone(&app);
    let render = move |session: &CheckoutSession| answer(StatusCode::OK, &top_up_view(&rendering_app, session));
    let recorded = without_tokens(&app, &account.id, |session: &CheckoutSession| Some(session.id.0), render.clone());
    let claim = claim_without_body(&call, key, &account, recorded);
    execute(
        claim,
        TOP_UP,
        |refusal| session_problem(TOP_UP.0, &refusal),
        render,
        async |claim| {
            let cancel = SessionAction::MerchantCancels;
            let written = act_on_session(&app.checkouts, &account, id, cancel, Mode::Commit, claim).await;
            with_tokens(&app, &account.id, written)
        },
    )
    .await
}
