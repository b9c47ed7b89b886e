//! `/v2/sandbox/over-clearing`

use super::common::CARDS;
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, body, named};
use crate::idempotency::{claim, execute};
use crate::problem::{Problem, expect_valid};
use crate::reply::{answer, ok};
use crate::routes::error_sets::{SandboxReadErrors, SandboxSetErrors};
use crate::state::App;
use crate::views::OverClearingView;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::set_over_clearing;
use florin_domain::card::{CardSettings, OverClearing};
use florin_ports::StoredResponse;

body! {
    /// Which clearings above their hold are refused.
    pub(crate) struct OverClearingBody as "OverClearingRequest" {
        /// `ACCEPT` refuses none. `NETWORK` refuses clearings above the margin that card networks allow for the
        /// merchant's category.
        #[example("NETWORK")]
        "overClearing" => over_clearing: OverClearing,
    }
}

named! {
    OverClearing: OverClearing::ALL, OverClearing::as_str;
}

/// Returns which clearings above their hold are refused on an account. Florin extension.
#[utoipa::path(get, path = "/v2/sandbox/over-clearing", tag = "Sandbox", operation_id = "getOverClearing",
    security(("apiKey" = [CARDS.scope])),
    params(AccountParameter),
    responses((status = 200, description = "The setting.", body = OverClearingView), SandboxReadErrors))]
pub(crate) async fn find(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &CARDS).await?;
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    ok(&OverClearingView::from(&app.management.cards.settings(&account.id).await?))
}

/// Sets which clearings above their hold are refused on an account.
///
/// It applies to all later clearings, except force posts. Florin extension.
#[utoipa::path(put, path = "/v2/sandbox/over-clearing", tag = "Sandbox", operation_id = "setOverClearing",
    security(("apiKey" = [CARDS.scope])),
    request_body = OverClearingBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The setting.", body = OverClearingView), SandboxSetErrors))]
pub(crate) async fn set(app: Data<App>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &CARDS).await?.with_body(payload).await?;
    let body = write.read::<OverClearingBody>()?;
    let account = write.account().await?;
    let OverClearingBody { over_clearing } = expect_valid(body)?;
    let claim = claim(&write, &account, false, render)?;
    execute(
        claim,
        ("query.accountId", "account"),
        |never| match never {},
        render,
        async |claim| set_over_clearing(&app.management, &account, over_clearing, claim).await,
    )
    .await
}

fn render(settings: &CardSettings) -> StoredResponse {
    answer(StatusCode::OK, &OverClearingView::from(settings))
}
