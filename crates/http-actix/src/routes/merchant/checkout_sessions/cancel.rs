//! `POST /v2/merchant/checkout-sessions/{checkoutSessionId}/cancel`

use super::common::{SESSION, SessionPath, session_view};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim_without_body, execute};
use crate::mapping::session_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::CancelSessionErrors;
use crate::routes::merchant::common::WRITE_SESSIONS;
use crate::state::App;
use crate::stored_page_urls::{with_tokens, without_tokens};
use crate::views::SessionView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::act_on_session;
use florin_domain::checkout::{CheckoutSession, SessionAction};
use florin_ports::Mode;

/// Cancels an OPEN checkout session. If it has a payment in progress, the payment becomes CANCELLED, too.
#[utoipa::path(post, path = "/v2/merchant/checkout-sessions/{checkoutSessionId}/cancel", tag = "Merchant",
    operation_id = "cancelCheckoutSession",
    security(("apiKey" = [WRITE_SESSIONS.scope])),
    params(SessionPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The session.", body = SessionView<'static>), CancelSessionErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE_SESSIONS).await?;
    call.no_body(payload).await?;
    let key = call.idempotency_key();
    let path = call.read::<SessionPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let rendering_app = web::Data::clone(&app);
    let render =
        move |session: &CheckoutSession| answer(StatusCode::OK, &session_view(&rendering_app.checkouts, session));
    let recorded = without_tokens(&app, &account.id, |session: &CheckoutSession| Some(session.id.0), render.clone());
    let claim = claim_without_body(&call, key, &account, recorded);
    let id = expect_valid(path)?.id;
    execute(
        claim,
        SESSION,
        |refusal| session_problem(SESSION.0, &refusal),
        render,
        async |claim| {
            let cancel = SessionAction::MerchantCancels;
            let written = act_on_session(&app.checkouts, &account, id, cancel, Mode::Commit, claim).await;
            with_tokens(&app, &account.id, written)
        },
    )
    .await
}
