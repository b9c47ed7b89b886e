//! `PATCH /v2/sandbox/merchant`

use super::common::MERCHANTS;
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::edit_profile_problem;
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::SandboxSetErrors;
use crate::routes::merchant::{AdministerMerchantBody, render_merchant};
use crate::state::App;
use crate::views::MerchantView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::administer_merchant;

/// Changes the status and the permissions of a merchant, as the operator would. Creates a missing profile.
///
/// Florin extension.
#[utoipa::path(patch, path = "/v2/sandbox/merchant", tag = "Sandbox", operation_id = "administerMerchant",
    security(("apiKey" = [MERCHANTS.scope])),
    request_body = AdministerMerchantBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The merchant.", body = MerchantView), SandboxSetErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &MERCHANTS).await?.with_body(payload).await?;
    let body = write.read::<AdministerMerchantBody>()?;
    let account = write.account().await?;
    let render = render_merchant(&app);
    let claim = claim(&write, &account, false, render.clone())?;
    let edit = expect_valid(body)?.edit();
    execute(claim, ("query.accountId", "account"), edit_profile_problem, render, async |claim| {
        administer_merchant(app.merchants.merchants.as_ref(), account.id.clone(), edit, claim).await
    })
    .await
}
