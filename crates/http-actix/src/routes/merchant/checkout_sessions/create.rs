//! `POST /v2/merchant/checkout-sessions`

use super::bodies::CreateSessionBody;
use super::common::{render_created, session_view};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute_creation};
use crate::mapping::create_session_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::CreateSessionErrors;
use crate::routes::merchant::common::{MERCHANT, WRITE_SESSIONS};
use crate::state::App;
use crate::stored_page_urls::{with_tokens, without_tokens};
use crate::views::SessionView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::create_session;
use florin_domain::checkout::CreatedSession;

/// Creates an OPEN checkout session. Send the payer to its `checkoutUrl`.
///
/// If a session of the account already has this `idempotencyKey`, the response is that session in its current state,
/// with 200 and `Idempotent-Replayed: true`. The other members of the body must be valid, but are ignored.
#[utoipa::path(post, path = "/v2/merchant/checkout-sessions", tag = "Merchant", operation_id = "createCheckoutSession",
    security(("apiKey" = [WRITE_SESSIONS.scope])),
    request_body = CreateSessionBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The session.", body = SessionView<'static>),
        (status = 200, description = "The session with this `idempotencyKey`.", body = SessionView<'static>),
        CreateSessionErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let call = Call::enter(&app, &request, &WRITE_SESSIONS).await?;
    app.checkouts.payer_banks()?;
    let mut write = call.with_body(payload).await?;
    let body = write.read::<CreateSessionBody>()?;
    let new = body.and_then(|body| body.read(&mut write.call.faults));
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let render = render_created(&app, |app, status, session| answer(status, &session_view(&app.checkouts, session)));
    let recorded =
        without_tokens(&app, &account.id, |created: &CreatedSession| Some(created.session.id.0), render.clone());
    let claim = claim(&write, &account, false, recorded)?;
    let (new, is_new) = (expect_valid(new)?, |created: &CreatedSession| created.is_new);
    let refused = |refusal| create_session_problem(&refusal);
    execute_creation(claim, MERCHANT, refused, (render, is_new), async |claim| {
        with_tokens(&app, &account.id, create_session(&app.checkouts, &account, new, claim).await)
    })
    .await
}
